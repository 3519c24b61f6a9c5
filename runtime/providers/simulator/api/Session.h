// What the entry points share: the device's memory, options and counters of the process, and errors of each thread.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "runtime/hip/HipApi.h"
#include "runtime/providers/simulator/Machine.h"
#include "runtime/providers/simulator/api/DeviceHeap.h"

namespace ds4::sim {

// A failed HIP call: its result and, for ds4simLastFault, the reason in words.
struct Refusal {
  hip::Result result;
  std::string reason;
};

class Session {
public:
  static Session &instance();

  DeviceHeap heap;

  Options options() const;
  bool setOption(std::string_view name, std::string_view value); // ds4simSetOption's names; false when not known
  void count(const Counters &launch);
  Ds4SimCounters lastLaunch() const;
  Ds4SimCounters totals() const;
  void resetCounters();

private:
  mutable std::mutex mutex_;
  Options options_;
  Ds4SimCounters last_{}, totals_{};
};

// Errors of the calling thread, as hipGetLastError and ds4simLastFault see them.
struct ThreadErrors {
  hip::Result last = hip::kSuccess;
  std::string reason;
  static ThreadErrors &instance();
};

// The body of an entry point: no exception passes, and a failure is remembered for hipGetLastError.
hip::Result remember(hip::Result result, std::string reason);
hip::Result rememberException();
template <typename Body> hip::Result entry(Body body) {
  try {
    body();
    return hip::kSuccess;
  } catch (...) {
    return rememberException();
  }
}

} // namespace ds4::sim
