// Adversarial global memory for the interleaved schedule: as late as the memory model allows.
//
// A plain store leaves its wave at the wave's next s_waitcnt_vscnt 0, at its end, or by chance. A vector load sees memory
// as of the wave's last buffer_gl0_inv (stores of its own workgroup) and of the last buffer_gl1_inv of its workgroup too
// (stores of other workgroups); its own stores always. A scalar load sees memory as of the launch. Atomics, and loads
// that bypass the caches (glc), act on the latest values.
#pragma once

#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

#include "runtime/providers/simulator/Wave.h"

namespace ds4::sim {

class WeakMemory {
public:
  explicit WeakMemory(uint64_t seed) : random_(seed) {}
  void load(Wave &wave, uint64_t address, uint32_t bytes, bool coherent, void *to);
  void scalarLoad(Wave &wave, uint64_t address, uint32_t bytes, void *to);
  void store(Wave &wave, uint64_t address, uint32_t bytes, const void *from);
  void storeEnd(Wave &wave);
  void atomic(Wave &wave, uint64_t address, uint32_t bytes);
  void drain(Wave &wave);
  void invalidateL0(Wave &wave) { wave.acquiredAt = ++now_; }
  void invalidateL1(Wave &wave) { wave.group->acquiredAt = ++now_; }

private:
  struct Change { // of one aligned word
    uint64_t time;
    const Wave *wave;
    const Workgroup *group;
    uint32_t before;
  };
  struct Pending {
    uint64_t address;
    uint32_t bytes;
    uint8_t data[16];
  };
  enum class Path { Vector, Scalar };
  void record(const Wave &wave, uint64_t address, uint32_t bytes);
  uint32_t seen(const Wave &wave, uint64_t word, Path path) const;
  void read(const Wave &wave, uint64_t address, uint32_t bytes, Path path, void *to) const;
  bool pendingOverlaps(const Wave &wave, uint64_t address, uint32_t bytes);

  std::unordered_map<uint64_t, std::vector<Change>> changes_;
  std::unordered_map<const Wave *, std::vector<Pending>> pending_;
  uint64_t now_ = 1;
  std::mt19937_64 random_;
};

} // namespace ds4::sim
