// Which format each weight of a model gets: an ordered list of patterns over canonical tensor names, read from YAML.
//
//     name: q8
//     notes: why these formats                # optional
//     rules:
//       - output.weight: q8_0
//       - blk.*.attn_q_?.weight: q8_0          # "*" any characters but a dot, "?" one, "[0-4]" one of a set
//       - blk.*.ffn_down_exps.weight: keep     # ends the search for these tensors
//
// The first pattern that matches a tensor decides; a tensor that none matches keeps its format. Norms, biases, scales and
// tables are matched by their whole name alone: only the block's number may be a wildcard ("blk.*.attn_norm.weight").
//
// Every error is ds4::Error (User), one line: "'SOURCE' line N: what is wrong".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/ModelDescription.h"
#include "support/Error.h"

namespace ds4 {

struct RecipeRule {
  std::string pattern;
  const Format *format; // nullptr: keep
  int line;             // of the YAML, from 1
};

// A tensor as a recipe sees it.
struct RecipeTensor {
  std::string name; // canonical
  WeightRole role;
  uint64_t rowWeights;
  const Format *format; // what it keeps when no rule applies
};

struct FormatChoice {
  const Format *format;
  const RecipeRule *rule; // nullptr: no rule applies; points into the recipe
};

class Recipe {
public:
  // A recipe without rules: everything stays as it is.
  Recipe() = default;
  // The name of a built-in recipe, or a file.
  static Recipe open(const std::string &nameOrPath);
  static Recipe parse(std::string_view text, std::string_view source);

  const std::string &name() const { return name_; }
  const std::vector<RecipeRule> &rules() const { return rules_; }

  // One choice a tensor. Throws when a pattern matches no tensor, or a format cannot hold a tensor that it is chosen for.
  std::vector<FormatChoice> choose(std::span<const RecipeTensor> tensors) const;

  template <typename... Args>
  [[noreturn]] void fail(const RecipeRule &rule, fmt::format_string<Args...> format, Args &&...args) const {
    userError("'{}' line {}: {}", source_, rule.line, fmt::format(format, std::forward<Args>(args)...));
  }

private:
  std::string source_, name_ = "none";
  std::vector<RecipeRule> rules_;
};

// "antirez-q2, q8, ...": for messages and help.
std::string builtInRecipeNames();

} // namespace ds4
