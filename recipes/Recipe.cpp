#include "recipes/Recipe.h"

#include <algorithm>

#include <fmt/ranges.h>
#include <fnmatch.h>
#include <yaml-cpp/yaml.h>

#include "models/YamlFault.h"
#include "recipes/BuiltInRecipes.h"
#include "support/File.h"

namespace ds4 {

namespace {

constexpr uint64_t kMaxYamlBytes = 1 << 20;

// A pattern's wildcards stay within one part of a dotted name, as a shell's stay within one folder of a path.
bool matches(std::string pattern, std::string name) {
  std::ranges::replace(pattern, '.', '/');
  std::ranges::replace(name, '.', '/');
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_PATHNAME) == 0;
}

// Whether a pattern spells its tensor's name out, up to the number of the block.
bool namesWholly(std::string_view pattern) {
  if (pattern.starts_with("blk."))
    pattern.remove_prefix(std::min(pattern.find('.', 4), pattern.size()));
  return pattern.find_first_of("*?[") == pattern.npos;
}

bool isMatrix(WeightRole role) { return role == WeightRole::Matrix || role == WeightRole::ExpertMatrix; }

std::string_view formatsOf(WeightRole role) { return role == WeightRole::Table ? "i32" : "f32, f16 or bf16"; }

// Reads one file; every message names the line.
class RecipeReader {
public:
  explicit RecipeReader(std::string_view source) : source_(source) {}

  std::string name;
  std::vector<RecipeRule> rules;

  void read(const YAML::Node &root) {
    if (!root.IsMap())
      fail(root, "a recipe has the fields name and rules");
    for (const auto &item : root) {
      const std::string field = scalar(item.first, "a field's name");
      if (field == "name")
        name = scalar(item.second, field);
      else if (field == "rules")
        readRules(item.second);
      else if (field != "notes")
        fail(item.first, "unknown field '{}': a recipe has name, notes and rules", field);
    }
    if (name.empty() || rules.empty())
      fail(root, "the field '{}' is missing", name.empty() ? "name" : "rules");
  }

private:
  template <typename... Args>
  [[noreturn]] void fail(const YAML::Node &at, fmt::format_string<Args...> format, Args &&...args) const {
    userError("'{}' line {}: {}", source_, std::max(at.Mark().line, 0) + 1, fmt::format(format, std::forward<Args>(args)...));
  }

  std::string scalar(const YAML::Node &node, std::string_view field) const {
    if (!node.IsScalar())
      fail(node, "{} wants a single value", field);
    return node.Scalar();
  }

  void readRules(const YAML::Node &list) {
    if (!rules.empty())
      fail(list, "the field 'rules' occurs twice");
    if (!list.IsSequence())
      fail(list, "rules wants a list of '- PATTERN: FORMAT' lines");
    for (const YAML::Node &item : list) {
      if (!item.IsMap() || item.size() != 1)
        fail(item, "a rule is one '- PATTERN: FORMAT' line");
      const auto rule = *item.begin(); // begin()-> would refer into a temporary
      const YAML::Node &pattern = rule.first, &format = rule.second;
      const std::string formatName = scalar(format, "a rule's format");
      const Format *found = findFormatByName(formatName);
      if (!found && formatName != "keep")
        fail(format, "unknown format '{}': choose keep, {}", formatName, supportedFormatNames());
      rules.push_back({scalar(pattern, "a rule's pattern"), found, pattern.Mark().line + 1});
    }
  }

  std::string_view source_;
};

} // namespace

Recipe Recipe::parse(std::string_view text, std::string_view source) {
  RecipeReader reader(source);
  try {
    reader.read(YAML::Load(std::string(text)));
  } catch (const YAML::Exception &error) {
    refuseYaml(source, error);
  }
  Recipe recipe;
  recipe.source_ = source;
  recipe.name_ = std::move(reader.name);
  recipe.rules_ = std::move(reader.rules);
  return recipe;
}

Recipe Recipe::open(const std::string &nameOrPath) {
  for (const BuiltInRecipe &recipe : builtInRecipes())
    if (recipe.name == nameOrPath)
      return parse(recipe.text, nameOrPath);
  if (nameOrPath.find_first_of("./") == nameOrPath.npos)
    userError("no recipe '{}' is built in: name a file, or one of {}", nameOrPath, builtInRecipeNames());
  const File file(nameOrPath);
  if (file.size() > kMaxYamlBytes)
    userError("'{}' has {} bytes, too many for a recipe: name a YAML file", nameOrPath, file.size());
  const std::vector<std::byte> bytes = file.readAll();
  return parse({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, nameOrPath);
}

std::vector<FormatChoice> Recipe::choose(std::span<const RecipeTensor> tensors) const {
  std::vector<bool> used(rules_.size());
  std::vector<FormatChoice> choices;
  for (const RecipeTensor &tensor : tensors) {
    FormatChoice choice{tensor.format, nullptr};
    for (size_t i = 0; i < rules_.size(); ++i) {
      const RecipeRule &rule = rules_[i];
      if (!matches(rule.pattern, tensor.name) || (!isMatrix(tensor.role) && !namesWholly(rule.pattern)))
        continue;
      used[i] = true;
      if (!choice.rule)
        choice = {rule.format ? rule.format : tensor.format, &rule};
    }
    if (choice.rule && !roleAllows(tensor.role, choice.format->id))
      fail(*choice.rule, "{} cannot hold '{}': choose {}", choice.format->name, tensor.name,
           isMatrix(tensor.role) ? "a format of weights" : formatsOf(tensor.role));
    if (!choice.format->holdsRow(tensor.rowWeights))
      fail(*choice.rule, "'{}' has rows of {} weights, no whole number of blocks of {} ({} weights)", tensor.name,
           tensor.rowWeights, choice.format->name, choice.format->blockWeights);
    choices.push_back(choice);
  }
  for (size_t i = 0; i < rules_.size(); ++i)
    if (!used[i])
      fail(rules_[i], "the pattern '{}' matches no tensor of the model{}", rules_[i].pattern,
           namesWholly(rules_[i].pattern) ? "" : "; norms, biases and tables want their whole names");
  return choices;
}

std::string builtInRecipeNames() {
  std::vector<std::string_view> names;
  for (const BuiltInRecipe &recipe : builtInRecipes())
    names.push_back(recipe.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace ds4
