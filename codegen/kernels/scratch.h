// Scratch: memory of a step that belongs to no tensor, for kernels whose workgroups hand results over to each other.
//
// It begins with counters, words that are 0 between launches: the executor clears them when it loads and after a step
// that failed, a kernel leaves them as it found them. What follows the counters is undefined when a launch starts.
// Launches of a step run one after another, so one scratch serves them all. Shared by host and device.
#pragma once

namespace ds4 {

inline constexpr int kScratchCounters = 64;
inline constexpr int kScratchCounterBytes = 4 * kScratchCounters;

} // namespace ds4
