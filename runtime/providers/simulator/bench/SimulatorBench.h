// How fast the simulator is on this machine: product kernels of the compiler on one and on two threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ds4 {

struct SimulatorSpeed {
  std::string kernel;
  uint64_t instructions = 0;   // wave instructions of one run
  double cpuSeconds = 0;       // of the calling thread, one thread, best of several runs
  double oneThreadSeconds = 0; // wall clock, best of several runs
  double twoThreadSeconds = 0;
  double oneCoreRate() const { return double(instructions) / cpuSeconds; } // wave instructions a second
  double speedup() const { return oneThreadSeconds / twoThreadSeconds; }
};

// Compiles and runs a Q8_0 product, an F16 product and a norm; takes a few seconds. Throws ds4::Error.
std::vector<SimulatorSpeed> measureSimulator();

// Mean wall-clock seconds of a launch that has next to nothing to do.
double measureLaunchOverhead();

} // namespace ds4
