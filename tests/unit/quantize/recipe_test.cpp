#include "recipes/Recipe.h"

#include <gmock/gmock.h>

#include "models/DescriptionFile.h"

using namespace ds4;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

namespace {

RecipeTensor matrix(const std::string &name, uint64_t cols = 256) {
  return {name, WeightRole::Matrix, cols, &formatOf(WeightFormat::F16)};
}

RecipeTensor vector(const std::string &name) { return {name, WeightRole::Vector, 256, &formatOf(WeightFormat::F32)}; }

// The names of the chosen formats. `rules` are the lines below "rules:", which stand from line 3 on.
std::vector<std::string_view> choose(const std::string &rules, const std::vector<RecipeTensor> &tensors) {
  const Recipe recipe = Recipe::parse("name: test\nrules:\n" + rules, "r.yaml");
  std::vector<std::string_view> names;
  for (const FormatChoice &choice : recipe.choose(tensors))
    names.push_back(choice.format->name);
  return names;
}

std::string messageOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ExitCode::User);
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("\n")));
    return error.what();
  }
  return "no error";
}

std::string parseError(const std::string &text) {
  return messageOf([&] { Recipe::parse(text, "r.yaml"); });
}

std::string chooseError(const std::string &rules, const std::vector<RecipeTensor> &tensors) {
  return messageOf([&] { choose(rules, tensors); });
}

} // namespace

TEST(Recipe, FirstMatchingRuleDecides) {
  EXPECT_THAT(choose("  - blk.1.a.weight: q8_0\n  - blk.*.a.weight: q4_0\n", {matrix("blk.0.a.weight"), matrix("blk.1.a.weight")}),
              ElementsAre("q4_0", "q8_0"));
}

TEST(Recipe, TensorsThatNoRuleMatchesKeepTheirFormat) {
  EXPECT_THAT(choose("  - a.weight: q8_0\n", {matrix("a.weight"), matrix("b.weight")}), ElementsAre("q8_0", "f16"));
}

TEST(Recipe, KeepEndsTheSearch) {
  EXPECT_THAT(choose("  - blk.0.*.weight: keep\n  - blk.*.*.weight: q8_0\n", {matrix("blk.0.a.weight"), matrix("blk.1.a.weight")}),
              ElementsAre("f16", "q8_0"));
}

TEST(Recipe, SetsAndSingleCharactersMatch) {
  EXPECT_THAT(choose("  - blk.*[02].q_?.weight: q8_0\n",
                     {matrix("blk.2.q_a.weight"), matrix("blk.10.q_b.weight"), matrix("blk.11.q_b.weight")}),
              ElementsAre("q8_0", "q8_0", "f16"));
}

TEST(Recipe, WildcardsDoNotCrossDots) {
  EXPECT_THAT(
      choose("  - blk.*.attn_q_b.weight: q8_0\n", {matrix("blk.2.attn_q_b.weight"), matrix("blk.2.indexer.attn_q_b.weight")}),
      ElementsAre("q8_0", "f16"));
}

TEST(Recipe, WildcardsLeaveNormsAlone) {
  EXPECT_THAT(choose("  - blk.*.*.weight: bf16\n", {matrix("blk.0.a.weight"), vector("blk.0.a_norm.weight")}),
              ElementsAre("bf16", "f32"));
}

TEST(Recipe, NormsAreMatchedByTheirWholeName) {
  EXPECT_THAT(choose("  - blk.*.a_norm.weight: f16\n", {vector("blk.0.a_norm.weight")}), ElementsAre("f16"));
}

TEST(Recipe, RefusesUnknownFormatsWithTheirLine) {
  EXPECT_THAT(parseError("name: r\nrules:\n  - a: q8_0\n  - b: q9_0\n"), StartsWith("'r.yaml' line 4: unknown format 'q9_0'"));
}

TEST(Recipe, RefusesWhatIsNoRecipe) {
  EXPECT_THAT(parseError("- a\n"), HasSubstr("line 1"));
  EXPECT_THAT(parseError("name: r\nrules: " + std::string(100'000, '[')),
              MatchesRegex("'r.yaml' line 2: more than [0-9]+ brackets or levels within one another"));
  EXPECT_THAT(parseError("name: r\n"), HasSubstr("'rules' is missing"));
  EXPECT_THAT(parseError("rules:\n  - a: q8_0\n"), HasSubstr("'name' is missing"));
  EXPECT_THAT(parseError("name: r\nrules:\n  - a: q8_0\nmodel: x\n"), HasSubstr("line 4: unknown field 'model'"));
  EXPECT_THAT(parseError("name: r\nrules:\n  - {a: q8_0, b: q8_0}\n"), HasSubstr("line 3: a rule is one"));
  EXPECT_THAT(parseError("name: r\nrules: [\n"), HasSubstr("'r.yaml' line"));
  // The parser takes a zero byte for an escape, and its words hold the line break that follows.
  EXPECT_THAT(parseError(std::string("name: r\nrules\0\n  - a: q8_0\n", 27)), AllOf(HasSubstr("line"), Not(HasSubstr("\n"))));
}

TEST(Recipe, RefusesPatternsWithoutATensor) {
  EXPECT_THAT(chooseError("  - a.weight: q8_0\n  - blk.9.a.weight: q8_0\n", {matrix("a.weight")}),
              StartsWith("'r.yaml' line 4: the pattern 'blk.9.a.weight' matches no tensor"));
}

TEST(Recipe, RefusalsTakeOneLineWhateverThePatternHolds) {
  EXPECT_EQ(chooseError("  - \"a\\nb\": q8_0\n", {matrix("a.weight")}),
            "'r.yaml' line 3: the pattern 'a; b' matches no tensor of the model");
  EXPECT_THAT(parseError("name: r\n\"ru\\nles\": x\n"), AllOf(HasSubstr("unknown field 'ru; les'"), Not(HasSubstr("\n"))));
}

TEST(Recipe, RefusesFormatsThatATensorCannotHave) {
  EXPECT_THAT(chooseError("  - a_norm.weight: q8_0\n", {vector("a_norm.weight")}), StartsWith("'r.yaml' line 3: q8_0 cannot hold"));
  EXPECT_THAT(chooseError("  - a.weight: i32\n", {matrix("a.weight")}), HasSubstr("line 3: i32 cannot hold"));
}

TEST(Recipe, RefusesRowsThatAreNoWholeBlocks) {
  EXPECT_THAT(chooseError("  - a.weight: q2_k\n", {matrix("a.weight", 128)}),
              HasSubstr("line 3: 'a.weight' has rows of 128 weights"));
}

TEST(Recipe, NamesTheBuiltInOnesForAnUnknownName) {
  EXPECT_THAT(messageOf([] { Recipe::open("q9"); }), HasSubstr("antirez-q2, q8, q8-drafter, rocmfp4, rocmfpx-mix, tiny-mixed"));
}

TEST(Recipe, BuiltInRecipesChooseAFormatForEveryExpertOfTheRealModel) {
  std::vector<RecipeTensor> tensors;
  for (const ExpectedTensor &tensor : builtInDescriptions()[0].model.tensors())
    tensors.push_back({tensor.name, tensor.role, static_cast<uint64_t>(tensor.shape.back()), &formatOf(WeightFormat::I32)});
  for (const char *name : {"antirez-q2", "q8", "rocmfp4", "rocmfpx-mix"}) {
    const Recipe recipe = Recipe::open(name);
    EXPECT_EQ(recipe.name(), name);
    const std::vector<FormatChoice> choices = recipe.choose(tensors);
    for (size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i].role == WeightRole::ExpertMatrix)
        EXPECT_TRUE(choices[i].rule) << name << " " << tensors[i].name;
  }
}
