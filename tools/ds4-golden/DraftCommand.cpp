#include <algorithm>
#include <memory>

#include <mlir/IR/MLIRContext.h>

#include "ir/reference/ModelWeights.h"
#include "models/DrafterModel.h"
#include "runtime/DrafterWeights.h"
#include "support/Error.h"
#include "tools/ProductsOption.h"
#include "tools/ds4-golden/Commands.h"
#include "tools/ds4-golden/DraftCheck.h"
#include "tools/ds4-golden/Runners.h"

namespace ds4::golden {
namespace {

struct Arguments {
  std::string model, drafter, goldens;
  std::vector<std::string> cases;
  RunOptions run;
};

std::vector<DraftCase> selectCases(const Arguments &arguments) {
  std::vector<DraftCase> cases = readDraftGoldens(arguments.goldens);
  for (const std::string &name : arguments.cases)
    if (std::ranges::find(cases, name, &DraftCase::name) == cases.end())
      userError("{}: no case \"{}\"", arguments.goldens, name);
  if (!arguments.cases.empty())
    std::erase_if(cases,
                  [&](const DraftCase &entry) { return std::ranges::find(arguments.cases, entry.name) == arguments.cases.end(); });
  return cases;
}

int checkDraftFiles(const Arguments &arguments) {
  const Model model = Model::open(arguments.model);
  const DrafterModel drafter = DrafterModel::open(arguments.drafter, model);
  if (drafter.description().kind != DrafterKind::Dspark)
    userError("'{}' has a next-token block: expected values are of DSpark drafters, name one", arguments.drafter);
  const std::vector<DraftCase> cases = selectCases(arguments);
  size_t longest = 0;
  for (const DraftCase &entry : cases)
    longest = std::max(longest, entry.tokens.size());

  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const ModelTable table(model, drafter);
  GraphOptions graph{.rows = RowElement::F32,
                     .context = static_cast<int64_t>((longest + drafter.description().blockSize + 127) / 128 * 128),
                     .maxWidth = arguments.run.width,
                     .taps = true};
  mlir::OwningOpRef<mlir::ModuleOp> step = buildStepGraph(context, table, graph), draft = buildDraftGraph(context, table, graph);
  DrafterWeights bytes(model, drafter);
  reference::ModelWeights decoded(model, &drafter);
  const Weights weights{bytes, [&](llvm::StringRef name, QuantizedType) { return decoded(name.str()); }};
  const std::unique_ptr<StepRunner> target = makeRunner(*step, table, graph, weights, arguments.run);
  graph.maxWidth = static_cast<int>(drafter.description().blockSize);
  const std::unique_ptr<StepRunner> drafting = makeRunner(*draft, table, graph, weights, arguments.run);

  Report report;
  const auto onCase = [](const DraftCase &entry) {
    fmt::print(stderr, "ds4-golden: {}: {} tokens\n", entry.name, entry.tokens.size());
  };
  checkDrafter(*target, *drafting, drafter.description(), cases, {.width = arguments.run.width, .onCase = onCase}, report);
  return finish(report, arguments.run);
}

} // namespace

void addDraftCommand(CLI::App &app, CommandBody &body) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("draft", "compare a DSpark drafter's taps, rings, logits, confidences and drafts");
  command->add_option("model", arguments->model, "GGUF file of the target")->required();
  command->add_option("drafter", arguments->drafter, "GGUF file of the drafter")->required();
  command->add_option("goldens", arguments->goldens, "expected values; their arrays lie beside it, in .safetensors")->required();
  command->add_option("--cases", arguments->cases, "names of cases (default: all)")->delimiter(',');
  addProductsOption(*command, arguments->run.products);
  addRunOptions(*command, arguments->run);
  command->callback([arguments, &body] { body = [arguments] { return checkDraftFiles(*arguments); }; });
}

} // namespace ds4::golden
