#include <algorithm>
#include <memory>

#include <mlir/IR/MLIRContext.h>

#include "ir/reference/ModelWeights.h"
#include "models/Model.h"
#include "support/Error.h"
#include "tools/ProductsOption.h"
#include "tools/RocmFp2Option.h"
#include "tools/ds4-golden/Commands.h"
#include "tools/ds4-golden/ModelCheck.h"
#include "tools/ds4-golden/Runners.h"

namespace ds4::golden {
namespace {

struct Arguments {
  std::string model, goldens, rows = "both";
  std::vector<std::string> cases;
  int64_t maxTokens = 0; // 0: any length
  std::optional<WeightFormat> rocmFp2;
  RunOptions run;
};

std::vector<ModelCase> selectCases(const Arguments &arguments) {
  std::vector<ModelCase> cases = readModelGoldens(arguments.goldens);
  for (const std::string &name : arguments.cases)
    if (std::ranges::find(cases, name, &ModelCase::name) == cases.end())
      userError("{}: no case \"{}\"", arguments.goldens, name);
  std::erase_if(cases, [&](const ModelCase &entry) {
    bool named = arguments.cases.empty() || std::ranges::find(arguments.cases, entry.name) != arguments.cases.end();
    return !named || (arguments.maxTokens > 0 && static_cast<int64_t>(entry.tokens.size()) > arguments.maxTokens);
  });
  if (cases.empty())
    userError("{}: no case with a prompt of up to {} tokens: raise --max-tokens", arguments.goldens, arguments.maxTokens);
  return cases;
}

// Rounded up to whole compressed rows of both ratios.
int64_t contextOf(const std::vector<ModelCase> &cases) {
  size_t longest = 0;
  for (const ModelCase &entry : cases)
    longest = std::max(longest, entry.tokens.size() + entry.greedy.size());
  return static_cast<int64_t>((longest + 127) / 128 * 128);
}

void checkWithRows(const Arguments &arguments, const Model &model, const std::vector<ModelCase> &cases, RowElement rows,
                   Report &report) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ModelTable table(model);
  GraphOptions graph{.rows = rows, .context = contextOf(cases), .maxWidth = arguments.run.width, .taps = true};
  mlir::OwningOpRef<mlir::ModuleOp> module = buildStepGraph(context, table, graph);
  FileWeights bytes(model.file());
  reference::ModelWeights decoded(model);
  Weights weights{bytes, [&](llvm::StringRef name, QuantizedType) { return decoded(name.str()); }};
  std::unique_ptr<StepRunner> runner = makeRunner(*module, table, graph, weights, arguments.run);
  ModelCheckOptions options;
  options.width = arguments.run.width;
  options.exact = rows == RowElement::F32;
  options.label = options.exact ? "f32 rows" : "f16 rows";
  options.onCase = [&](const ModelCase &entry) {
    fmt::print(stderr, "ds4-golden: {}, {}: a prompt of {} tokens, {} greedy ones\n", options.label, entry.name,
               entry.tokens.size(), entry.greedy.size());
  };
  checkModel(*runner, model.description(), cases, options, report);
}

int checkModelFile(const Arguments &arguments) {
  Model model = Model::open(arguments.model, arguments.rocmFp2);
  for (const std::string &warning : model.warnings())
    fmt::print(stderr, "ds4-golden: warning: {}\n", warning);
  std::vector<ModelCase> cases = selectCases(arguments);
  Report report;
  if (arguments.rows != "f16")
    checkWithRows(arguments, model, cases, RowElement::F32, report);
  if (arguments.rows != "f32")
    checkWithRows(arguments, model, cases, RowElement::F16, report);
  return finish(report, arguments.run);
}

} // namespace

void addModelCommand(CLI::App &app, CommandBody &body) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("model", "compare a whole model's logits, streams, choices and greedy tokens");
  command->add_option("model", arguments->model, "GGUF file")->required();
  command->add_option("goldens", arguments->goldens, "expected values; their arrays lie beside it, in .safetensors")->required();
  command->add_option("--cases", arguments->cases, "names of cases (default: all)")->delimiter(',');
  command->add_option("--max-tokens", arguments->maxTokens, "leave out cases with longer prompts")->check(CLI::PositiveNumber);
  command->add_option("--rows", arguments->rows, "element of key-value rows; f16 has a limit on the mean divergence alone")
      ->check(CLI::IsMember({"f32", "f16", "both"}))
      ->capture_default_str();
  addRocmFp2Option(*command, arguments->rocmFp2);
  addProductsOption(*command, arguments->run.products);
  addRunOptions(*command, arguments->run);
  command->callback([arguments, &body] { body = [arguments] { return checkModelFile(*arguments); }; });
}

} // namespace ds4::golden
