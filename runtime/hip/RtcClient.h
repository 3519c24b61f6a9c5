// Compiles kernels through the provider's hipRTC in the helper process ds4-rtc, so that a compiler that crashes or hangs
// costs one job and not the run.
//
// The helper starts with the first job and serves the following ones; after a failure the next job starts a new one.
// One job at a time; a client is used from one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "runtime/hip/RtcProtocol.h"
#include "support/Error.h"

namespace ds4::hip {

// A job that failed, with all that the compiler said; the message holds a line of it.
class RtcError : public Error {
public:
  RtcError(ExitCode code, const std::string &message, std::string log) : Error(code, message), log_(std::move(log)) {}
  const std::string &log() const { return log_; }

private:
  std::string log_;
};

struct RtcJob {
  std::string kernel;       // symbol, for messages
  std::string architecture; // "gfx1151"
  std::string source;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> options; // without the architecture

  RtcRequest request(const std::string &hipLibrary) const;
};

class RtcClient {
public:
  static constexpr std::chrono::milliseconds kDefaultTimeout = std::chrono::minutes(2);

  // `hipLibrary` is HipTable::library. `helper` is the path of ds4-rtc; empty: the executable's folder, then ../bin and
  // ../libexec from there. Nothing is started yet. `timeout` bounds each job. A job that
  // runs when `stop` becomes true ends with it, by ds4::Error with kInterrupted.
  explicit RtcClient(std::string hipLibrary, std::string helper = "", std::chrono::milliseconds timeout = kDefaultTimeout,
                     const std::atomic<bool> *stop = nullptr);
  ~RtcClient();
  RtcClient(const RtcClient &) = delete;
  RtcClient &operator=(const RtcClient &) = delete;

  // The code object. Throws RtcError naming the kernel: Internal with the compiler's log when the source does not
  // compile; Environment when the helper is missing, crashes (with its last words), hangs, or answers nonsense, or when
  // the provider has no hipRTC.
  std::vector<std::byte> compile(const RtcJob &job);

  // Name and version of the compiler behind the helper, for keys of cached kernels. Throws as compile() does.
  std::string identity();

  // The helper that an empty path stands for. Throws ds4::Error (Environment) when there is none.
  static std::string findHelper();

private:
  RtcAnswer ask(const RtcRequest &request, const std::string &what);
  void start();
  void stop();
  int end();
  void send(std::span<const std::byte> bytes, std::chrono::steady_clock::time_point deadline);
  void receive(std::span<std::byte> bytes, std::chrono::steady_clock::time_point deadline);
  void waitFor(short events, std::chrono::steady_clock::time_point deadline);
  std::string causeOfDeath();
  off_t wordsSaid() const;
  std::string lastWords() const;

  std::string hipLibrary_, helper_;
  std::chrono::milliseconds timeout_;
  const std::atomic<bool> *stop_;
  pid_t process_ = -1;
  int socket_ = -1, errors_ = -1; // to the helper's input and output; a file in memory behind its stderr, emptied for each job
};

} // namespace ds4::hip
