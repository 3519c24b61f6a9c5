#include "runtime/providers/simulator/ThreadPool.h"

namespace ds4::sim {

ThreadPool &ThreadPool::instance() {
  static ThreadPool pool;
  return pool;
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

void ThreadPool::help() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return quit_ || (job_ && wanted_); });
    if (quit_)
      return;
    const std::function<void()> *job = job_;
    wanted_--;
    active_++;
    lock.unlock();
    (*job)();
    lock.lock();
    if (--active_ == 0)
      idle_.notify_all();
  }
}

void ThreadPool::run(unsigned threads, const std::function<void()> &body) {
  std::unique_lock exclusive(exclusive_, std::try_to_lock);
  if (!exclusive || threads < 2) {
    body();
    return;
  }
  {
    std::lock_guard lock(mutex_);
    while (threads_.size() < threads - 1)
      threads_.emplace_back([this] { help(); });
    job_ = &body;
    wanted_ = threads - 1;
  }
  wake_.notify_all();
  body();
  std::unique_lock lock(mutex_);
  job_ = nullptr;
  wanted_ = 0;
  idle_.wait(lock, [this] { return active_ == 0; });
}

} // namespace ds4::sim
