// 64-byte lines of global memory: how many each wave instruction asks for, and how many different ones a launch touches.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/providers/simulator/LaunchContext.h"

namespace ds4::sim {

class LineCounter {
public:
  void start(const LaunchContext &context);
  void touch(uint64_t address, uint32_t bytes, size_t range, Access access);
  void instructionEnd(); // counts the different lines touched since the last call
  void addTo(LaunchContext &context);

private:
  std::vector<uint64_t> firstLine_; // by range
  std::vector<LineSets> sets_;      // by range
  std::vector<uint64_t> instructionLines_;
  uint64_t requested_ = 0;
};

} // namespace ds4::sim
