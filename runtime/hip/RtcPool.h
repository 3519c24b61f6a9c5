// Compiles many kernels side by side. hipRTC serialises its work within a process, so each job that runs has a helper
// process of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/hip/RtcClient.h"

namespace ds4::hip {

struct RtcPoolOptions {
  std::string helper;                                             // as RtcClient takes it
  std::chrono::milliseconds timeout = RtcClient::kDefaultTimeout; // of a job
  unsigned jobs = 0;                                              // side by side; 0: as cores and memory allow
  std::string dumpFailed;                  // folder for source, request, command and log of a job that fails; "": nothing
  const std::atomic<bool> *stop = nullptr; // jobs end soon after it becomes true, as RtcClient tells
  std::string logFolder;                   // folder for the log alone when `dumpFailed` is empty; "": nothing
};

class RtcPool {
public:
  RtcPool(std::string hipLibrary, RtcPoolOptions options);

  // As RtcClient::identity().
  std::string identity();

  using Done = std::function<void(size_t, std::vector<std::byte>)>;
  // Calls done(i, code object of job(i)) as they come, from one thread at a time. The first failure ends the work and is
  // thrown as RtcError; its message ends in the path of the log. Each job is made when its turn comes, by several threads at
  // once: all headers of all jobs would be a lot.
  void compile(size_t count, const std::function<RtcJob(size_t)> &job, const Done &done);
  void compile(std::span<const RtcJob> jobs, const Done &done);

  // How many helpers a machine holds: one a core, 512 MiB each, one at least.
  static unsigned jobsFor(unsigned cores, uint64_t availableBytes);

private:
  // A client for the calling thread; given back by give().
  std::unique_ptr<RtcClient> take();
  void give(std::unique_ptr<RtcClient> client);
  [[noreturn]] void fail(const RtcJob &job, const RtcError &error) const;

  std::string hipLibrary_;
  RtcPoolOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RtcClient>> idle_;
};

} // namespace ds4::hip
