// Loading: what happens once, between a plan and the first step.
#include "runtime/Executor.h"

#include <algorithm>

#include "runtime/Fit.h"
#include "support/Error.h"

namespace ds4 {

Executor::Executor(std::shared_ptr<const hip::Provider> provider, Plan plan, WeightSource &weights, ExecutorOptions options)
    : provider_(std::move(provider)), plan_(std::move(plan)), options_(std::move(options)) {
  if (plan_.target != provider_->architecture)
    userError("the plan is for {}, the device '{}' is {}: compile with --target {}", plan_.target, provider_->deviceName,
              provider_->architecture, provider_->architecture);
  // Where there is no room for chunks, prompts are read in steps.
  const bool prefills = plan_.prefill && options_.prefill && !misfit(Need::of(plan_), Have::of(*provider_));
  checkFit(plan_, *provider_, prefills);
  allocateStep();
  loadKernels();
  // All memory is there before the first byte is read.
  states_ = DeviceSlabs(*provider_, plan_.statePieces());
  for (size_t i = 0; i < plan_.states.size(); ++i)
    stateAddresses_.push_back(states_.address(i));
  loadWeights(plan_.weights, weights);
  for (size_t i = 0; i < plan_.weights.size(); ++i)
    weightAddresses_.push_back(weights_.address(i));
  bindLaunches();
  reset();
  if (prefills) {
    prefill_.reset(new Executor(*this, *plan_.prefill, {}, weights, options_));
    kernelReport_ += prefill_->kernelReport_;
  }
}

static const Plan &draftOf(const Plan &plan) {
  if (!plan.draft)
    internalError("the plan has no drafter");
  return *plan.draft;
}

Executor::Executor(Executor &target, WeightSource &weights, ExecutorOptions options)
    : Executor(target, draftOf(target.plan_), target.plan_.drafterWeights(), weights, std::move(options)) {}

// The target's constructor saw to it that there is memory for all.
Executor::Executor(Executor &target, const Plan &function, std::span<const PlanWeight> own, WeightSource &weights,
                   ExecutorOptions options)
    : provider_(target.provider_), plan_(function), options_(std::move(options)), target_(&target) {
  plan_.headers = target.plan_.headers;
  allocateStep();
  loadKernels();
  const auto indexIn = [](const auto &items, const std::string &name) {
    const auto at = std::ranges::find_if(items, [&](const auto &item) { return item.name == name; });
    return static_cast<size_t>(at - items.begin());
  };
  std::vector<uint64_t> ownStates; // what stands there is overwritten before it is read
  for (const PlanState &state : plan_.states)
    if (!target.plan_.findState(state.name))
      ownStates.push_back(state.bytes());
  states_ = DeviceSlabs(*provider_, ownStates);
  if (!own.empty())
    loadWeights(own, weights);
  for (size_t next = 0; const PlanState &state : plan_.states) {
    const size_t index = indexIn(target.plan_.states, state.name);
    stateAddresses_.push_back(index < target.plan_.states.size() ? target.stateAddresses_[index] : states_.address(next++));
  }
  for (const PlanWeight &weight : plan_.weights) {
    const size_t index = indexIn(target.plan_.weights, weight.name);
    weightAddresses_.push_back(index < target.plan_.weights.size() ? target.weightAddresses_[index]
                                                                   : weights_.address(indexIn(own, weight.name)));
  }
  bindLaunches();
  reset();
}

void Executor::allocateStep() {
  stream_ = hip::Stream(*provider_);
  stepBlock_ = hip::DeviceBuffer(*provider_, sizeof(Step));
  stepBlock_.fill(0, stream_.handle()); // its count
  arena_ = hip::DeviceBuffer(*provider_, std::max<uint64_t>(plan_.arenaBytes, DeviceSlabs::kAlignment));
}

void Executor::loadKernels() {
  KernelLoadOptions options = options_.kernels;
  options.compiler.stop = options_.stop;
  KernelLoader loader(*provider_, plan_, std::move(options));
  modules_ = loader.load(options_.progress);
  kernelReport_ = loader.report();
  for (size_t i = 0; i < modules_.size(); ++i)
    functions_.push_back(modules_[i].function(plan_.kernels[i].symbol));
}

void Executor::loadWeights(std::span<const PlanWeight> weights, WeightSource &source) {
  weights_ = DeviceSlabs(*provider_, weightPieces(weights));
  weightReport_ = ds4::loadWeights(*provider_, weights, source, weights_, {.stop = options_.stop, .progress = options_.progress});
}

void Executor::bindLaunches() {
  auto address = [](const hip::DeviceBuffer &buffer, uint64_t offset) {
    return reinterpret_cast<uint64_t>(buffer.data()) + offset;
  };
  for (const PlanLaunch &launch : plan_.launches) {
    BoundLaunch bound;
    for (const PlanVariant &variant : launch.variants)
      bound.functions.push_back(functions_[variant.kernel]);
    bound.head = launch.label.starts_with("head.") || launch.label.starts_with("mtp.head.");
    bound.sampling = plan_.kernels[launch.variants.front().kernel].op == "sample";
    for (const PlanArgument &argument : launch.arguments) {
      switch (argument.kind) {
      case PlanArgument::Kind::Step:
        bound.arguments.push_back(address(stepBlock_, 0));
        break;
      case PlanArgument::Kind::Weight:
        bound.arguments.push_back(weightAddresses_[argument.value]);
        break;
      case PlanArgument::Kind::State:
        bound.arguments.push_back(stateAddresses_[argument.value]);
        break;
      case PlanArgument::Kind::Arena:
        bound.arguments.push_back(address(arena_, argument.value));
        break;
      }
    }
    bound_.push_back(std::move(bound));
  }
}

} // namespace ds4
