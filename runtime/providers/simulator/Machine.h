// The gfx1151 simulator as C++ sees it: load a code object, launch a kernel, get counters or a fault.
//
// Functional, instruction by instruction, wave32. The HIP entry points of libds4sim.so are a thin layer over this.
// Device memory is host memory: a device pointer is the host address, and every access is checked against Memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ds4::sim {

enum class WaveOrder { Ascending, Descending, Random };

// Sequential: workgroups one after another on each thread, waves run to barrier or end, preempted every
// `preemptAfter` instructions so that spinning waves make progress. Interleaved: all workgroups of the launch
// resident on one thread, bursts of random waves (seeded): proves hand-overs between workgroups.
enum class Schedule { Sequential, Interleaved };

struct Options {
  unsigned threads = 2;               // over workgroups (Sequential only)
  WaveOrder order = WaveOrder::Ascending;
  Schedule schedule = Schedule::Sequential;
  bool adversarialMemory = false;     // Interleaved only: stores become visible to other workgroups through release and acquire alone
  bool detectRaces = false;           // LDS: two waves, one of them writing, without a barrier between
  bool detectUninitialised = false;   // reads of registers, LDS or fresh device memory that nothing wrote
  uint64_t seed = 1;
  uint64_t preemptAfter = 100'000;
  uint64_t instructionLimit = 0;      // wave instructions of a launch before a Timeout fault; 0 = none
  bool countLines = false;            // distinct and requested 64-byte lines (slower)
  bool forceAvx2 = false;             // take the AVX2 handlers on an AVX-512 machine
};

enum class FaultKind { GlobalOutOfBounds, LdsOutOfBounds, ScratchOutOfBounds, LdsRace, UninitialisedRead, Misaligned,
                       UnknownInstruction, Deadlock, Timeout, Trap };

// Thrown by Machine::launch; device memory keeps what was written before.
struct Fault : std::runtime_error {
  FaultKind kind;
  std::string kernel;
  std::string instruction; // as the disassembler prints it
  uint64_t pc = 0;         // byte offset in the kernel
  std::array<uint32_t, 3> workgroup{};
  uint32_t wave = 0, lane = 0;
  uint64_t address = 0;
  explicit Fault(FaultKind kind, std::string what) : std::runtime_error(std::move(what)), kind(kind) {}
};

// Executed wave instructions by class, and memory traffic. `waits` are s_waitcnt, s_delay_alu, s_clause, s_nop and kin.
struct Counters {
  uint64_t instructions = 0; // all, waits included
  uint64_t valu = 0, vopd = 0, transcendental = 0, dot = 0, wmma = 0, salu = 0, smem = 0;
  uint64_t vmemLoads = 0, vmemStores = 0, vmemAtomics = 0, scratch = 0, lds = 0, branches = 0, waits = 0, barriers = 0, other = 0;
  uint64_t bytesLoaded = 0, bytesStored = 0, scalarBytes = 0;             // global memory, sums over lanes
  uint64_t linesRequested = 0, linesLoaded = 0, linesStored = 0;          // 64-byte lines: summed per instruction; distinct in the launch
  uint64_t longestWave = 0;  // instructions of the longest wave
  uint64_t waves = 0, workgroups = 0;
  void add(const Counters &other);
};

struct KernelInfo {
  std::string name;
  uint64_t entry = 0;          // offset of the first instruction in the loaded image
  uint32_t kernargBytes = 0, ldsBytes = 0, scratchBytesPerLane = 0, vgprs = 0, sgprs = 0, maxWorkgroup = 1024;
};

// A loaded gfx1151 (or gfx1100) code object: image with relocations applied, kernels by name, instructions decoded
// lazily, kernel by kernel. Immutable for users; safe to launch from several threads.
class CodeObject {
public:
  // Throws std::runtime_error with one line on anything that is not an AMDGPU code object of a known architecture.
  static std::shared_ptr<CodeObject> load(std::span<const std::byte> elf);
  virtual ~CodeObject() = default;
  virtual const KernelInfo *find(std::string_view name) const = 0;
  virtual std::vector<const KernelInfo *> kernels() const = 0;
  virtual std::span<std::byte> global(std::string_view name) = 0; // device variables; empty when unknown
};

// The valid device address ranges. Thread-safe; launches see a snapshot taken when they start.
class Memory {
public:
  void add(void *base, size_t bytes);
  void remove(void *base);
  bool contains(const void *at, size_t bytes) const;
  void markInitialised(const void *at, size_t bytes); // host-side writes (copies, memset)
  Memory();
  ~Memory();
  struct State;
  State &state() const { return *state_; }

private:
  std::unique_ptr<State> state_;
};

struct Launch {
  std::shared_ptr<CodeObject> object;
  const KernelInfo *kernel = nullptr;
  std::array<uint32_t, 3> grid{1, 1, 1};  // workgroups
  std::array<uint32_t, 3> block{32, 1, 1}; // work-items of a workgroup
  std::span<const std::byte> arguments;   // explicit kernel arguments, packed by their alignment
  uint32_t dynamicLds = 0;
};

// Runs one launch to its end. Throws Fault.
Counters run(const Launch &launch, Memory &memory, const Options &options);

} // namespace ds4::sim
