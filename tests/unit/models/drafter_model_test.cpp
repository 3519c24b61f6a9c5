#include "models/DrafterModel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/models/DrafterFileTest.h"

using namespace ds4;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr uint32_t kRank = 32;

// Two blocks that draft for the small model, taps after its last two blocks; and what differs from the complete file.
struct SmallDrafter {
  bool llamaCpp = false;                                  // names and keys in its dialect, else in Lucebox'
  std::set<std::string> drop = {};                        // keys and tensors, as in Lucebox' dialect without the prefix of keys
  std::map<std::string, std::vector<uint64_t>> dims = {}; // of tensors
  uint32_t width = 64, sharedExperts = 1;                 // as the keys tell
  std::vector<int32_t> taps = {1, 2};
  float bias = 0;
  std::optional<uint32_t> gating = {}; // instead of the known one

  void write(const std::string &path) const {
    ModelDescription blocks = test::smallDescription();
    blocks.width = width, blocks.blocks = 2, blocks.ratios = {0, 0}, blocks.hashLayers = 0;
    ModelDescription told = blocks;
    told.sharedExperts = sharedExperts;
    gguf::Writer writer;
    writeKeys(writer, told, path + ".whole");
    for (const ExpectedTensor &tensor : blocks.tensors())
      if (tensor.name != "token_embd.weight" && tensor.name != "output.weight")
        add(writer, tensor.name, tensor.name, {tensor.shape.rbegin(), tensor.shape.rend()});
    add(writer, "dflash.fc.weight", "fc.weight", {taps.size() * width, width});
    add(writer, "dflash.hidden_norm.weight", "enc.output_norm.weight", {width});
    add(writer, "dflash.dspark.markov.w1", "markov_w1.weight", {kRank, 64});
    add(writer, "dflash.dspark.markov.w2", "markov_w2.weight", {kRank, 64});
    add(writer, "dflash.dspark.confidence.weight", "conf_proj.weight", {width + kRank, 1});
    writer.addTensor(llamaCpp ? "conf_proj.bias" : "dflash.dspark.confidence.bias", formatOf(WeightFormat::F32), {1},
                     [this](uint64_t, std::span<std::byte> chunk) { std::memcpy(chunk.data(), &bias, sizeof bias); });
    writer.write(path);
  }

private:
  void add(gguf::Writer &writer, const std::string &name, const std::string &llamaCppName, std::vector<uint64_t> size) const {
    const auto cut = dims.find(name);
    if (!drop.contains(name))
      writer.addTensor(llamaCpp ? llamaCppName : name, formatOf(WeightFormat::F16),
                       cut == dims.end() ? std::move(size) : cut->second);
  }

  void writeKeys(gguf::Writer &writer, const ModelDescription &blocks, const std::string &whole) const {
    gguf::Writer complete;
    blocks.writeTo(complete);
    complete.write(whole);
    const gguf::Reader keys = gguf::Reader::open(whole);
    const std::string architecture = llamaCpp ? "dflash" : "deepseek4-dflash-draft", from = "deepseek4.";
    for (gguf::Entry entry : keys.entries()) {
      const std::string bare = entry.key.starts_with(from) ? entry.key.substr(from.size()) : entry.key;
      if (drop.contains(bare) || (gating && bare == "expert_gating_func") || entry.key == "general.architecture" ||
          bare == "rope.scaling.type")
        continue;
      if (bare != entry.key)
        entry.key = architecture + "." + bare;
      writer.copy(keys, entry);
    }
    writer.set("general.architecture", architecture);
    if (gating)
      writer.set(architecture + ".expert_gating_func", *gating);
    const auto set = [&](const std::string &key, const std::string &llamaCppKey, uint32_t value) {
      if (!drop.contains(key))
        writer.set(llamaCpp ? llamaCppKey : architecture + "." + key, value);
    };
    set("dflash.block_size", "dflash.block_size", 5);
    set("dflash.mask_token_id", "tokenizer.ggml.mask_token_id", 2);
    std::vector<int32_t> counted = taps;
    for (int32_t &tap : counted)
      tap += llamaCpp;
    if (!drop.contains("dflash.capture_layer_ids"))
      writer.setArray(llamaCpp ? "dflash.target_layers" : architecture + ".dflash.capture_layer_ids", counted);
  }
};

using DrafterModelTest = test::DrafterFileTest<SmallDrafter>;

} // namespace

TEST_F(DrafterModelTest, ReadsBothDialectsAlike) {
  const DrafterModel lucebox = open({}), llamaCpp = open({.llamaCpp = true});
  EXPECT_EQ(lucebox.description().toText(), llamaCpp.description().toText());
  EXPECT_THAT(llamaCpp.warnings(), IsEmpty());
  ASSERT_EQ(lucebox.weights().size(), llamaCpp.weights().size());
  for (size_t i = 0; i < lucebox.weights().size(); ++i)
    EXPECT_EQ(lucebox.weights()[i].name, llamaCpp.weights()[i].name);
  const DrafterDescription &drafter = llamaCpp.description();
  EXPECT_THAT(drafter.taps, ElementsAre(1, 2));
  EXPECT_EQ(drafter.blockSize, 5u);
  EXPECT_EQ(drafter.noiseToken, 2u);
  EXPECT_EQ(drafter.markovRank, kRank);
  EXPECT_THAT(drafter.blocks.ratios, ElementsAre(0, 0));
  EXPECT_EQ(drafter.blocks.hashLayers, 0u);
}

TEST_F(DrafterModelTest, NamesBearThePrefix) {
  const DrafterModel drafter = open({});
  for (const Weight &weight : drafter.weights())
    EXPECT_TRUE(weight.name.starts_with("dspark.")) << weight.name;
}

TEST_F(DrafterModelTest, ListsAllThatIsMissingAtOnce) {
  const std::string line =
      refusal({.drop = {"attention.q_lora_rank", "dflash.block_size", "dflash.fc.weight", "blk.1.attn_kv.weight"},
               .dims = {{"dflash.dspark.markov.w2", {16, 64}}}});
  EXPECT_THAT(
      line, AllOf(HasSubstr("missing keys deepseek4-dflash-draft.attention.q_lora_rank, deepseek4-dflash-draft.dflash.block_size;"),
                  HasSubstr("missing tensors blk.1.attn_kv.weight, main_proj.weight;"),
                  HasSubstr("wrong shapes markov_w2.weight [64, 16] (wanted [64, 32])")));
  EXPECT_THAT(refusal({.llamaCpp = true, .drop = {"dflash.capture_layer_ids", "dflash.mask_token_id"}}),
              HasSubstr("missing keys tokenizer.ggml.mask_token_id, dflash.target_layers:"));
}

TEST_F(DrafterModelTest, RefusesDraftersOfOtherModels) {
  EXPECT_THAT(refusal({.width = 128}), HasSubstr("its width is 128, the target's 64: it drafts for another model"));
  EXPECT_THAT(refusal({.taps = {1, 3}}), HasSubstr("names block 3, the target has 0 to 2"));
  EXPECT_THAT(refusal({.llamaCpp = true, .taps = {-1, 2}}), HasSubstr("names block 0, the target has 1 to 3"));
  EXPECT_THAT(refusal({.dims = {{"dflash.fc.weight", {64, 64}}}, .taps = {}}), HasSubstr("names no block"));
}

TEST_F(DrafterModelTest, RefusesBlocksThatNoKernelRuns) {
  EXPECT_THAT(refusal({.sharedExperts = 0}),
              AllOf(HasSubstr("drafter.gguf': "), HasSubstr("key 'deepseek4-dflash-draft.expert_shared_count' is 0, 1 to")));
}

TEST_F(DrafterModelTest, RefusesOtherKinds) {
  EXPECT_THAT(refusal({.bias = 0.5f}), HasSubstr("the confidence has a bias of 0.5"));
  EXPECT_THAT(refusal({.gating = 2}), HasSubstr("key 'deepseek4-dflash-draft.expert_gating_func' is 2, a DS4 model has 4"));
  test::SmallModel().write(folder_ / "target.gguf");
  const Model target = Model::open(folder_ / "target.gguf");
  test::SmallModel other;
  other.dropKeys = {"general.architecture"};
  other.add = [](gguf::Writer &writer) { writer.set("general.architecture", "llama"); };
  other.write(folder_ / "llama.gguf");
  EXPECT_THAT(
      test::failure([&] { DrafterModel::open(folder_ / "llama.gguf", target); }).second,
      HasSubstr("has the architecture 'llama': a drafter's is 'deepseek4-dflash-draft' or 'dflash', or it is 'deepseek4' with"));
}
