#include <memory>

#include <fmt/ranges.h>

#include "models/DescriptionFile.h"
#include "models/synth/Synth.h"
#include "support/Error.h"
#include "support/File.h"
#include "tools/CommandLine.h"
#include "tools/ds4c/Commands.h"
#include "tools/ds4c/ProgressLine.h"

namespace ds4 {

namespace {

struct Arguments {
  std::string model, output, recipe;
  SynthOptions options;
};

std::string builtInNames() {
  std::vector<std::string_view> names;
  for (const DescriptionFile &built : builtInDescriptions())
    names.push_back(built.model.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

ModelDescription describe(const std::string &nameOrPath) {
  for (const DescriptionFile &built : builtInDescriptions())
    if (built.model.name == nameOrPath)
      return built.model;
  if (nameOrPath.find_first_of("./") == nameOrPath.npos) {
    userError("no model '{}' is built in: name a YAML file, or one of {}", nameOrPath, builtInNames());
  }
  return ModelDescription::fromYaml(nameOrPath);
}

int synthesize(const Arguments &arguments) {
  const ModelDescription description = describe(arguments.model);
  const Recipe recipe = arguments.recipe.empty() ? Recipe() : Recipe::open(arguments.recipe);
  const std::string inputs[] = {arguments.model, arguments.recipe}; // names of built-in ones are no files that -o replaces
  refuseToReplace(inputs, arguments.output);
  SynthSummary summary;
  {
    ProgressLine line;
    SynthOptions options = arguments.options;
    options.progress = [&](uint64_t done, uint64_t total, std::string_view tensor) { line.show(done, total, tensor); };
    summary = synthesizeModel(description, recipe, arguments.output, options);
  }
  fmt::print("{}: {}, {} tensors, {:.1f} MB of weights{}\n", arguments.output, description.name, summary.tensors,
             static_cast<double>(summary.bytes) * 1e-6, arguments.options.sparse ? ", none of them on disk" : "");
  return 0;
}

} // namespace

void addSynthCommand(CLI::App &app, CommandBody &body) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("synth", "write a model with generated weights");
  command->add_option("--model", arguments->model, "YAML description, or the name of a built-in one: " + builtInNames())
      ->required();
  command->add_option("-o,--output", arguments->output, "file to write")->required();
  command->add_option("--recipe", arguments->recipe, "YAML file, or one of " + builtInRecipeNames() + " (default: f16)");
  command->add_flag("--next-token-block", arguments->options.nextTokenBlock,
                    "with the block behind the model's that drafts the next token (MTP)");
  command->add_flag("--sparse", arguments->options.sparse, "no data: full size on paper, holes on disk");
  command->add_option("--seed", arguments->options.seed, "of the weights")->check(wholeNumber<uint64_t>())->capture_default_str();
  command->add_option("--tokenizer", arguments->options.tokenizer, "GGUF file to copy the tokenizer of");
  command->add_option("-j,--jobs", arguments->options.jobs, "threads (0: one a core)")
      ->check(wholeNumber<unsigned>())
      ->capture_default_str();
  command->callback([arguments, &body] { body = [arguments] { return synthesize(*arguments); }; });
}

} // namespace ds4
