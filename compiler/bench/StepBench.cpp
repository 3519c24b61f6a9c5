#include "compiler/bench/StepBench.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>

#include "codegen/kernels/step.h"
#include "compiler/bench/PatternMemory.h"
#include "models/synth/Generator.h"
#include "runtime/plan/Places.h"
#include "runtime/providers/simulator/Machine.h"
#include "support/Error.h"

namespace ds4 {

namespace {

constexpr double kAmplitude = 0.04;

class StepRun {
public:
  StepRun(const Plan &plan, int64_t pos, int q) : plan_(plan), q_(q), objects_(plan.kernels.size()), arena_(plan.arenaBytes + 64) {
    step_.pos = static_cast<int>(pos);
    step_.q = q;
    step_.topP = 1; // temperature 0: plain decoding
    add(&step_, sizeof step_);
    add(arena_.data(), arena_.size());
  }

  sim::Counters run(const PlanLaunch &launch, const PlanChoice &choice) {
    const PlanKernel &kernel = plan_.kernels[choice.kernel];
    std::shared_ptr<sim::CodeObject> &object = objects_[choice.kernel];
    if (!object && kernel.codeObject.empty())
      userError("the plan has no code object of kernel '{}': compile it for gfx1151 and without --no-aot", kernel.symbol);
    if (!object)
      object = sim::CodeObject::load(kernel.codeObject);
    if (kernel.op == "group_slots")
      spreadExperts(launch, choice);
    std::vector<void *> arguments;
    for (const PlanArgument &argument : std::span(launch.arguments).first(choice.arguments))
      arguments.push_back(address(argument));
    sim::Launch run;
    run.object = object;
    run.kernel = object->find(kernel.symbol);
    run.grid = choice.grid;
    run.block = {kernel.block, 1, 1};
    run.arguments = std::as_bytes(std::span(arguments));
    sim::Options options;
    options.countLines = true;
    return sim::run(run, memory_, options);
  }

private:
  void add(void *data, size_t bytes) {
    memory_.add(data, bytes);
    memory_.markInitialised(data, bytes);
  }

  // Distinct ids for each token, in place of those that the router found for activations of zero: equal ones.
  void spreadExperts(const PlanLaunch &launch, const PlanChoice &choice) {
    const size_t experts = choice.grid[0] - 1,
                 used = plan_.sizes.expertsUsed; // group_slots has a workgroup an expert, and one more
    auto *ids = static_cast<int *>(address(launch.arguments.at(1)));
    std::mt19937 random(1);
    std::vector<int> all(experts);
    std::iota(all.begin(), all.end(), 0);
    for (int token = 0; token < q_; ++token) {
      for (size_t i = 0; i < used; ++i) {
        std::swap(all[i], all[i + random() % (experts - i)]);
        ids[static_cast<size_t>(token) * used + i] = all[i];
      }
    }
  }

  PatternMemory &patternOf(const std::string &format) {
    auto known = patterns_.find(format);
    if (known != patterns_.end())
      return known->second;
    std::vector<std::byte> pattern;
    if (format == "i32") { // expert ids
      std::vector<int> ids{0, 1, 2, 3, 4, 5};
      pattern.assign(std::as_bytes(std::span(ids)).begin(), std::as_bytes(std::span(ids)).end());
    } else {
      pattern = makePool(*findFormatByName(format), kAmplitude, 1);
    }
    return patterns_.emplace(format, PatternMemory(pattern)).first->second;
  }

  void *mapped(std::map<uint64_t, void *> &known, uint64_t index, const std::string &format, uint64_t bytes) {
    void *&data = known[index];
    if (!data) {
      data = patternOf(format).map(bytes);
      add(data, bytes);
    }
    return data;
  }

  void *address(const PlanArgument &argument) {
    switch (argument.kind) {
    case PlanArgument::Kind::Step:
      return &step_;
    case PlanArgument::Kind::Arena:
      return arena_.data() + argument.value;
    case PlanArgument::Kind::Weight:
      return mapped(weights_, argument.value, plan_.weights[argument.value].format, plan_.weights[argument.value].deviceBytes());
    case PlanArgument::Kind::State:
      return mapped(states_, argument.value, plan_.states[argument.value].format, plan_.states[argument.value].bytes());
    }
    internalError("a launch has an argument of unknown kind {}", static_cast<int>(argument.kind));
  }

  const Plan &plan_;
  int q_;
  std::vector<std::shared_ptr<sim::CodeObject>> objects_;
  sim::Memory memory_;
  Step step_{};
  std::vector<std::byte> arena_;
  std::map<std::string, PatternMemory> patterns_; // by format
  std::map<uint64_t, void *> weights_, states_;
};

// Whether a launch multiplies by a matrix of weights. Those of hyper-connections belong to them.
bool isProduct(const Plan &plan, const PlanLaunch &launch) {
  const std::string &op = plan.kernels[launch.variants.front().kernel].op; // variants make the same op
  if (op == "embed" || op == "compress" || op.starts_with("hc_"))
    return false;
  return std::ranges::any_of(launch.arguments, [&](const PlanArgument &argument) {
    if (argument.kind != PlanArgument::Kind::Weight)
      return false;
    const PlanWeight &weight = plan.weights[argument.value];
    return weight.shape.size() > 1 && weight.format != "i32";
  });
}

void accumulate(LaunchCost &into, const LaunchCost &part) {
  into.instructions += part.instructions;
  into.bytes += part.bytes;
  into.longestWave = std::max(into.longestWave, part.longestWave);
  into.seconds += part.seconds;
  into.tileProducts += part.tileProducts;
}

void accumulate(StepGroup &into, const StepGroup &part) {
  into.launches += part.launches;
  into.kernels += part.kernels;
  accumulate(into.cost, part.cost);
}

LaunchCost costOf(const sim::Counters &counters, const CostModel &model, bool isChunk) {
  LaunchCost cost{.instructions = static_cast<double>(counters.instructions),
                  .bytes = 64.0 * static_cast<double>(counters.linesLoaded + counters.linesStored),
                  .longestWave = static_cast<double>(counters.longestWave),
                  .tileProducts = static_cast<double>(counters.wmma)};
  cost.seconds =
      model.seconds(cost.bytes, isChunk ? model.busy(cost.instructions, cost.tileProducts) : cost.instructions, cost.longestWave);
  return cost;
}

} // namespace

StepGroup StepCost::total() const {
  StepGroup sum{.place = "step"};
  for (const StepGroup &group : groups)
    accumulate(sum, group);
  return sum;
}

StepGroup StepCost::withoutProducts() const {
  StepGroup sum{.place = "without products"};
  for (const StepGroup &group : groups)
    if (!group.isProduct)
      accumulate(sum, group);
  return sum;
}

void checkStep(const Plan &plan, int64_t pos, int q) {
  if (pos + q > plan.context)
    userError("a step of {} tokens at position {} is beyond the plan's context of {}: compile with a greater --context", q, pos,
              plan.context);
  if (q > static_cast<int>(plan.maxWidth))
    userError("a step of {} tokens is wider than the plan's steps of up to {}: compile with a greater --max-width", q,
              plan.maxWidth);
}

static StepCost measure(const Plan &plan, int64_t pos, int q, const CostModel &model, bool isChunk) {
  checkStep(plan, pos, q);
  StepRun step(plan, pos, q);
  std::map<std::pair<uint32_t, std::array<uint32_t, 3>>, LaunchCost> known; // what a launch costs follows from these
  std::map<std::string, size_t> indices;
  std::map<std::string, std::set<uint32_t>> kernels;
  StepCost result;
  for (const PlanLaunch &launch : plan.launches) {
    LaunchCost &cost = result.launches.emplace_back();
    const PlanChoice choice = launch.at(pos, q);
    if (choice.isEmpty())
      continue;
    auto [counted, isNew] = known.try_emplace({choice.kernel, choice.grid});
    if (isNew || plan.kernels[choice.kernel].op == "group_slots") // later launches read places in its table
      counted->second = costOf(step.run(launch, choice), model, isChunk);
    cost = counted->second;
    const std::string place = placeInLayer(launch.label);
    auto [index, fresh] = indices.try_emplace(place, result.groups.size());
    if (fresh)
      result.groups.push_back({.place = place, .kernel = plan.kernels[choice.kernel].op, .isProduct = isProduct(plan, launch)});
    accumulate(result.groups[index->second], {.launches = 1, .kernels = kernels[place].insert(choice.kernel).second, .cost = cost});
  }
  return result;
}

StepCost measureStep(const Plan &plan, int64_t pos, int q, const CostModel &model) { return measure(plan, pos, q, model, false); }
StepCost measureChunk(const Plan &prefill, int64_t pos, int q, const CostModel &model) {
  return measure(prefill, pos, q, model, true);
}

} // namespace ds4
