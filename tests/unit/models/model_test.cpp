#include "models/Model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/DescriptionFile.h"
#include "support/Error.h"
#include "tests/unit/models/SmallModel.h"

using namespace ds4;
using test::SmallModel;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

class ModelTest : public testing::Test {
protected:
  Model open(const SmallModel &file) {
    file.write(folder_ / "m.gguf");
    return Model::open(folder_ / "m.gguf");
  }

  test::TemporaryFolder folder_;
};

TEST_F(ModelTest, ResolvesTheBundledModel) {
  const Model model = Model::open(std::string(DS4C_SOURCE_DIR) + "/models/tiny/ds4-tiny-mixed.gguf");
  EXPECT_THAT(model.warnings(), IsEmpty());
  EXPECT_EQ(model.weights().size(), 240u);
  const Weight *down = model.find("blk.5.ffn_down_exps.weight");
  ASSERT_TRUE(down);
  EXPECT_THAT(down->shape, ElementsAre(16, 256, 128));
  EXPECT_EQ(down->format->name, "rocmfp6");
  EXPECT_EQ(down->bytes, 16u * 256 * 128 / 32 * 26);
  EXPECT_EQ(model.find("blk.5.indexer.proj.weight"), nullptr);
  EXPECT_EQ(model.fingerprint().size(), 64u);
}

TEST_F(ModelTest, ResolvesAllDialectsToTheSameWeights) {
  const Model canonical = open({});
  SmallModel bare;
  bare.renameTensors = {{"output_hc_fn.weight", "hc_head_fn"},
                        {"blk.1.attn_kv.weight", "blk.1.attn_kv_latent.weight"},
                        {"blk.1.attn_compressor_ape.weight", "blk.1.attn_compress_ape"},
                        {"blk.1.indexer_compressor_kv.weight", "blk.1.indexer.compress_kv.weight"},
                        {"blk.0.ffn_gate_tid2eid.weight", "layers.0.ffn.gate.tid2eid"},
                        {"blk.2.exp_probs_b.bias", "blk.2.exp_probs_b"},
                        {"blk.2.attn_q_a.weight", "model.layers.2.self_attn.q_a_proj.weight"}};
  bare.renameKeys = {{"deepseek4.attention.indexer.key_length", "deepseek4.indexer.head_dim"},
                     {"deepseek4.hyper_connection.sinkhorn_iterations", "deepseek4.hyper_connection.sinkhorn_iters"}};
  const Model renamed = open(bare);
  EXPECT_EQ(renamed.description(), canonical.description());
  EXPECT_THAT(renamed.warnings(), IsEmpty());
  ASSERT_EQ(renamed.weights().size(), canonical.weights().size());
  for (size_t i = 0; i < renamed.weights().size(); ++i) {
    EXPECT_EQ(renamed.weights()[i].name, canonical.weights()[i].name);
    EXPECT_EQ(renamed.weights()[i].shape, canonical.weights()[i].shape);
  }
}

TEST_F(ModelTest, FingerprintFollowsFormatsShapesAndValues) {
  const std::string whole = open({}).fingerprint();
  EXPECT_EQ(open({}).fingerprint(), whole);
  EXPECT_NE(open({.formats = {{"output.weight", WeightFormat::F32}}}).fingerprint(), whole);
  SmallModel scaled;
  scaled.dropKeys = {"deepseek4.expert_weights_scale"};
  scaled.add = [](gguf::Writer &writer) { writer.set("deepseek4.expert_weights_scale", 2.5f); };
  EXPECT_NE(open(scaled).fingerprint(), whole);
  EXPECT_EQ(open({.add = [](gguf::Writer &writer) { writer.set("general.quantized_by", "x"); }}).description(),
            open({}).description());
}

TEST_F(ModelTest, TakesGroupsOfTheOutputProjectionAsADimension) {
  const Model model = open({.dims = {{"blk.0.attn_output_a.weight", {64, 16, 2}}}});
  EXPECT_THAT(model.find("blk.0.attn_output_a.weight")->shape, ElementsAre(32, 64));
}

TEST_F(ModelTest, TakesTrailingDimensionsOfOne) {
  EXPECT_THAT(open({.dims = {{"output_norm.weight", {64, 1}}}}).find("output_norm.weight")->shape, ElementsAre(64));
}

TEST_F(ModelTest, TakesScalarClampsAndTheGatingFunctionsName) {
  SmallModel file;
  file.dropKeys = {"deepseek4.swiglu_clamp_exp", "deepseek4.swiglu_clamp_shexp", "deepseek4.expert_gating_func"};
  file.add = [](gguf::Writer &writer) {
    writer.set("deepseek4.swiglu_clamp_exp", 7.0f);
    writer.set("deepseek4.expert_gating_func", "sqrtsoftplus");
  };
  const Model model = open(file);
  EXPECT_THAT(model.description().clamps, ElementsAre(7, 7, 7));
  EXPECT_THAT(model.description().sharedClamps, ElementsAre(7, 7, 7));
}

TEST_F(ModelTest, LeavesNextTokenBlocksOut) {
  SmallModel file;
  file.dropKeys = {"deepseek4.block_count"};
  file.add = [](gguf::Writer &writer) {
    writer.set("deepseek4.block_count", uint32_t{4});
    writer.set("deepseek4.nextn_predict_layers", uint32_t{1});
    writer.addTensor("blk.3.nextn.enorm.weight", formatOf(WeightFormat::F32), {64});
    writer.addTensor("blk.4.attn_norm.weight", formatOf(WeightFormat::F32), {64});
  };
  const Model model = open(file);
  EXPECT_EQ(model.description().blocks, 3u);
  EXPECT_THAT(model.warnings(), ElementsAre(EndsWith("not used: 'blk.4.attn_norm.weight'"))); // the block is a drafter's
  // Others announce the block without counting or holding it.
  EXPECT_EQ(
      open({.add = [](gguf::Writer &writer) { writer.set("deepseek4.nextn_predict_layers", uint32_t{1}); }}).description().blocks,
      3u);
}

// Flash files of the first converters lack these; the shapes of the tensors still prove the values.
TEST_F(ModelTest, FillsKeysThatFlashFilesLack) {
  const DescriptionFile &flash = builtInDescriptions()[0];
  gguf::Writer complete, writer;
  flash.model.writeTo(complete);
  complete.write(folder_ / "keys.gguf");
  const auto keys = gguf::Reader::open(folder_ / "keys.gguf");
  for (const gguf::Entry &entry : keys.entries())
    if (std::ranges::find(flash.mayLack, entry.key) == flash.mayLack.end())
      writer.copy(keys, entry);
  for (const ExpectedTensor &tensor : flash.model.tensors())
    writer.addTensor(tensor.name, formatOf(tensor.role == WeightRole::Table ? WeightFormat::I32 : WeightFormat::F16),
                     {tensor.shape.rbegin(), tensor.shape.rend()});
  // Half a terabyte, all of it a hole.
  writer.write(folder_ / "flash.gguf");
  const Model model = Model::open(folder_ / "flash.gguf");
  EXPECT_EQ(model.description(), flash.model);
  EXPECT_THAT(model.warnings(), ElementsAre(HasSubstr("lacks deepseek4.vocab_size, ")));
}

TEST_F(ModelTest, ListsAllThatIsMissingAtOnce) {
  SmallModel file;
  file.dropKeys = {"deepseek4.attention.q_lora_rank", "deepseek4.rope.freq_base", "deepseek4.attention.compress_ratios",
                   "deepseek4.hash_layer_count"};
  file.dropTensors = {"output.weight", "blk.2.attn_norm.weight"};
  file.dims = {{"blk.0.attn_kv.weight", {64, 31}}, {"blk.1.ffn_down_exps.weight", {32, 64, 7}}};
  file.formats = {{"blk.0.attn_sinks.weight", WeightFormat::I32}};
  try {
    open(file);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ExitCode::User);
    const std::string message = error.what();
    EXPECT_THAT(message,
                HasSubstr("missing keys deepseek4.attention.q_lora_rank, deepseek4.hash_layer_count, deepseek4.rope.freq_base, "
                          "deepseek4.attention.compress_ratios;"));
    EXPECT_THAT(message, HasSubstr("missing tensors output.weight, blk.2.attn_norm.weight;"));
    EXPECT_THAT(message,
                HasSubstr("wrong shapes blk.0.attn_kv.weight [31, 64] (wanted [32, 64]), blk.1.ffn_down_exps.weight [7, 64, 32] "
                          "(wanted [8, 64, 32]);"));
    EXPECT_THAT(message, HasSubstr("wrong formats blk.0.attn_sinks.weight i32:"));
    EXPECT_EQ(message.find('\n'), message.npos);
  }
}

TEST_F(ModelTest, CountsWhatItDoesNotList) {
  SmallModel file;
  for (const ExpectedTensor &tensor : test::smallDescription().tensors())
    if (tensor.name.starts_with("blk.0."))
      file.dropTensors.insert(tensor.name);
  try {
    open(file);
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), HasSubstr(fmt::format(" and {} more", file.dropTensors.size() - 20)));
  }
}
