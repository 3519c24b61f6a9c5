// What the handlers see of the launch: valid memory, counters, and the observers that tests switch on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/providers/simulator/Machine.h"
#include "runtime/providers/simulator/Wave.h"

namespace ds4::sim {

class LineCounter;
class Program;
class WeakMemory;
struct Kernel;
struct InitialisedBytes;

// One valid address range.
struct Range {
  uint64_t begin = 0, size = 0;
  InitialisedBytes *initialised = nullptr; // null where that is not tracked
  bool contains(uint64_t address, uint64_t bytes) const { return bytes <= size && address - begin <= size - bytes; }
};

// The part of a launch that its threads share. Ranges are sorted and hold the argument segment and the image too.
struct LaunchState {
  const Options *options = nullptr;
  const Kernel *kernel = nullptr;
  const Program *program = nullptr;
  std::byte *image = nullptr;
  const Range *ranges = nullptr;
  uint32_t rangeCount = 0;
};

// One thread's part. `observed` sends every global access through the functions below instead of the fast path.
struct Worker {
  const LaunchState *launch = nullptr;
  const Range *ranges = nullptr; // launch->ranges
  uint32_t *rangeHint = nullptr; // by instruction index: the range it hit last
  uint64_t *executed = nullptr;  // by instruction index
  uint64_t bytesLoaded = 0, bytesStored = 0, scalarBytes = 0;
  uint64_t memoryChanges = 0; // global stores, and atomics that wrote another value than was there
  LineCounter *lines = nullptr;
  WeakMemory *weak = nullptr;
  bool observed = false;
};

enum class Access : uint8_t { Load, Store, Atomic, Scalar };

// The range of an access, found by search; updates the instruction's hint. Raises GlobalOutOfBounds.
const Range &findRange(Wave &wave, const Instruction &in, uint64_t address, uint32_t bytes, uint32_t lane);

// Whether one range holds [address, address + bytes), and makes it the instruction's hint.
bool inOneRange(Wave &wave, const Instruction &in, uint64_t address, uint64_t bytes);

// Global accesses under observation: bounds, lines, unwritten memory, delayed visibility. `coherent` loads bypass the caches.
void observedLoad(Wave &wave, const Instruction &in, uint64_t address, uint32_t bytes, uint32_t lane, bool coherent, void *to);
void observedStore(Wave &wave, const Instruction &in, uint64_t address, uint32_t bytes, uint32_t lane, const void *from);
void observedScalarLoad(Wave &wave, const Instruction &in, uint64_t address, uint32_t bytes, void *to);
void observedAtomic(Wave &wave, const Instruction &in, uint64_t address, uint32_t bytes, uint32_t lane);
void observedInstructionEnd(Wave &wave); // after the last lane of a vector access
void observedStoreEnd(Wave &wave);

// Synchronisation that only the adversarial memory heeds.
void waitForStores(Wave &wave);
void invalidateL0(Wave &wave);
void invalidateL1(Wave &wave);

// Device addresses of instructions, and back; instructionAt raises UnknownInstruction outside of the decoded functions.
uint64_t addressOf(const Wave &wave, const Instruction *instruction);
const Instruction *instructionAt(const Wave &wave, uint64_t address);

// LDS under observation: races and unwritten bytes.
void observedLds(Wave &wave, uint32_t offset, uint32_t bytes, uint32_t lane, Access access);

} // namespace ds4::sim
