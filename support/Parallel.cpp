#include "support/Parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ds4 {

void parallelFor(size_t count, unsigned jobs, const std::function<void(size_t)> &body) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (size_t i = next++; i < count; i = next++)
        body(i);
    } catch (...) {
      next = count;
      std::lock_guard lock(mutex);
      if (!failure)
        failure = std::current_exception();
    }
  };
  if (jobs == 0)
    jobs = std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> helpers;
    for (size_t i = 1; i < std::min<size_t>(jobs, count); ++i)
      helpers.emplace_back(work);
    work();
  }
  if (failure)
    std::rethrow_exception(failure);
}

} // namespace ds4
