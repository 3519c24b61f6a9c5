#include <memory>

#include <fmt/format.h>

#include "compiler/quantize/Quantize.h"
#include "support/File.h"
#include "tools/CommandLine.h"
#include "tools/RocmFp2Option.h"
#include "tools/ds4c/Commands.h"
#include "tools/ds4c/ProgressLine.h"

namespace ds4 {

namespace {

struct Arguments {
  std::string model, output, recipe;
  QuantizeOptions options;
};

int quantize(const Arguments &arguments) {
  const Recipe recipe = Recipe::open(arguments.recipe);
  refuseToReplace(std::span(&arguments.recipe, 1), arguments.output);
  QuantizeSummary summary;
  {
    ProgressLine line;
    QuantizeOptions options = arguments.options;
    options.progress = [&](uint64_t done, uint64_t total, std::string_view tensor) { line.show(done, total, tensor); };
    summary = quantizeModel(arguments.model, arguments.output, recipe, options);
  }
  for (const std::string &warning : summary.warnings)
    fmt::print(stderr, "ds4c: warning: {}\n", warning);
  fmt::print("{}: {} of {} tensors changed, {:.1f} MB of weights (before: {:.1f} MB)\n", arguments.output, summary.encoded,
             summary.tensors, static_cast<double>(summary.bytesAfter) * 1e-6, static_cast<double>(summary.bytesBefore) * 1e-6);
  return 0;
}

} // namespace

void addQuantizeCommand(CLI::App &app, CommandBody &body) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("quantize", "write a model with other weight formats");
  command->add_option("model", arguments->model, "GGUF file; of a split model any of its files")->required();
  command->add_option("-o,--output", arguments->output, "file to write")->required();
  command->add_option("--recipe", arguments->recipe, "YAML file, or one of " + builtInRecipeNames())->required();
  command->add_option("--importance", arguments->options.importance, "GGUF file of llama-imatrix: how much each channel matters");
  addRocmFp2Option(*command, arguments->options.rocmFp2);
  command->add_option("-j,--jobs", arguments->options.jobs, "threads (0: one a core)")
      ->check(wholeNumber<unsigned>())
      ->capture_default_str();
  command->callback([arguments, &body] { body = [arguments] { return quantize(*arguments); }; });
}

} // namespace ds4
