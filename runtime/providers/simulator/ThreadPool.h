// Threads that live as long as the process and help with launches. Small launches must not wait for a thread to wake up:
// the caller starts at once, and a helper that comes too late finds the job closed and is not waited for.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ds4::sim {

class ThreadPool {
public:
  static ThreadPool &instance();
  // Runs body on the caller and on up to threads - 1 helpers at once; returns when all that began have finished. The body
  // must not throw, and must return soon once the work is gone. A second caller meanwhile works alone.
  void run(unsigned threads, const std::function<void()> &body);

private:
  ThreadPool() = default;
  ~ThreadPool();
  void help();

  std::mutex exclusive_;
  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  const std::function<void()> *job_ = nullptr;
  unsigned wanted_ = 0, active_ = 0;
  bool quit_ = false;
  std::vector<std::thread> threads_;
};

} // namespace ds4::sim
