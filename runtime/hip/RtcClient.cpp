#include "runtime/hip/RtcClient.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/ranges.h>

#include "runtime/hip/HipTable.h"
#include "support/Interrupted.h"
#include "support/OneLine.h"

extern char **environ;

namespace ds4::hip {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr off_t kMostWords = 64'000'000; // of a job, to stderr: they lie in memory

// hipRTC writes temporary files; without a place for them it fails and does not say why.
std::string temporaryFolderHint() {
  const char *folder = std::getenv("TMPDIR");
  if (!folder || !*folder || access(folder, W_OK | X_OK) == 0)
    return "";
  return fmt::format("; TMPDIR '{}' cannot be written to ({}): name another folder", folder, strerror(errno));
}

// The line of a compiler's log that says what is wrong: the first one with an error, else all.
std::string firstError(const std::string &log) {
  const size_t at = log.find("error:");
  if (at == log.npos)
    return oneLine(log);
  const size_t start = log.rfind('\n', at);
  return oneLine(
      std::string_view(log).substr(start == log.npos ? 0 : start + 1, log.find('\n', at) - (start == log.npos ? 0 : start + 1)));
}

// What became of a process, in words.
std::string describeStatus(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("ds4-rtc died of signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("ds4-rtc ended with status {} before it answered", WEXITSTATUS(status));
}

// A process group of its own: Ctrl-C is for the program that waits for the helper and ends it.
class SpawnAttributes {
public:
  SpawnAttributes() {
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes &) = delete;
  SpawnAttributes &operator=(const SpawnAttributes &) = delete;
  const posix_spawnattr_t *get() const { return &attributes_; }

private:
  posix_spawnattr_t attributes_;
};

// The child's descriptors 0 to 2.
class SpawnActions {
public:
  SpawnActions(int socket, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, socket, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
  }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions &) = delete;
  SpawnActions &operator=(const SpawnActions &) = delete;
  const posix_spawn_file_actions_t *get() const { return &actions_; }

private:
  posix_spawn_file_actions_t actions_;
};

} // namespace

RtcClient::RtcClient(std::string hipLibrary, std::string helper, std::chrono::milliseconds timeout, const std::atomic<bool> *stop)
    : hipLibrary_(std::move(hipLibrary)), helper_(std::move(helper)), timeout_(timeout), stop_(stop) {}

RtcClient::~RtcClient() { stop(); }

RtcRequest RtcJob::request(const std::string &hipLibrary) const {
  return {.kind = RtcRequest::Kind::Compile,
          .hipLibrary = hipLibrary,
          .name = kernel,
          .architecture = architecture,
          .options = options,
          .headers = headers,
          .source = source};
}

std::string RtcClient::findHelper() {
  std::vector<std::string> tried;
  for (const char *place : {"ds4-rtc", "../bin/ds4-rtc", "../libexec/ds4-rtc"})
    for (const std::string &folder : foldersOfThisProgram()) {
      const std::string path = (fs::path(folder) / place).lexically_normal().string();
      if (access(path.c_str(), X_OK) == 0)
        return path;
      if (std::ranges::find(tried, path) == tried.end()) // two folders may be one
        tried.push_back(path);
    }
  environmentError("the kernel compiler's helper ds4-rtc is not there (tried {}): install it beside this program",
                   fmt::join(tried, ", "));
}

std::vector<std::byte> RtcClient::compile(const RtcJob &job) {
  const std::string what = fmt::format("kernel {}", job.kernel);
  RtcAnswer answer = ask(job.request(hipLibrary_), what);
  if (answer.status == RtcAnswer::Status::CompileError)
    throw RtcError(
        ExitCode::Internal,
        fmt::format("{} does not compile for {}: {}{}", what, job.architecture, firstError(answer.log), temporaryFolderHint()),
        answer.log);
  return std::move(answer.codeObject);
}

std::string RtcClient::identity() {
  RtcRequest request;
  request.kind = RtcRequest::Kind::Identify;
  request.hipLibrary = hipLibrary_;
  return ask(request, "identity of the kernel compiler").identity;
}

RtcAnswer RtcClient::ask(const RtcRequest &request, const std::string &what) {
  RtcAnswer answer;
  try {
    if (process_ < 0)
      start();
    if (ftruncate(errors_, 0) != 0)
      environmentError("cannot empty the errors of ds4-rtc: {}", strerror(errno));
    const Clock::time_point deadline = Clock::now() + timeout_;
    send(encode(request), deadline);
    std::array<std::byte, kRtcFrameHeaderBytes> header;
    receive(header, deadline);
    std::vector<std::byte> body(rtcBodyBytes(header));
    receive(body, deadline);
    answer = decodeAnswer(body);
  } catch (const Error &error) {
    const std::string words = lastWords();
    stop();
    if (error.code() == kInterrupted)
      throw;
    throw RtcError(
        ExitCode::Environment,
        fmt::format("{}: {}{}{}{}", what, error.what(), words.empty() ? "" : "; it said: ", oneLine(words), temporaryFolderHint()),
        words);
  }
  if (answer.status == RtcAnswer::Status::ProviderError)
    throw RtcError(ExitCode::Environment, fmt::format("{}: {}{}", what, oneLine(answer.log), temporaryFolderHint()), answer.log);
  return answer;
}

void RtcClient::start() {
  if (helper_.empty())
    helper_ = findHelper();
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    environmentError("cannot make a socket for ds4-rtc: {}", strerror(errno));
  socket_ = pair[0];
  errors_ = memfd_create("ds4-rtc-errors", MFD_CLOEXEC);
  fcntl(errors_, F_SETFL, O_APPEND); // the helper goes on at the new end when it was emptied
  const SpawnActions actions(pair[1], errors_);
  char *const arguments[] = {helper_.data(), nullptr};
  const SpawnAttributes attributes;
  const int failure = posix_spawn(&process_, helper_.c_str(), actions.get(), attributes.get(), arguments, environ);
  close(pair[1]);
  if (failure != 0) {
    process_ = -1;
    environmentError("cannot start {}: {}", helper_, strerror(failure));
  }
}

void RtcClient::stop() {
  if (socket_ >= 0)
    close(socket_);
  if (errors_ >= 0)
    close(errors_);
  socket_ = errors_ = -1;
  if (process_ >= 0)
    end();
}

// Ends the helper and what it started: its process group, which cannot be another's while the helper is not waited for.
int RtcClient::end() {
  int status = 0;
  kill(-process_, SIGKILL);
  waitpid(process_, &status, 0);
  process_ = -1;
  return status;
}

void RtcClient::waitFor(short events, Clock::time_point deadline) {
  constexpr long kLook = 50; // ms, at `stop` and at what was said
  for (;;) {
    if (stop_ && *stop_)
      throw Error(kInterrupted, "interrupted while compiling kernels");
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0)
      environmentError("ds4-rtc gave no answer within {} ms and was stopped", timeout_.count());
    if (wordsSaid() > kMostWords)
      environmentError("ds4-rtc wrote more than {} MB of errors and was stopped", kMostWords / 1'000'000);
    pollfd entry{socket_, events, 0};
    const int ready = poll(&entry, 1, static_cast<int>(std::min<long>(left, kLook)));
    if (ready > 0)
      return;
    if (ready < 0 && errno != EINTR)
      environmentError("cannot wait for ds4-rtc: {}", strerror(errno));
  }
}

void RtcClient::send(std::span<const std::byte> bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    waitFor(POLLOUT, deadline);
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0)
      bytes = bytes.subspan(static_cast<size_t>(sent));
    else if (errno == EPIPE || errno == ECONNRESET)
      environmentError("{}", causeOfDeath());
    else if (errno != EINTR && errno != EAGAIN)
      environmentError("cannot write to ds4-rtc: {}", strerror(errno));
  }
}

void RtcClient::receive(std::span<std::byte> bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    waitFor(POLLIN, deadline);
    const ssize_t got = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got > 0)
      bytes = bytes.subspan(static_cast<size_t>(got));
    else if (got == 0 || errno == ECONNRESET)
      environmentError("{}", causeOfDeath());
    else if (errno != EINTR && errno != EAGAIN)
      environmentError("cannot read from ds4-rtc: {}", strerror(errno));
  }
}

// Its end of the socket closes a moment before the process can be waited for.
std::string RtcClient::causeOfDeath() {
  for (int tries = 0; tries < 200; ++tries) {
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == process_)
      return describeStatus(end());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return "ds4-rtc closed its output before it answered";
}

off_t RtcClient::wordsSaid() const {
  struct stat state;
  return errors_ >= 0 && fstat(errors_, &state) == 0 ? state.st_size : 0;
}

// The end of what the helper wrote to stderr during this job.
std::string RtcClient::lastWords() const {
  constexpr off_t kMost = 2000;
  const off_t said = wordsSaid(), most = std::min(said, kMost);
  std::string words(static_cast<size_t>(most), '\0');
  const ssize_t got = pread(errors_, words.data(), words.size(), said - most);
  words.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return words;
}

} // namespace ds4::hip
