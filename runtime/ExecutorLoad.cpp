// Loading: what happens once, between a plan and the first step.
#include "runtime/Executor.h"

#include <algorithm>

#include "support/Error.h"

namespace ds4 {

namespace {

constexpr uint64_t kAlignment = 256;            // of every weight and state
constexpr uint64_t kSlabBytes = uint64_t(4) << 30; // single allocations beyond this have stalled on gfx1151

uint64_t aligned(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

} // namespace

Executor::Executor(std::shared_ptr<const hip::Provider> provider, Plan plan, WeightSource &weights, ExecutorOptions options)
    : provider_(std::move(provider)), plan_(std::move(plan)), options_(std::move(options)), stream_(*provider_),
      stepBlock_(*provider_, sizeof(Step)), arena_(*provider_, std::max<uint64_t>(plan_.arenaBytes, kAlignment)) {
  loadKernels();
  rtc_.reset();
  allocateState();
  loadWeights(weights);
  bindLaunches();
  reset();
}

void Executor::loadKernels() {
  for (const PlanKernel &kernel : plan_.kernels) {
    bool compiled = kernel.codeObject.empty();
    modules_.emplace_back(*provider_, compiled ? compileAtLoad(kernel) : kernel.codeObject, kernel.symbol);
    compiledAtLoad_ += compiled;
    functions_.push_back(modules_.back().function(kernel.symbol));
    if (options_.progress)
      options_.progress("kernels", double(functions_.size()) / double(plan_.kernels.size()));
  }
}

void Executor::allocateState() {
  uint64_t bytes = 0;
  for (const PlanState &state : plan_.states) {
    stateOffsets_.push_back(bytes);
    bytes += aligned(state.bytes());
  }
  states_ = hip::DeviceBuffer(*provider_, std::max(bytes, kAlignment));
}

void Executor::loadWeights(WeightSource &source) {
  // First the places, so that all memory is there before the first byte is read.
  std::vector<std::pair<size_t, uint64_t>> places; // slab, offset
  std::vector<uint64_t> slabBytes;
  for (const PlanWeight &weight : plan_.weights) {
    if (slabBytes.empty() || slabBytes.back() + weight.deviceBytes() > kSlabBytes)
      slabBytes.push_back(0);
    places.emplace_back(slabBytes.size() - 1, slabBytes.back());
    slabBytes.back() += aligned(weight.deviceBytes());
  }
  for (uint64_t bytes : slabBytes)
    slabs_.emplace_back(*provider_, bytes);

  uint64_t done = 0, total = std::max<uint64_t>(plan_.weightBytes(), 1);
  std::vector<std::byte> staging;
  for (size_t i = 0; i < plan_.weights.size(); ++i) {
    const auto &[slab, offset] = places[i];
    const PlanWeight &weight = plan_.weights[i];
    staging.resize(weight.bytes);
    source.read(weight, staging);
    slabs_[slab].upload(staging, offset);
    if (const uint64_t tables = weight.levelTables()) {
      std::vector<MixLevels> levels(tables);
      source.readLevels(weight, levels);
      slabs_[slab].upload(std::as_bytes(std::span(levels)), offset + mixLevelsOffset(weight.bytes));
    }
    weightAddresses_.push_back(reinterpret_cast<uint64_t>(slabs_[slab].data()) + offset);
    done += weight.bytes;
    if (options_.progress)
      options_.progress("weights", double(done) / double(total));
  }
}

void Executor::bindLaunches() {
  auto address = [](const hip::DeviceBuffer &buffer, uint64_t offset) { return reinterpret_cast<uint64_t>(buffer.data()) + offset; };
  for (const PlanLaunch &launch : plan_.launches) {
    BoundLaunch bound;
    bound.function = functions_[launch.kernel];
    bound.head = launch.label.starts_with("head.");
    bound.sampling = plan_.kernels[launch.kernel].op == "sample";
    for (const PlanArgument &argument : launch.arguments) {
      switch (argument.kind) {
      case PlanArgument::Kind::Step: bound.arguments.push_back(address(stepBlock_, 0)); break;
      case PlanArgument::Kind::Weight: bound.arguments.push_back(weightAddresses_[argument.value]); break;
      case PlanArgument::Kind::State: bound.arguments.push_back(address(states_, stateOffsets_[argument.value])); break;
      case PlanArgument::Kind::Arena: bound.arguments.push_back(address(arena_, argument.value)); break;
      }
    }
    bound_.push_back(std::move(bound));
  }
}

} // namespace ds4
