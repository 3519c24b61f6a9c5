// Brings a plan's weights to the device: several threads read pieces of the files and copy them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "runtime/DeviceSlabs.h"
#include "runtime/Weights.h"
#include "runtime/plan/Plan.h"
#include "support/Interrupted.h"

namespace ds4 {

struct WeightLoadOptions {
  unsigned threads = 0;                                              // 0: one a core, 8 at most
  const std::atomic<bool> *stop = nullptr;                           // loading ends soon after it becomes true
  std::function<void(std::string_view what, double share)> progress; // never from two threads at once
};

struct WeightLoadReport {
  uint64_t bytes = 0;
  double seconds = 0;
};

// `slabs` has a piece for each of `weights`, in order. Throws what the source and the device throw, and ds4::Error with kInterrupted.
WeightLoadReport loadWeights(const hip::Provider &provider, std::span<const PlanWeight> weights, WeightSource &source,
                             const DeviceSlabs &slabs, const WeightLoadOptions &options);

} // namespace ds4
