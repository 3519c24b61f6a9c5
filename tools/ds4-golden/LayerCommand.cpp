#include <algorithm>
#include <cstring>
#include <memory>
#include <tuple>

#include <mlir/IR/MLIRContext.h>

#include "support/Error.h"
#include "support/Half.h"
#include "tools/ds4-golden/Commands.h"
#include "tools/ds4-golden/LayerCheck.h"

namespace ds4::golden {
namespace {

struct Arguments {
  std::string goldens;
  std::vector<std::string> steps;
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

void checkKind(const Arguments &arguments, const LayerGoldens &goldens, std::span<const LayerStep> steps, Report &report) {
  const std::string &kind = steps.front().kind;
  int64_t context = 0;
  for (const LayerStep &step : steps)
    context = std::max(context, (step.position + step.tokens + 127) / 128 * 128);
  mlir::MLIRContext mlirContext(mlir::MLIRContext::Threading::DISABLED);
  ModelTable table(goldens.description(kind), goldens.weights(kind), kind);
  GraphOptions graph{.rows = RowElement::F32, .context = context, .maxWidth = arguments.run.width};
  mlir::OwningOpRef<mlir::ModuleOp> module = buildLayerGraph(mlirContext, table, 0, graph);
  GeneratedWeights bytes(goldens, kind);
  std::map<std::string, std::vector<float>> decoded;
  Weights weights{bytes, [&](llvm::StringRef name, QuantizedType) {
                    return std::span<const float>(decoded[name.str()] = goldens.weightValues(kind, name.str()));
                  }};
  std::unique_ptr<StepRunner> runner = makeRunner(*module, table, graph, weights, arguments.run.device);
  for (const LayerStep &step : steps) {
    fmt::print(stderr, "ds4-golden: {}\n", step.tag);
    checkLayerStep(*runner, goldens, step, report);
  }
}

int checkLayers(const Arguments &arguments) {
  LayerGoldens goldens(arguments.goldens);
  std::vector<LayerStep> steps = selectSteps(arguments, goldens);
  Report report;
  for (auto first = steps.begin(); first != steps.end();) {
    auto last = std::ranges::find_if(first, steps.end(), [&](const LayerStep &step) { return step.kind != first->kind; });
    checkKind(arguments, goldens, std::span(first, last), report);
    first = last;
  }
  return finish(report, arguments.run);
}

} // namespace

void addLayerCommand(CLI::App &app, CommandBody &body) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("layer", "compare single layers of real size, with generated weights");
  command->add_option("goldens", arguments->goldens, "expected values; their arrays lie beside it, in .safetensors")->required();
  command->add_option("--steps", arguments->steps, "tags of steps (default: all)")->delimiter(',');
  addRunOptions(*command, arguments->run);
  command->callback([arguments, &body] { body = [arguments] { return checkLayers(*arguments); }; });
}

} // namespace ds4::golden
