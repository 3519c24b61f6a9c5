#include "runtime/providers/simulator/Machine.h"

#include "runtime/providers/simulator/FloatMode.h"
#include "runtime/providers/simulator/LaunchContext.h"
#include "runtime/providers/simulator/LoadedObject.h"
#include "runtime/providers/simulator/ThreadPool.h"
#include "support/Error.h"

#include <algorithm>
#include <cstring>

namespace ds4::sim {

namespace {

constexpr uint64_t kLdsLimit = 65536;
constexpr size_t kPacketBytes = 64;

// Argument segment, padded to whole lines, and an AQL dispatch packet behind it.
class ArgumentBlock {
public:
  ArgumentBlock(const Kernel &kernel, const Launch &launch)
      : padded_((kernel.kernargBytes + 63) / 64 * 64), words_((padded_ + kPacketBytes) / 64) {
    if (launch.arguments.size() < kernel.explicitBytes)
      userError("kernel {}: {} bytes of arguments given, it takes {}", kernel.name, launch.arguments.size(), kernel.explicitBytes);
    if (!launch.arguments.empty())
      std::memcpy(data(), launch.arguments.data(), std::min<size_t>(launch.arguments.size(), kernel.kernargBytes));
    for (const KernelArgument &argument : kernel.arguments)
      if (argument.hidden())
        set(argument, hiddenValue(argument.kind, launch));
    fillPacket(launch);
  }
  std::byte *data() { return words_.front().bytes; }
  uint64_t address() { return reinterpret_cast<uint64_t>(data()); }
  uint64_t packet() { return address() + padded_; }
  size_t size() const { return padded_ + kPacketBytes; }

private:
  static uint64_t hiddenValue(std::string_view kind, const Launch &launch) {
    const size_t axis = size_t(kind.back() - 'x');
    if (kind.starts_with("hidden_block_count_"))
      return launch.grid[axis];
    if (kind.starts_with("hidden_group_size_"))
      return launch.block[axis];
    if (kind == "hidden_grid_dims")
      return launch.grid[2] * launch.block[2] > 1 ? 3 : launch.grid[1] * launch.block[1] > 1 ? 2 : 1;
    if (kind == "hidden_dynamic_lds_size")
      return launch.dynamicLds;
    if (kind == "hidden_private_base")
      return kPrivateAperture;
    if (kind == "hidden_shared_base")
      return kSharedAperture;
    return 0; // offsets and remainders are 0; there is no host-call buffer, heap or queue
  }
  void set(const KernelArgument &argument, uint64_t value) {
    std::memcpy(data() + argument.offset, &value, std::min<size_t>(argument.bytes, sizeof value));
  }
  void fillPacket(const Launch &launch) {
    std::byte *packet = data() + padded_;
    for (int axis = 0; axis < 3; axis++) {
      const uint16_t block = uint16_t(launch.block[axis]);
      const uint32_t grid = launch.grid[axis] * launch.block[axis];
      std::memcpy(packet + 4 + 2 * axis, &block, 2);
      std::memcpy(packet + 12 + 4 * axis, &grid, 4);
    }
  }

  struct alignas(64) Line {
    std::byte bytes[64] = {};
  };
  size_t padded_;
  std::vector<Line> words_;
};

void checkShape(const Kernel &kernel, const Launch &launch) {
  const uint64_t items = uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
  const uint64_t groups = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  if (!items || items > 1024 || items > kernel.maxWorkgroup)
    userError("kernel {}: a workgroup of {} work-items, it allows 1 to {}", kernel.name, items,
              std::min(kernel.maxWorkgroup, 1024u));
  if (!groups || groups > UINT32_MAX)
    userError("kernel {}: a grid of {} workgroups, it takes 1 to {}", kernel.name, groups, UINT32_MAX);
  if (const uint64_t lds = uint64_t(kernel.ldsBytes) + launch.dynamicLds; lds > kLdsLimit)
    userError("kernel {}: {} bytes of LDS, a workgroup has {}", kernel.name, lds, kLdsLimit);
}

void addRange(std::vector<Range> &ranges, Range range) {
  const auto at =
      std::upper_bound(ranges.begin(), ranges.end(), range, [](const Range &a, const Range &b) { return a.begin < b.begin; });
  ranges.insert(at, range);
}

void countByClass(const LaunchContext &context, Counters &counters) {
  uint64_t byClass[size_t(InstructionClass::Count)] = {};
  const Instruction *code = context.program->begin();
  for (size_t k = 0; k < context.executedByInstruction.size(); k++)
    byClass[size_t(code[k].kind)] += context.executedByInstruction[k];
  uint64_t *const slots[] = {&counters.valu,       &counters.vopd,        &counters.transcendental, &counters.dot,
                             &counters.wmma,       &counters.salu,        &counters.smem,           &counters.vmemLoads,
                             &counters.vmemStores, &counters.vmemAtomics, &counters.scratch,        &counters.lds,
                             &counters.branches,   &counters.waits,       &counters.barriers,       &counters.other};
  static_assert(std::size(slots) == size_t(InstructionClass::Count));
  for (size_t k = 0; k < std::size(slots); k++) {
    *slots[k] += byClass[k];
    counters.instructions += byClass[k];
  }
}

} // namespace

Counters run(const Launch &launch, Memory &memory, const Options &options) {
  LoadedObject &object = static_cast<LoadedObject &>(*launch.object);
  const Kernel &kernel = object.kernel(*launch.kernel);
  checkShape(kernel, launch);
  const Isa isa = options.forceAvx2 ? std::min(bestIsa(), Isa::Avx2) : bestIsa();
  ArgumentBlock arguments(kernel, launch);

  LaunchContext context;
  context.options = &options;
  context.kernel = &kernel;
  context.program = &object.program(kernel, isa);
  context.image = object.image().base();
  context.grid = launch.grid;
  context.block = launch.block;
  context.groups = launch.grid[0] * launch.grid[1] * launch.grid[2];
  context.workItems = launch.block[0] * launch.block[1] * launch.block[2];
  context.wavesPerGroup = (context.workItems + kLanes - 1) / kLanes;
  context.ldsBytes = kernel.ldsBytes + launch.dynamicLds;
  context.arguments = arguments.address();
  context.packet = arguments.packet();
  context.snapshot = memory.state().take(options.detectUninitialised);
  context.allRanges.reserve(context.snapshot->ranges.size() + 2);
  context.allRanges = context.snapshot->ranges;
  addRange(context.allRanges, {arguments.address(), arguments.size(), nullptr});
  addRange(context.allRanges, {reinterpret_cast<uint64_t>(context.image), object.image().size, nullptr});
  context.ranges = context.allRanges.data();
  context.rangeCount = uint32_t(context.allRanges.size());

  if (options.schedule == Schedule::Interleaved)
    runInterleaved(context);
  else
    ThreadPool::instance().run(std::min(options.threads, context.groups), [&context] { runSequential(context); });
  if (context.failure)
    std::rethrow_exception(context.failure);
  countByClass(context, context.counters);
  context.counters.workgroups = context.groups;
  context.counters.waves = uint64_t(context.groups) * context.wavesPerGroup;
  return context.counters;
}

void Counters::add(const Counters &other) {
  // All members are sums but the longest wave.
  const uint64_t longest = std::max(longestWave, other.longestWave);
  static_assert(sizeof(Counters) % sizeof(uint64_t) == 0);
  auto *into = reinterpret_cast<uint64_t *>(this);
  const auto *from = reinterpret_cast<const uint64_t *>(&other);
  for (size_t k = 0; k < sizeof(Counters) / sizeof(uint64_t); k++)
    into[k] += from[k];
  longestWave = longest;
}

} // namespace ds4::sim
