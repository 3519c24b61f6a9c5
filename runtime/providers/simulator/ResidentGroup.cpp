#include "runtime/providers/simulator/ResidentGroup.h"

#include "runtime/providers/simulator/Fault.h"
#include "runtime/providers/simulator/FloatMode.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>

#include <llvm/Support/AMDHSAKernelDescriptor.h>

namespace ds4::sim {

namespace {

constexpr size_t kLdsPadding = 16; // vectorised handlers may read, not use, a few bytes behind the end

} // namespace

void ResidentGroup::Free::operator()(std::byte *p) const { std::free(p); }

void ResidentGroup::start(const LaunchContext &context, Worker &worker, uint32_t index) {
  const Options &options = *context.options;
  waveBytes_ = Wave::bytes(context.program->vgprs());
  waveCount_ = live_ = context.wavesPerGroup;
  if (const size_t wanted = waveBytes_ * waveCount_; wanted > waveCapacity_) {
    waves_.reset(static_cast<std::byte *>(std::aligned_alloc(alignof(Wave), wanted)));
    if (!waves_)
      throw std::bad_alloc();
    std::memset(waves_.get(), 0, wanted);
    waveCapacity_ = wanted;
  }
  if (lds_.size() < context.ldsBytes + kLdsPadding)
    lds_.resize(context.ldsBytes + kLdsPadding);
  const size_t scratchPerWave = size_t(context.kernel->scratchBytesPerLane) * kLanes;
  if (scratch_.size() < scratchPerWave * waveCount_)
    scratch_.resize(scratchPerWave * waveCount_);

  group_ = {};
  group_.lds = lds_.data();
  group_.ldsBytes = context.ldsBytes;
  group_.index = index;
  group_.id = {index % context.grid[0], index / context.grid[0] % context.grid[1], index / context.grid[0] / context.grid[1]};
  if (options.detectRaces || options.detectUninitialised) {
    shadow_.start(context.ldsBytes, options.detectRaces, options.detectUninitialised);
    group_.shadow = &shadow_;
  }
  if (options.detectUninitialised)
    validity_.resize(waveCount_);
  for (uint32_t k = 0; k < waveCount_; k++)
    startWave(context, worker, k);
  order_.resize(waveCount_);
  std::iota(order_.begin(), order_.end(), 0u);
  if (options.order == WaveOrder::Descending)
    std::reverse(order_.begin(), order_.end());
  nextQuantum = int64_t(std::max<uint64_t>(options.preemptAfter, 1));
}

void ResidentGroup::startWave(const LaunchContext &context, Worker &worker, uint32_t index) {
  Wave &wave = this->wave(index);
  wave.next = context.program->entry();
  wave.group = &group_;
  wave.worker = &worker;
  wave.id = index;
  wave.state = WaveState::Running;
  wave.executed = 0;
  wave.acquiredAt = 0;
  wave.mode = context.kernel->mode;
  wave.vgprs = context.program->vgprs();
  wave.scratchBytes = context.kernel->scratchBytesPerLane;
  wave.scratch = scratch_.data() + size_t(wave.scratchBytes) * kLanes * index;
  wave.validity = nullptr;

  const uint32_t items = std::min<uint32_t>(kLanes, context.workItems - index * kLanes);
  const uint32_t scalarInputs = setScalarInputs(context, wave);
  wave.s[kExec] = items == kLanes ? ~0u : (1u << items) - 1;
  wave.s[kExec + 1] = wave.s[kVcc] = wave.s[kVcc + 1] = wave.s[kNull] = wave.s[kScc] = 0;
  uint32_t *ids = wave.vgpr(0); // x, y and z in 10 bits each
  const auto [x, y, z] = context.block;
  for (uint32_t l = 0; l < kLanes; l++) {
    const uint32_t item = index * kLanes + l;
    ids[l] = y * z == 1 ? item : (item % x) | (item / x % y) << 10 | (item / (x * y)) << 20;
  }
  if (context.options->detectUninitialised) {
    validity_[index].start(wave, scalarInputs);
    wave.validity = &validity_[index];
  }
}

// User SGPRs in the order of the code-object ABI, then the workgroup ids that the kernel asks for.
uint32_t ResidentGroup::setScalarInputs(const LaunchContext &context, Wave &wave) const {
  namespace hsa = llvm::amdhsa;
  const uint32_t properties = context.kernel->codeProperties, resource = context.kernel->programResource2;
  uint32_t at = 0;
  const auto push64 = [&](uint64_t value) {
    wave.s[at++] = uint32_t(value);
    wave.s[at++] = uint32_t(value >> 32);
  };
  if (properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER) {
    push64(0);
    push64(0);
  }
  if (properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR)
    push64(context.packet);
  if (properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR)
    push64(0);
  if (properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR)
    push64(context.arguments);
  if (properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID)
    push64(0);
  if (properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT)
    push64(0);
  if (properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE)
    wave.s[at++] = context.kernel->scratchBytesPerLane;
  at = (resource & hsa::COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT) >> hsa::COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT_SHIFT;
  if (resource & hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X)
    wave.s[at++] = group_.id[0];
  if (resource & hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y)
    wave.s[at++] = group_.id[1];
  if (resource & hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z)
    wave.s[at++] = group_.id[2];
  if (resource & hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO)
    wave.s[at++] = 0;
  return at;
}

void ResidentGroup::burst(LaunchContext &context, Wave &wave, int64_t instructions) {
  uint64_t *executed = wave.worker->executed;
  _mm_setcsr(mxcsrOf(wave.mode));
  wave.budget = instructions;
  if (wave.validity) {
    do {
      const Instruction &in = *wave.next++;
      ++executed[in.index];
      wave.validity->run(wave, in);
    } while (--wave.budget > 0);
  } else {
    do {
      const Instruction &in = *wave.next++;
      ++executed[in.index];
      in.run(wave, in);
    } while (--wave.budget > 0);
  }
  const uint64_t done = uint64_t(wave.state == WaveState::Running ? instructions : instructions - wave.unused + 1);
  wave.executed += done;
  if (wave.state == WaveState::Ended)
    live_--;
  if (const uint64_t limit = context.options->instructionLimit; limit && context.executed.fetch_add(done) + done > limit)
    raiseFault(wave, FaultKind::Timeout, 0, 0, "the launch exceeds its limit of wave instructions");
}

bool ResidentGroup::releaseBarrier() {
  uint32_t waiting = 0;
  for (uint32_t k = 0; k < waveCount_; k++)
    waiting += wave(k).state == WaveState::AtBarrier;
  if (!waiting || waiting != live_)
    return false;
  for (uint32_t k = 0; k < waveCount_; k++)
    if (wave(k).state == WaveState::AtBarrier)
      wave(k).state = WaveState::Running;
  if (group_.shadow)
    group_.shadow->barrier();
  return true;
}

ResidentGroup::Outcome ResidentGroup::run(LaunchContext &context, int64_t quantum, std::mt19937_64 &random) {
  while (live_) {
    bool preempted = false;
    if (context.options->order == WaveOrder::Random)
      std::shuffle(order_.begin(), order_.end(), random);
    for (uint32_t index : order_) {
      Wave &wave = this->wave(index);
      if (wave.state != WaveState::Running)
        continue;
      burst(context, wave, quantum);
      preempted |= wave.state == WaveState::Running;
    }
    releaseBarrier();
    if (preempted || context.stop.load(std::memory_order_relaxed))
      return Outcome::Preempted;
  }
  return Outcome::Finished;
}

bool ResidentGroup::spins(LaunchContext &context) {
  constexpr int kLongestPeriod = 4096;
  for (uint32_t k = 0; k < waveCount_; k++) {
    Wave &wave = this->wave(k);
    if (wave.state != WaveState::Running)
      continue;
    const Instruction *const start = wave.next;
    const size_t vectorBytes = waveBytes_ - sizeof(Wave);
    earlier_.resize(sizeof wave.s + vectorBytes);
    std::memcpy(earlier_.data(), wave.s, sizeof wave.s);
    std::memcpy(earlier_.data() + sizeof wave.s, wave.vgpr(0), vectorBytes);
    bool same = false;
    for (int step = 0; step < kLongestPeriod && !same && wave.state == WaveState::Running; step++) {
      burst(context, wave, 1);
      same = wave.next == start && !std::memcmp(earlier_.data(), wave.s, sizeof wave.s) &&
             !std::memcmp(earlier_.data() + sizeof wave.s, wave.vgpr(0), vectorBytes);
    }
    if (!same)
      return false;
  }
  return true;
}

void ResidentGroup::raiseDeadlock() const {
  uint32_t k = 0;
  while (k + 1 < waveCount_ && wave(k).state != WaveState::Running)
    k++;
  raiseFault(wave(k), FaultKind::Deadlock, 0, 0, "every wave of the launch spins and nothing can change any more");
}

uint64_t ResidentGroup::longestWave() const {
  uint64_t longest = 0;
  for (uint32_t k = 0; k < waveCount_; k++)
    longest = std::max(longest, wave(k).executed);
  return longest;
}

} // namespace ds4::sim
