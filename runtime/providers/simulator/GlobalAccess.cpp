#include "runtime/providers/simulator/Fault.h"
#include "runtime/providers/simulator/LineCounter.h"
#include "runtime/providers/simulator/MemoryState.h"
#include "runtime/providers/simulator/WeakMemory.h"
#include "runtime/providers/simulator/Worker.h"

#include <algorithm>
#include <cstring>

namespace ds4::sim {

namespace {

const Range *search(const Worker &worker, uint64_t address, uint64_t bytes) {
  const Range *end = worker.ranges + worker.launch->rangeCount;
  const Range *at = std::upper_bound(worker.ranges, end, address, [](uint64_t a, const Range &range) { return a < range.begin; });
  return at != worker.ranges && (at - 1)->contains(address, bytes) ? at - 1 : nullptr;
}

void checkWritten(Wave &wave, const Range &range, uint64_t address, uint32_t bytes, uint32_t lane) {
  if (range.initialised && !range.initialised->all(address, bytes))
    raiseFault(wave, FaultKind::UninitialisedRead, lane, address, "device memory that nothing has written, a load", bytes);
}

void observe(Wave &wave, const Range &range, uint64_t address, uint32_t bytes, uint32_t lane, Access access) {
  Worker &worker = *wave.worker;
  if (worker.lines)
    worker.lines->touch(address, bytes, size_t(&range - worker.ranges), access);
  if (access != Access::Store)
    checkWritten(wave, range, address, bytes, lane);
  else if (range.initialised)
    range.initialised->mark(address, bytes);
}

} // namespace

const Range &findRange(Wave &wave, const Instruction &in, uint64_t address, uint32_t bytes, uint32_t lane) {
  const Range *range = search(*wave.worker, address, bytes);
  if (!range)
    raiseFault(wave, FaultKind::GlobalOutOfBounds, lane, address, "an access outside of every allocation", bytes);
  wave.worker->rangeHint[in.index] = uint32_t(range - wave.worker->ranges);
  return *range;
}

bool inOneRange(Wave &wave, const Instruction &in, uint64_t address, uint64_t bytes) {
  const Range *range = search(*wave.worker, address, bytes);
  if (range)
    wave.worker->rangeHint[in.index] = uint32_t(range - wave.worker->ranges);
  return range != nullptr;
}

void observedLoad(Wave &wave, const Instruction &in, uint64_t address, uint32_t bytes, uint32_t lane, bool coherent, void *to) {
  observe(wave, findRange(wave, in, address, bytes, lane), address, bytes, lane, Access::Load);
  if (WeakMemory *weak = wave.worker->weak)
    weak->load(wave, address, bytes, coherent, to);
  else
    std::memcpy(to, reinterpret_cast<const void *>(address), bytes);
}

void observedStore(Wave &wave, const Instruction &in, uint64_t address, uint32_t bytes, uint32_t lane, const void *from) {
  observe(wave, findRange(wave, in, address, bytes, lane), address, bytes, lane, Access::Store);
  if (WeakMemory *weak = wave.worker->weak)
    weak->store(wave, address, bytes, from);
  else
    std::memcpy(reinterpret_cast<void *>(address), from, bytes);
}

void observedScalarLoad(Wave &wave, const Instruction &in, uint64_t address, uint32_t bytes, void *to) {
  observe(wave, findRange(wave, in, address, bytes, 0), address, bytes, 0, Access::Scalar);
  if (WeakMemory *weak = wave.worker->weak)
    weak->scalarLoad(wave, address, bytes, to);
  else
    std::memcpy(to, reinterpret_cast<const void *>(address), bytes);
}

void observedAtomic(Wave &wave, const Instruction &in, uint64_t address, uint32_t bytes, uint32_t lane) {
  observe(wave, findRange(wave, in, address, bytes, lane), address, bytes, lane, Access::Atomic);
  if (WeakMemory *weak = wave.worker->weak)
    weak->atomic(wave, address, bytes);
}

void observedInstructionEnd(Wave &wave) {
  if (LineCounter *lines = wave.worker->lines)
    lines->instructionEnd();
}

void observedStoreEnd(Wave &wave) {
  observedInstructionEnd(wave);
  if (WeakMemory *weak = wave.worker->weak)
    weak->storeEnd(wave);
}

} // namespace ds4::sim
