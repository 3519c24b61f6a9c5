#include <algorithm>
#include <cstring>
#include <memory>
#include <tuple>

#include "runtime/hip/Provider.h"
#include "runtime/plan/PlanFile.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Half.h"
#include "tools/ds4-golden/Commands.h"
#include "tools/ds4-golden/ExecutorRunner.h"
#include "tools/ds4-golden/LayerCheck.h"

namespace ds4::golden {
namespace {

struct Arguments {
  std::string goldens;
  std::vector<std::string> steps;
  std::string plans, savePlans, target = "gfx1151";
  RunOptions run;
};

// A layer's generated weights, as bytes of their format.
class GeneratedWeights : public WeightSource {
public:
  GeneratedWeights(const LayerGoldens &goldens, std::string kind) : goldens_(goldens), kind_(std::move(kind)) {}

  void read(const PlanWeight &weight, uint64_t, std::span<std::byte> out) const override {
    std::vector<float> values = goldens_.weightValues(kind_, weight.name);
    if (weight.format == "f32")
      write<float>(values, out, [](float value) { return value; });
    else if (weight.format == "f16")
      write<uint16_t>(values, out, floatToHalf);
    else
      write<int32_t>(values, out, [](float value) { return static_cast<int32_t>(value); });
  }

private:
  template <typename T> static void write(const std::vector<float> &values, std::span<std::byte> out, T (*encode)(float)) {
    if (out.size() != values.size() * sizeof(T))
      internalError("a generated weight has {} values for {} bytes", values.size(), out.size());
    std::vector<T> encoded(values.size());
    std::ranges::transform(values, encoded.begin(), encode);
    std::memcpy(out.data(), encoded.data(), out.size());
  }

  const LayerGoldens &goldens_;
  std::string kind_;
};

std::vector<LayerStep> selectSteps(const Arguments &arguments, const LayerGoldens &goldens) {
  std::vector<LayerStep> steps = goldens.steps();
  for (const std::string &tag : arguments.steps)
    if (std::ranges::find(steps, tag, &LayerStep::tag) == steps.end())
      userError("{}: no step \"{}\"", arguments.goldens, tag);
  if (!arguments.steps.empty())
    std::erase_if(steps,
                  [&](const LayerStep &step) { return std::ranges::find(arguments.steps, step.tag) == arguments.steps.end(); });
  // Steps of one kind share weights and code, which are large: together.
  std::ranges::sort(steps, {}, [](const LayerStep &step) { return std::tie(step.kind, step.position, step.tokens); });
  return steps;
}

std::string planPath(const std::string &folder, const std::string &kind) { return folder + "/" + kind + ".ds4plan"; }

// Of steps of one kind.
int64_t contextOf(std::span<const LayerStep> steps) {
  int64_t context = 0;
  for (const LayerStep &step : steps)
    context = std::max(context, (step.position + step.tokens + 127) / 128 * 128);
  return context;
}

void withLayerRunner(const Arguments &arguments, const LayerGoldens &goldens, std::span<const LayerStep> steps,
                     const LayerCompiler *compiler, const std::function<void(StepRunner &)> &use) {
  const std::string &kind = steps.front().kind;
  GeneratedWeights bytes(goldens, kind);
  if (arguments.plans.empty())
    return compiler->withRunner(goldens, kind, contextOf(steps), arguments.run, bytes, use);
  Plan plan = readPlanFile(planPath(arguments.plans, kind));
  if (plan.context < contextOf(steps))
    userError("{}: has room for {} positions, the steps need {}: save the plans anew, for these steps",
              planPath(arguments.plans, kind), plan.context, contextOf(steps));
  ExecutorRunner runner(hip::openProvider(arguments.run.device), std::move(plan), bytes);
  use(runner);
}

int checkLayers(const Arguments &arguments, const LayerCompiler *compiler) {
  if (!compiler && arguments.plans.empty())
    userError("this ds4-golden was built without the compiler: give --plans, a folder that --save-plans wrote");
  LayerGoldens goldens(arguments.goldens);
  std::vector<LayerStep> steps = selectSteps(arguments, goldens);
  Report report;
  for (auto first = steps.begin(); first != steps.end();) {
    auto last = std::ranges::find_if(first, steps.end(), [&](const LayerStep &step) { return step.kind != first->kind; });
    const std::span<const LayerStep> ofKind(first, last);
    first = last;
    if (!arguments.savePlans.empty()) {
      const std::string &kind = ofKind.front().kind;
      FileWriter file(planPath(arguments.savePlans, kind));
      file.write(serializePlan(compiler->plan(goldens, kind, contextOf(ofKind), arguments.run.width, arguments.target)));
      file.commit();
      continue;
    }
    withLayerRunner(arguments, goldens, ofKind, compiler, [&](StepRunner &runner) {
      for (const LayerStep &step : ofKind) {
        fmt::print(stderr, "ds4-golden: {}\n", step.tag);
        checkLayerStep(runner, goldens, step, report);
      }
    });
  }
  return arguments.savePlans.empty() ? finish(report, arguments.run) : 0;
}

} // namespace

void addLayerCommand(CLI::App &app, CommandBody &body, const LayerCompiler *compiler) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("layer", "compare single layers of real size, with generated weights");
  command->add_option("goldens", arguments->goldens, "expected values; their arrays lie beside it, in .safetensors")->required();
  command->add_option("--steps", arguments->steps, "tags of steps (default: all)")->delimiter(',');
  CLI::Option *plans =
      command->add_option("--plans", arguments->plans, "folder of plans that --save-plans wrote, to run instead of compiling");
  if (compiler) {
    CLI::Option *save =
        command->add_option("--save-plans", arguments->savePlans, "write the layers' plans to this folder, and run nothing");
    save->excludes(plans);
    command->add_option("--target", arguments->target, "architecture of the plans")->needs(save)->capture_default_str();
  }
  addRunOptions(*command, arguments->run);
  command->callback([=, &body] { body = [=] { return checkLayers(*arguments, compiler); }; });
}

} // namespace ds4::golden
