// Which lanes of which registers hold values that the kernel computed from written data.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/providers/simulator/Instruction.h"

namespace ds4::sim {

class Validity {
public:
  void start(uint32_t vgprs);
  void setInputs(const Wave &wave);
  void run(Wave &wave, const Instruction &in);

private:
  std::vector<uint32_t> vector_; // one bit a lane
  std::vector<bool> scalar_;
};

} // namespace ds4::sim
