#include "runtime/providers/simulator/LdsShadow.h"

#include "runtime/providers/simulator/Fault.h"

namespace ds4::sim {

void LdsShadow::start(uint32_t bytes, bool races, bool unwritten) {
  races_ = races;
  unwritten_ = unwritten;
  epoch_++;
  if (races && bytes_.size() < bytes)
    bytes_.resize(bytes);
  if (unwritten)
    written_.assign(bytes, false);
}

void LdsShadow::access(Wave &wave, uint32_t offset, uint32_t bytes, uint32_t lane, Access access) {
  const uint32_t self = 1u << wave.id;
  for (uint32_t at = offset; at < offset + bytes; at++) {
    if (races_) {
      Byte &byte = bytes_[at];
      if (byte.epoch != epoch_)
        byte = {epoch_, 0, 0, 0};
      uint32_t conflicting = byte.writers;
      if (access != Access::Atomic)
        conflicting |= byte.atomics;
      if (access != Access::Load)
        conflicting |= byte.readers;
      if (conflicting & ~self)
        raiseFault(wave, FaultKind::LdsRace, lane, at,
                   access == Access::Load ? "this wave reads what another wave wrote since the last barrier"
                                          : "this wave writes what another wave read or wrote since the last barrier");
      (access == Access::Load ? byte.readers : access == Access::Store ? byte.writers : byte.atomics) |= self;
    }
    if (unwritten_) {
      if (access != Access::Store && !written_[at])
        raiseFault(wave, FaultKind::UninitialisedRead, lane, at, "LDS that no wave of the workgroup has written");
      written_[at] = true;
    }
  }
}

void observedLds(Wave &wave, uint32_t offset, uint32_t bytes, uint32_t lane, Access access) {
  wave.group->shadow->access(wave, offset, bytes, lane, access);
}

} // namespace ds4::sim
