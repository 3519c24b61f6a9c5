// State of one running wave and of what it belongs to: its workgroup, its worker thread and its launch.
//
// Vector registers follow the Wave header in the same allocation (see Wave::bytes), so that a kernel with 24 VGPRs costs
// 3 KiB a wave and not 32. Scalar registers are a flat array indexed by their encoding; SCC sits behind EXEC_HI so that
// src_scc is an ordinary scalar operand. `null` reads 0: writers go through setScalar.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ds4::sim {

struct Instruction;
struct LaunchState;
struct Workgroup;
struct Worker;
class LdsShadow;
class Validity;

constexpr int kLanes = 32;

// Encodings of scalar registers. gfx11 has 106 SGPRs, then VCC, the trap registers, null, M0 and EXEC.
enum ScalarRegister : uint16_t {
  kVcc = 106,
  kTrapTemp = 108,
  kNull = 124,
  kM0 = 125,
  kExec = 126,
  kScc = 128,
  kScalarRegisters = 130
};

enum class WaveState : uint8_t { Running, AtBarrier, Ended };

// Values of the flat address apertures, as src_shared_base and src_private_base return them (high word of an address).
constexpr uint32_t kSharedAperture = 0x10000, kPrivateAperture = 0x20000;

struct alignas(64) Wave {
  uint32_t staging[8][kLanes]; // broadcast scalars and modified operands of the instruction under way
  uint32_t s[kScalarRegisters];
  const Instruction *next; // the instruction to run next; the running one is next - 1 unless it branched
  int64_t budget;          // instructions left before the scheduler takes over; stop() ends it early
  int64_t unused;          // what stop() left of the budget
  Workgroup *group;
  Worker *worker;
  std::byte *scratch; // kLanes slices of scratchBytes
  Validity *validity; // null unless reads of unwritten registers are looked for
  uint64_t executed;
  uint64_t acquiredAt;   // adversarial memory: time of the last buffer_gl0_inv
  uint32_t scratchBytes; // of one lane
  uint32_t id;           // in the workgroup
  uint32_t mode;         // MODE bits 0..7: rounding and denormals of f32, of f64 and f16
  uint32_t vgprs;
  WaveState state;

  uint32_t *vgpr(unsigned index) { return reinterpret_cast<uint32_t *>(this + 1) + index * kLanes; }
  const uint32_t *vgpr(unsigned index) const { return reinterpret_cast<const uint32_t *>(this + 1) + index * kLanes; }
  uint32_t exec() const { return s[kExec]; }
  uint32_t scc() const { return s[kScc]; }
  void setScc(bool value) { s[kScc] = value; }
  uint64_t scalar64(unsigned index) const { return index == kNull ? 0 : s[index] | uint64_t(s[index + 1]) << 32; }
  void setScalar(unsigned index, uint32_t value) {
    s[index] = value;
    s[kNull] = 0;
  }
  void setScalar64(unsigned index, uint64_t value) {
    if (index == kNull)
      return;
    s[index] = uint32_t(value);
    s[index + 1] = uint32_t(value >> 32);
  }
  // Ends the burst: the wave waits at a barrier or is over.
  void stop(WaveState why) {
    state = why;
    unused = budget;
    budget = 0;
  }
  static size_t bytes(uint32_t vgprs) { return sizeof(Wave) + size_t(vgprs) * kLanes * 4; }
};

// LDS and barrier state of one workgroup. Its waves run on one thread at a time, so LDS needs no atomics.
struct Workgroup {
  std::byte *lds = nullptr;
  uint32_t ldsBytes = 0;
  uint32_t index = 0; // linear, in launch order
  std::array<uint32_t, 3> id{};
  uint64_t acquiredAt = 0;     // adversarial memory: time of the last buffer_gl1_inv of any of its waves
  LdsShadow *shadow = nullptr; // null unless races or unwritten LDS are looked for
};

} // namespace ds4::sim
