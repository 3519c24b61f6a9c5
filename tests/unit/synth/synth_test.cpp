#include "models/synth/Synth.h"

#include <cmath>
#include <ctime>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "models/DescriptionFile.h"
#include "models/Model.h"
#include "models/WeightCheck.h"
#include "models/synth/SyntheticCodebooks.h"
#include "tests/unit/quantize/QuantizeModel.h"

using namespace ds4;
using namespace ds4::test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

const ModelDescription &builtIn(std::string_view name) {
  for (const DescriptionFile &file : builtInDescriptions())
    if (file.model.name == name)
      return file.model;
  throw std::out_of_range(std::string(name));
}

class SynthTest : public testing::Test {
protected:
  std::string synth(const std::string &rules, const std::string &name, const SynthOptions &options = {}) {
    synthesizeModel(blockSizedDescription(), rules.empty() ? Recipe() : recipeOf(rules), folder_ / name, options);
    return folder_ / name;
  }

  TemporaryFolder folder_;
};

// A tensor's weights, MIX ones by their codebooks.
std::vector<float> decoded(const gguf::Reader &file, const std::string &name) {
  const gguf::TensorInfo &tensor = *file.findTensor(name);
  if (!isMix(*tensor.format))
    return weightsOf(file, name);
  const MixCodebooks codebooks = readMixCodebooks(file);
  const MixSlices slices = MixSlices::of(file, codebooks, tensor);
  const std::vector<std::byte> bytes = bytesOf(file, name);
  std::vector<float> weights(bytes.size() / tensor.format->blockBytes * 32);
  const uint64_t perSlice = slices.bytes / tensor.format->blockBytes * 32;
  for (uint64_t i = 0; i < slices.entry->slices.size(); ++i)
    decodeMix(*tensor.format, slices.entry->slices[i], std::span(bytes).subspan(i * slices.bytes, slices.bytes),
              std::span(weights).subspan(i * perSlice, perSlice));
  return weights;
}

} // namespace

TEST_F(SynthTest, ASparseModelOfRealSizeOpensAtOnce) {
  const std::string path = folder_ / "flash.gguf";
  const std::clock_t start = std::clock();
  const SynthSummary summary = synthesizeModel(builtIn("ds4-flash-0731"), Recipe::open("rocmfpx-mix"), path, {.sparse = true});
  const std::clock_t written = std::clock();
  const Model model = Model::open(path);
  const double openSeconds = static_cast<double>(std::clock() - written) / CLOCKS_PER_SEC;
  struct stat status;
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  fmt::print("{} bytes, {} KB on disk, {} tensors; written in {:.2f} s, opened in {:.2f} s\n", status.st_size, status.st_blocks / 2,
             summary.tensors, static_cast<double>(written - start) / CLOCKS_PER_SEC, openSeconds);

  EXPECT_EQ(model.description(), builtIn("ds4-flash-0731"));
  EXPECT_LT(openSeconds, 1.0);
  EXPECT_LT(status.st_blocks / 2, 16 << 10);
  constexpr double kPublishedBytes = 98294917184;
  EXPECT_NEAR(static_cast<double>(status.st_size), kPublishedBytes, 0.001 * kPublishedBytes);
  EXPECT_EQ(readMixCodebooks(model.file()).size(), 3u * 43);
}

TEST_F(SynthTest, EveryFormatHoldsSaneWeights) {
  const std::string name = "blk.2.attn_q_a.weight"; // 256 x 256, one that MIX formats have a place for
  const double expected = 2.5 / 16 / std::sqrt(3.0);
  for (const Format *format : formats()) {
    if (format->id == WeightFormat::I32 || format->id == WeightFormat::RocmFp2Affine || format->id == WeightFormat::RocmFp2S40)
      continue;
    const gguf::Reader file = gguf::Reader::open(synth(fmt::format("  - {}: {}\n", name, format->name), "m.gguf"));
    WeightCheck(file).check(*file.findTensor(name));
    double sum = 0, squares = 0;
    const std::vector<float> weights = decoded(file, name);
    for (float weight : weights) {
      ASSERT_TRUE(std::isfinite(weight)) << format->name;
      sum += weight, squares += static_cast<double>(weight) * weight;
    }
    const auto count = static_cast<double>(weights.size());
    EXPECT_NEAR(std::sqrt(squares / count), expected, 0.3 * expected) << format->name;
    EXPECT_NEAR(sum / count, 0, 0.2 * expected) << format->name;
  }
}

TEST_F(SynthTest, TheBundledShapeOpensWithFiniteValues) {
  const std::string path = folder_ / "tiny.gguf";
  synthesizeModel(builtIn("ds4-tiny"), Recipe::open("rocmfpx-mix"), path);
  const Model model = Model::open(path);
  const WeightCheck check(model.file());
  EXPECT_THAT(model.warnings(), testing::IsEmpty());
  for (const gguf::TensorInfo &tensor : model.file().tensors()) {
    check.check(tensor);
    for (float weight : decoded(model.file(), tensor.name))
      ASSERT_TRUE(std::isfinite(weight)) << tensor.name;
  }
}

TEST_F(SynthTest, NormsScatterAboutOne) {
  for (float weight : weightsOf(gguf::Reader::open(synth("", "m.gguf")), "blk.0.attn_norm.weight")) {
    EXPECT_GE(weight, 0.75f);
    EXPECT_LE(weight, 1.25f);
  }
}

TEST_F(SynthTest, TheNumberOfThreadsDoesNotMatter) {
  const std::string rules = "  - blk.*.ffn_down_exps.weight: rocmfp3_mix\n  - output.weight: q4_k\n";
  EXPECT_EQ(fileBytes(synth(rules, "one.gguf", {.jobs = 1})), fileBytes(synth(rules, "three.gguf", {.jobs = 3})));
}

TEST_F(SynthTest, SeedsAndNamesMakeDifferentWeights) {
  const gguf::Reader one = gguf::Reader::open(synth("", "1.gguf")), two = gguf::Reader::open(synth("", "2.gguf", {.seed = 2}));
  EXPECT_NE(bytesOf(one, "output.weight"), bytesOf(two, "output.weight"));
  EXPECT_NE(bytesOf(one, "blk.0.attn_q_a.weight"), bytesOf(one, "blk.1.attn_q_a.weight"));
}

TEST_F(SynthTest, TokensHaveDistinctExperts) {
  const std::vector<float> table = weightsOf(gguf::Reader::open(synth("", "m.gguf")), "blk.1.ffn_gate_tid2eid.weight");
  ASSERT_EQ(table.size(), 64u * 2);
  std::map<float, int> uses;
  for (size_t token = 0; token < 64; ++token) {
    EXPECT_NE(table[2 * token], table[2 * token + 1]);
    ++uses[table[2 * token]], ++uses[table[2 * token + 1]];
  }
  ASSERT_EQ(uses.size(), 4u) << "all experts, and no others";
  EXPECT_EQ(uses.begin()->first, 0);
  EXPECT_EQ(uses.rbegin()->first, 3);
}

TEST_F(SynthTest, SplitRowsAreTheRowsOfTheWhole) {
  // A vocabulary whose rows of ids lie across the pieces that threads work on.
  ModelDescription model = blockSizedDescription();
  model.vocabulary = 70000, model.expertsUsed = 3;
  synthesizeModel(model, Recipe(), folder_ / "m.gguf");
  const std::vector<float> table = weightsOf(gguf::Reader::open(folder_ / "m.gguf"), "blk.0.ffn_gate_tid2eid.weight");
  for (size_t i = 0; i < table.size(); i += 3)
    ASSERT_TRUE(table[i] != table[i + 1] && table[i] != table[i + 2] && table[i + 1] != table[i + 2]) << i / 3;
}

TEST_F(SynthTest, CopiesATokenizer) {
  const std::string tiny = std::string(DS4C_SOURCE_DIR) + "/models/tiny/ds4-tiny-mixed.gguf", path = folder_ / "m.gguf";
  synthesizeModel(builtIn("ds4-tiny"), Recipe::open("q8"), path, {.sparse = true, .tokenizer = tiny});
  const gguf::Reader from = gguf::Reader::open(tiny), to = gguf::Reader::open(path);
  for (const char *key : {"tokenizer.ggml.tokens", "tokenizer.ggml.merges", "tokenizer.ggml.bos_token_id"})
    EXPECT_EQ(to.readRaw(*to.find(key)), from.readRaw(*from.find(key))) << key;
  EXPECT_THAT(errorOf([&] { synth("", "m.gguf", {.tokenizer = tiny}); }), HasSubstr("4096 tokens, more than the vocabulary of 64"));
}

TEST_F(SynthTest, RefusesMixFormatsThatHaveNoCodebooks) {
  EXPECT_THAT(errorOf([&] { synth("  - output.weight: rocmfp2_mix\n", "m.gguf"); }),
              StartsWith("'r.yaml' line 3: 'output.weight'"));
  EXPECT_THAT(errorOf([&] { synth("  - blk.0.ffn_up_exps.weight: rocmfp3_mix\n", "m.gguf"); }), HasSubstr("no codebook table"));
}

TEST(SyntheticCodebooks, TablesReadBack) {
  std::vector<SyntheticMixTensor> tensors;
  tensors.push_back(makeSyntheticMix({3, MixTensor::DownExperts}, "d", formatOf(WeightFormat::RocmFp3Mix), 5, 64, 96, 1));
  tensors.push_back(makeSyntheticMix({3, MixTensor::GateExperts}, "g", formatOf(WeightFormat::RocmFp2Mix), 5, 64, 128, 1));
  tensors.push_back(makeSyntheticMix({4, MixTensor::DownExperts}, "d4", formatOf(WeightFormat::RocmFp2Mix), 5, 64, 128, 1));
  tensors.push_back(makeSyntheticMix({4, MixTensor::OutputA}, "o", formatOf(WeightFormat::RocmFp3Mix), 8, 16, 96, 1));
  MixCodebooks read;
  for (const auto &[key, bytes] : writeMixTables(tensors))
    read.add(std::as_bytes(std::span(bytes)), key);
  EXPECT_EQ(read.size(), tensors.size());
  for (const SyntheticMixTensor &tensor : tensors) {
    const MixEntry *entry = read.find(tensor.place.layer, tensor.place.tensor);
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->format, tensor.entry.format);
    EXPECT_EQ(entry->rows, tensor.entry.rows);
    EXPECT_EQ(entry->cols, tensor.entry.cols);
    ASSERT_EQ(entry->slices.size(), tensor.entry.slices.size());
    for (size_t i = 0; i < entry->slices.size(); ++i) {
      EXPECT_EQ(entry->slices[i].adaptive, tensor.entry.slices[i].adaptive);
      EXPECT_EQ(entry->slices[i].codebooks, tensor.entry.slices[i].codebooks);
    }
  }
}
