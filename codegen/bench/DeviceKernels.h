// Times of single kernels of real size on a real device.
//
// Each is launched back to back in one stream, between two events, over copies of its weights that rotate through more memory
// than any cache holds (kRotated); what is read besides stays in the caches, as it would in a step. So the time includes
// whatever of a launch the device cannot hide behind the kernel before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/hip/Provider.h"

namespace ds4 {

struct KernelTime {
  std::string name; // "rocmfp4_fast 4096 x 32768"
  int tokens = 1, launches = 1;
  double megabytes = 0;        // of weights and rows that have to be read once
  double microseconds = 0;     // of all launches together: the median of the runs
  std::optional<double> limit; // microseconds on an NVIDIA H200
  std::string failure;         // what the device or its compiler said; then there is no time
};

inline constexpr size_t kRotated = size_t(512) << 20; // bytes

// All kernels, or those whose name contains `wanted`; `runs` measurements of each after a first that warms up. Throws ds4::Error
// (Environment) when the device or its compiler fail as a whole; one kernel that fails is a line with a failure.
std::vector<KernelTime> measureKernels(const hip::Provider &provider, const std::string &wanted, int runs);

} // namespace ds4
