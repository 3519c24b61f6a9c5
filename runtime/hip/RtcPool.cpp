#include "runtime/hip/RtcPool.h"

#include <algorithm>
#include <thread>

#include "runtime/hip/FailedJob.h"
#include "support/HostMemory.h"
#include "support/Parallel.h"

namespace ds4::hip {

RtcPool::RtcPool(std::string hipLibrary, RtcPoolOptions options)
    : hipLibrary_(std::move(hipLibrary)), options_(std::move(options)) {}

unsigned RtcPool::jobsFor(unsigned cores, uint64_t availableBytes) {
  constexpr uint64_t kHelperBytes = uint64_t(512) << 20;
  return static_cast<unsigned>(std::clamp<uint64_t>(availableBytes / kHelperBytes, 1, std::max(cores, 1u)));
}

std::unique_ptr<RtcClient> RtcPool::take() {
  std::lock_guard lock(mutex_);
  if (idle_.empty())
    return std::make_unique<RtcClient>(hipLibrary_, options_.helper, options_.timeout, options_.stop);
  auto client = std::move(idle_.back());
  idle_.pop_back();
  return client;
}

void RtcPool::give(std::unique_ptr<RtcClient> client) {
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(client));
}

std::string RtcPool::identity() {
  auto client = take();
  std::string identity = client->identity();
  give(std::move(client));
  return identity;
}

void RtcPool::compile(std::span<const RtcJob> jobs, const Done &done) {
  compile(jobs.size(), [&](size_t i) { return jobs[i]; }, done);
}

void RtcPool::compile(size_t count, const std::function<RtcJob(size_t)> &jobOf, const Done &done) {
  std::mutex doneMutex;
  const unsigned sideBySide = options_.jobs ? options_.jobs : jobsFor(std::thread::hardware_concurrency(), availableHostBytes());
  parallelFor(count, sideBySide, [&](size_t i) {
    const RtcJob job = jobOf(i);
    auto client = take();
    std::vector<std::byte> code;
    try {
      code = client->compile(job);
    } catch (const RtcError &error) {
      fail(job, error);
    }
    give(std::move(client));
    std::lock_guard lock(doneMutex);
    done(i, std::move(code));
  });
}

void RtcPool::fail(const RtcJob &job, const RtcError &error) const {
  std::string log;
  if (!options_.dumpFailed.empty()) {
    dumpJob(options_.dumpFailed, job.request(hipLibrary_), options_.helper.empty() ? RtcClient::findHelper() : options_.helper);
    log = writeJobLog(options_.dumpFailed, job.kernel, error.log());
  } else if (!options_.logFolder.empty()) {
    log = writeJobLog(options_.logFolder, job.kernel, error.log());
  }
  throw RtcError(error.code(), log.empty() ? error.what() : fmt::format("{} (log: {})", error.what(), log), error.log());
}

} // namespace ds4::hip
