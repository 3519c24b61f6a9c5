#include "models/ModelDescription.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/DescriptionFile.h"
#include "support/Error.h"
#include "tests/unit/models/SmallModel.h"

using namespace ds4;
using testing::HasSubstr;

namespace {

std::string yamlPath(const std::string &name) { return std::string(DS4C_SOURCE_DIR) + "/models/" + name + ".yaml"; }

std::string yamlText(const std::string &name) {
  const std::vector<std::byte> bytes = File(yamlPath(name)).readAll();
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

std::string faultOf(const std::string &yaml) {
  try {
    parseDescription(yaml, "x.yaml");
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ExitCode::User);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "no error";
}

const ExpectedTensor *findTensor(const std::vector<ExpectedTensor> &tensors, const std::string &name) {
  const auto found = std::ranges::find(tensors, name, &ExpectedTensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

} // namespace

TEST(ModelDescription, BundledModelIsWhatItsYamlSays) {
  const auto file = gguf::Reader::open(std::string(DS4C_SOURCE_DIR) + "/models/tiny/ds4-tiny-mixed.gguf");
  ModelDescription fromGguf = ModelDescription::fromGguf(file);
  EXPECT_EQ(fromGguf.name, "DS4 tiny (trained for tests)");
  fromGguf.name = "ds4-tiny";
  EXPECT_EQ(fromGguf.toText(), ModelDescription::fromYaml(yamlPath("ds4-tiny")).toText());
}

// The published configuration.
TEST(ModelDescription, FlashIsThePublishedConfiguration) {
  const ModelDescription m = ModelDescription::fromYaml(yamlPath("ds4-flash"));
  EXPECT_EQ(m.vocabulary, 129280u);
  EXPECT_EQ(m.contextLength, 1048576u);
  EXPECT_EQ(m.width, 4096u);
  EXPECT_EQ(m.blocks, 43u);
  EXPECT_EQ(m.heads, 64u);
  EXPECT_EQ(m.headWidth, 512u);
  EXPECT_EQ(m.ropeWidth, 64u);
  EXPECT_EQ(m.qRank, 1024u);
  EXPECT_EQ(m.outputGroups, 8u);
  EXPECT_EQ(m.outputRank, 1024u);
  EXPECT_EQ(m.window, 128u);
  EXPECT_EQ(m.expertWidth, 2048u);
  EXPECT_EQ(m.experts, 256u);
  EXPECT_EQ(m.sharedExperts, 1u);
  EXPECT_EQ(m.expertsUsed, 6u);
  EXPECT_EQ(m.hashLayers, 3u);
  EXPECT_EQ(m.expertScale, 1.5f);
  EXPECT_THAT(m.clamps, testing::ElementsAreArray(std::vector<float>(43, 10.0f)));
  EXPECT_EQ(m.sharedClamps, m.clamps);
  EXPECT_EQ(m.indexerHeads, 64u);
  EXPECT_EQ(m.indexerWidth, 128u);
  EXPECT_EQ(m.indexerTopK, 512u);
  EXPECT_EQ(m.streams, 4u);
  EXPECT_EQ(m.sinkhornIterations, 20u);
  EXPECT_EQ(m.hcEps, 1e-6f);
  EXPECT_EQ(m.normEps, 1e-6f);
  EXPECT_EQ(m.ropeBase, 10000.0f);
  EXPECT_EQ(m.compressRopeBase, 160000.0f);
  EXPECT_EQ(m.yarnFactor, 16.0f);
  EXPECT_EQ(m.yarnOriginalContext, 65536u);
  EXPECT_EQ(m.yarnBetaFast, 32.0f);
  EXPECT_EQ(m.yarnBetaSlow, 1.0f);
  EXPECT_EQ(m.bos, 0u);
  EXPECT_EQ(m.eos, 1u);
  // Layers 0 and 1 have no compressor; then even layers have ratio 4 and odd ones 128.
  ASSERT_EQ(m.ratios.size(), 43u);
  for (uint32_t block = 0; block < 43; ++block)
    EXPECT_EQ(m.ratios[block], block < 2 ? 0u : block % 2 == 0 ? 4u : 128u);
}

TEST(ModelDescription, Flash0731HasTheSameGeometry) {
  ModelDescription later = ModelDescription::fromYaml(yamlPath("ds4-flash-0731"));
  EXPECT_EQ(later.name, "ds4-flash-0731");
  later.name = "ds4-flash";
  EXPECT_EQ(later, ModelDescription::fromYaml(yamlPath("ds4-flash")));
}

TEST(ModelDescription, FlashHasTheCheckpointsShapes) {
  const auto tensors = ModelDescription::fromYaml(yamlPath("ds4-flash")).tensors();
  const std::pair<const char *, std::vector<int64_t>> shapes[] = {
      {"token_embd.weight", {129280, 4096}},
      {"output_hc_fn.weight", {4, 16384}},
      {"blk.0.hc_attn_fn.weight", {24, 16384}},
      {"blk.0.hc_ffn_scale.weight", {3}},
      {"blk.42.attn_sinks.weight", {64}},
      {"blk.0.attn_q_a.weight", {1024, 4096}},
      {"blk.0.attn_q_b.weight", {32768, 1024}},
      {"blk.0.attn_kv.weight", {512, 4096}},
      {"blk.0.attn_output_a.weight", {8192, 4096}},
      {"blk.0.attn_output_b.weight", {4096, 8192}},
      {"blk.2.attn_compressor_kv.weight", {1024, 4096}},
      {"blk.2.attn_compressor_ape.weight", {4, 1024}},
      {"blk.3.attn_compressor_kv.weight", {512, 4096}},
      {"blk.3.attn_compressor_ape.weight", {128, 512}},
      {"blk.3.attn_compressor_norm.weight", {512}},
      {"blk.2.indexer.attn_q_b.weight", {8192, 1024}},
      {"blk.2.indexer.proj.weight", {64, 4096}},
      {"blk.2.indexer_compressor_gate.weight", {256, 4096}},
      {"blk.2.indexer_compressor_ape.weight", {4, 256}},
      {"blk.2.indexer_compressor_norm.weight", {128}},
      {"blk.2.ffn_gate_tid2eid.weight", {129280, 6}},
      {"blk.3.exp_probs_b.bias", {256}},
      {"blk.3.ffn_gate_exps.weight", {256, 2048, 4096}},
      {"blk.3.ffn_down_exps.weight", {256, 4096, 2048}},
      {"blk.3.ffn_down_shexp.weight", {4096, 2048}},
  };
  for (const auto &[name, shape] : shapes) {
    const ExpectedTensor *tensor = findTensor(tensors, name);
    ASSERT_TRUE(tensor) << name;
    EXPECT_EQ(tensor->shape, shape) << name;
  }
  for (const char *absent : {"blk.1.attn_compressor_kv.weight", "blk.3.indexer.proj.weight", "blk.2.exp_probs_b.bias",
                             "blk.3.ffn_gate_tid2eid.weight", "blk.43.attn_norm.weight"})
    EXPECT_FALSE(findTensor(tensors, absent)) << absent;
  // 6 for the model; 24 in each block (the shared expert's 3, sinks and one of bias and table among them), 4 more with a
  // compressor, 6 more with an indexer.
  EXPECT_EQ(tensors.size(), 6u + 43 * 24 + 41 * 4 + 21 * 6);
}

TEST(ModelDescription, SurvivesItsOwnMetadata) {
  test::TemporaryFolder folder;
  for (const char *name : {"ds4-flash", "ds4-tiny"}) {
    const ModelDescription model = ModelDescription::fromYaml(yamlPath(name));
    gguf::Writer writer;
    model.writeTo(writer);
    writer.write(folder / "m.gguf");
    EXPECT_EQ(ModelDescription::fromGguf(gguf::Reader::open(folder / "m.gguf")), model);
  }
}

TEST(ModelDescription, RolesAllowTheirFormats) {
  EXPECT_TRUE(roleAllows(WeightRole::Vector, WeightFormat::BF16));
  EXPECT_FALSE(roleAllows(WeightRole::Vector, WeightFormat::Q8_0));
  EXPECT_TRUE(roleAllows(WeightRole::ExpertMatrix, WeightFormat::Q8_0));
  EXPECT_FALSE(roleAllows(WeightRole::Matrix, WeightFormat::I32));
  EXPECT_TRUE(roleAllows(WeightRole::Table, WeightFormat::I32));
  EXPECT_FALSE(roleAllows(WeightRole::Table, WeightFormat::F32));
}

TEST(DescriptionFile, BuiltInDescriptionsAreTheFiles) {
  ASSERT_EQ(builtInDescriptions().size(), 3u);
  for (const DescriptionFile &file : builtInDescriptions()) {
    EXPECT_EQ(file.model, ModelDescription::fromYaml(yamlPath(file.model.name)));
    EXPECT_FALSE(file.notes.empty());
    const auto required = ModelDescription::requiredKeys();
    for (const std::string &key : file.mayLack)
      EXPECT_THAT(required, testing::Contains(key));
  }
}

TEST(DescriptionFile, TakesRatiosAndClampsAsListsToo) {
  std::string yaml = replaced(yamlText("ds4-tiny"), "{first: [0, 0], then: [4, 128]}", "[128, 0, 0, 4, 4, 4, 0, 128]");
  yaml = replaced(yaml, "swiglu_clamp: 10", "swiglu_clamp: [1, 2, 3, 4, 5, 6, 7, 8]");
  const ModelDescription model = parseDescription(yaml, "x.yaml").model;
  EXPECT_THAT(model.ratios, testing::ElementsAre(128, 0, 0, 4, 4, 4, 0, 128));
  EXPECT_THAT(model.clamps, testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(DescriptionFile, NamesTheLineOfAFault) {
  const std::string good = yamlText("ds4-tiny");
  const auto lineOf = [&](const std::string &text) {
    return "'x.yaml' line " +
           std::to_string(1 + std::count(good.begin(), good.begin() + static_cast<ptrdiff_t>(good.find(text)), '\n')) + ": ";
  };
  EXPECT_THAT(faultOf(replaced(good, "\nwidth: 256", "\nwidht: 256")), HasSubstr(lineOf("width: 256") + "unknown field 'widht'"));
  EXPECT_THAT(faultOf(replaced(good, "\nheads: 8", "\nheads: eight")), HasSubstr(lineOf("heads: 8") + "heads is 'eight'"));
  EXPECT_THAT(faultOf(replaced(good, "\nheads: 8", "\nheads: -8")), HasSubstr("a whole number is wanted"));
  EXPECT_THAT(faultOf(replaced(good, "\nheads: 8", "\nheads: 99999999999")), HasSubstr("a whole number is wanted"));
  EXPECT_THAT(faultOf(replaced(good, "\nheads: 8", "\nheads: [8]")), HasSubstr("heads wants a single value"));
  EXPECT_THAT(faultOf(replaced(good, "\nq_rank: 128", "\nheads: 8")),
              HasSubstr(lineOf("q_rank: 128") + "the field 'heads' occurs twice"));
  EXPECT_THAT(faultOf(replaced(good, "{first: [0, 0], then: [4, 128]}", "{first: [0, 0]}")),
              HasSubstr("compress_ratios wants a list"));
  EXPECT_THAT(faultOf(replaced(good, "{first: [0, 0], then: [4, 128]}", "[0, 4]")),
              HasSubstr("compress_ratios has 2 entries for 8 blocks"));
  EXPECT_THAT(faultOf(replaced(good, "then: [4, 128]", "then: [4, 64]")), HasSubstr("compress_ratios holds 64"));
  EXPECT_THAT(faultOf(replaced(good, "\nblocks: 8", "\nblocks: 4000000000")), HasSubstr("blocks is 4000000000"));
  EXPECT_THAT(faultOf(replaced(good, "experts_used: 6", "experts_used: 17")), HasSubstr("17 experts_used of 16 experts"));
  EXPECT_THAT(faultOf(replaced(good, "\nstreams: 4", "\nstreams: 64")), HasSubstr("streams is 64, 4 is wanted"));
  EXPECT_THAT(faultOf(replaced(good, "shared_experts: 1", "shared_experts: 0")), HasSubstr("shared_experts is 0, 1 to"));
  EXPECT_THAT(faultOf(replaced(good, "sinkhorn_iterations: 20", "sinkhorn_iterations: 16777216")),
              HasSubstr("sinkhorn_iterations is 16777216, 1 to 1000 is wanted"));
  EXPECT_THAT(faultOf(replaced(good, "\nrope_base: 10000", "\nrope_base: 1e-45")),
              HasSubstr("rope_base is 1e-45, from which no finite rotary frequencies follow"));
  EXPECT_THAT(faultOf("name: [unclosed"), HasSubstr("'x.yaml' line "));
  EXPECT_THAT(faultOf(""), HasSubstr("a model description is"));
}

TEST(DescriptionFile, ListsAllMissingFields) {
  std::string yaml = replaced(yamlText("ds4-tiny"), "\nwidth: 256", "");
  yaml = replaced(yaml, "\nhc_eps: 1e-6", "");
  EXPECT_THAT(faultOf(yaml), HasSubstr("missing fields hc_eps, width"));
}
