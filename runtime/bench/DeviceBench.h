// Time of a decode step on a real device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/Executor.h"

namespace ds4 {

// All launches of one place of the layers: "attn.out_a", whatever the block.
struct PlaceTime {
  std::string place, kernel; // kernel: the op that it implements
  int launches = 0;
  double seconds = 0;        // of all launches, by events around each, the events' own time taken off
  double weightBytes = 0;    // of the weights that they read once a token, selected experts alone
};

struct DeviceTimes {
  double copyBytesPerSecond = 0; // read plus written, of a copy between two buffers larger than the caches
  double stepSeconds = 0;        // median of whole steps, host included
  double launchSeconds = 0;      // median of steps between two events: the device alone
  double kernelSeconds = 0;      // sum over places
  double weightBytes = 0;        // a step's
  int launches = 0;
  std::vector<PlaceTime> places; // in the order of the step
};

// Steps of q tokens at position pos, `repeats` of each kind after a warm-up. The executor's state is what it was loaded with,
// its content does not matter but for the choice of rows and experts. Throws ds4::Error.
DeviceTimes measureDevice(Executor &executor, int64_t pos, int q, int repeats);

} // namespace ds4
