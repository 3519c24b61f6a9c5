// What this process holds, for tests that nothing grows.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

namespace ds4::test {

inline size_t openFiles() {
  using std::filesystem::directory_iterator;
  return static_cast<size_t>(std::distance(directory_iterator("/proc/self/fd"), directory_iterator()));
}

inline size_t residentKilobytes() {
  size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

// The most that was resident at any time.
inline size_t peakKilobytes() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return static_cast<size_t>(use.ru_maxrss);
}

// Sanitizers keep freed memory, which then says nothing.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kMemoryIsGivenBack = false;
#else
inline constexpr bool kMemoryIsGivenBack = true;
#endif
#else
inline constexpr bool kMemoryIsGivenBack = true;
#endif

} // namespace ds4::test
