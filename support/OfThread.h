// A thread's own object that outlives it: destructors of static objects, which run after those of thread_local ones, may still ask.
#pragma once

namespace ds4 {

// One T a thread, made when first asked for; once the thread's own is gone, one that all late callers share and that stays.
template <typename T> T &ofThread() {
  thread_local bool isGone = false;
  struct Own {
    T value{};
    ~Own() { isGone = true; }
  };
  if (isGone) {
    static T *const late = new T();
    return *late;
  }
  thread_local Own own;
  return own.value;
}

} // namespace ds4
