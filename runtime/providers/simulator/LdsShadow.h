// Who touched each byte of a workgroup's LDS since the last barrier, and which bytes were ever written.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/providers/simulator/Worker.h"

namespace ds4::sim {

class LdsShadow {
public:
  void start(uint32_t bytes, bool races, bool unwritten);
  void barrier() { epoch_++; }
  // Raises LdsRace when another wave touched a byte since the last barrier and one of the two wrote it (two atomics are
  // no race), UninitialisedRead when a load finds a byte that no wave wrote.
  void access(Wave &wave, uint32_t offset, uint32_t bytes, uint32_t lane, Access access);

private:
  struct Byte {
    uint32_t epoch = 0;
    uint32_t readers = 0, writers = 0, atomics = 0; // one bit for each wave of the workgroup
  };
  std::vector<Byte> bytes_;
  std::vector<bool> written_;
  uint32_t epoch_ = 0;
  bool races_ = false, unwritten_ = false;
};

} // namespace ds4::sim
