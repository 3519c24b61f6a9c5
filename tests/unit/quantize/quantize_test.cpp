#include "compiler/quantize/Quantize.h"

#include <cmath>
#include <cstring>

#include <gmock/gmock.h>

#include "models/Model.h"
#include "models/WeightCheck.h"
#include "tests/unit/formats/FormatTools.h"
#include "tests/unit/quantize/QuantizeModel.h"

using namespace ds4;
using namespace ds4::test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

namespace {

const std::string kExperts = "blk.1.ffn_down_exps.weight"; // 4 x 256 x 256: several pieces

class QuantizeTest : public testing::Test {
protected:
  void SetUp() override { synthesizeModel(blockSizedDescription(), Recipe(), input_); }

  std::string quantize(const std::string &rules, const std::string &name, const QuantizeOptions &options = {}) {
    quantizeModel(input_, folder_ / name, recipeOf(rules), options);
    return folder_ / name;
  }

  // Root mean square of the difference to the input's weights, relative to theirs.
  double relativeError(const std::string &path, const std::string &name) {
    const auto before = weightsOf(gguf::Reader::open(input_), name), after = weightsOf(gguf::Reader::open(path), name);
    EXPECT_EQ(before.size(), after.size());
    double error = 0, power = 0;
    for (size_t i = 0; i < before.size(); ++i) {
      error += std::pow(after[i] - before[i], 2);
      power += std::pow(before[i], 2);
    }
    return std::sqrt(error / power);
  }

  TemporaryFolder folder_;
  const std::string input_ = folder_ / "in.gguf";
};

} // namespace

TEST_F(QuantizeTest, TheNumberOfThreadsDoesNotMatter) {
  const std::string rules = "  - blk.*.ffn_*_exps.weight: rocmfp3\n  - output.weight: q8_0\n";
  EXPECT_EQ(fileBytes(quantize(rules, "one.gguf", {.jobs = 1})), fileBytes(quantize(rules, "three.gguf", {.jobs = 3})));
}

// Gaussian weights, whose greatest of 32 is about two deviations: half the distance of two levels there, over the square root
// of three, is what a format with even levels loses of one deviation.
TEST_F(QuantizeTest, ErrorsAreThoseOfTheFormat) {
  const std::vector<float> weights = gaussian(64 * 256, 1);
  gguf::Writer writer;
  writer.addTensor("w", formatOf(WeightFormat::F32), {256, 64}, [&](uint64_t offset, std::span<std::byte> chunk) {
    std::ranges::copy(std::as_bytes(std::span(weights)).subspan(offset, chunk.size()), chunk.begin());
  });
  writer.write(input_);
  const std::pair<const char *, double> formats[] = {{"f16", 0.0003},   {"bf16", 0.0024},  {"q8_0", 0.006}, {"rocmfp8", 0.02},
                                                     {"rocmfp6", 0.03}, {"rocmfp4", 0.1},  {"q4_0", 0.1},   {"rocmfp4_fast", 0.12},
                                                     {"mxfp4", 0.14},   {"rocmfp3", 0.25}, {"rocmfp2", 0.5}};
  for (const auto &[format, greatest] : formats) {
    const std::string path = quantize(fmt::format("  - w: {}\n", format), fmt::format("{}.gguf", format));
    EXPECT_EQ(gguf::Reader::open(path).findTensor("w")->format->name, format);
    EXPECT_LE(relativeError(path, "w"), greatest) << format;
    EXPECT_GE(relativeError(path, "w"), greatest / 4) << format;
  }
  for (const auto &[better, worse] :
       {std::pair("rocmfp8", "rocmfp6"), {"rocmfp6", "rocmfp4"}, {"rocmfp4", "rocmfp3"}, {"rocmfp3", "rocmfp2"}})
    EXPECT_LT(relativeError(folder_ / fmt::format("{}.gguf", better), "w"),
              relativeError(folder_ / fmt::format("{}.gguf", worse), "w"))
        << better << " against " << worse;
}

TEST_F(QuantizeTest, OtherTensorsAndMetadataStay) {
  const std::string path = quantize("  - output.weight: q8_0\n", "out.gguf");
  const gguf::Reader before = gguf::Reader::open(input_), after = gguf::Reader::open(path);
  EXPECT_EQ(Model::open(path).description(), blockSizedDescription());
  ASSERT_EQ(after.entries().size(), before.entries().size());
  for (const gguf::Entry &entry : before.entries())
    EXPECT_EQ(after.readRaw(*after.find(entry.key)), before.readRaw(entry)) << entry.key;
  for (const gguf::TensorInfo &tensor : before.tensors())
    if (tensor.name != "output.weight")
      EXPECT_EQ(bytesOf(after, tensor.name), bytesOf(before, tensor.name)) << tensor.name;
}

TEST_F(QuantizeTest, TheFileTypeFollowsMostWeights) {
  EXPECT_EQ(gguf::Reader::open(input_).readUnsigned("general.file_type"), 1u);
  const std::string path = quantize("  - blk.*.ffn_*_exps.weight: q8_0\n", "out.gguf");
  EXPECT_EQ(gguf::Reader::open(path).readUnsigned("general.file_type"), 7u);
}

TEST_F(QuantizeTest, RefusesToReplaceItsInput) {
  const std::string before = fileBytes(input_);
  std::filesystem::create_symlink(input_, folder_ / "link.gguf");
  for (const char *name : {"in.gguf", "link.gguf"})
    EXPECT_THAT(errorOf([&] { quantize("  - output.weight: q8_0\n", name); }), HasSubstr("which is read: choose another"));
  EXPECT_EQ(fileBytes(input_), before);
}

TEST_F(QuantizeTest, RefusesFormatsWithoutAQuantizer) {
  EXPECT_THAT(errorOf([&] { quantize("  - output.weight: q8_0\n  - blk.*.ffn_up_exps.weight: iq2_xxs\n", "out.gguf"); }),
              AllOf(StartsWith("'r.yaml' line 4: "), HasSubstr("no quantizer")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.gguf"));
}

TEST_F(QuantizeTest, DamagedWeightsEndInOneLineAndNoOutput) {
  synthesizeModel(blockSizedDescription(), recipeOf("  - output.weight: rocmfp4_fast\n"), input_);
  const gguf::Reader file = gguf::Reader::open(input_);
  {
    std::fstream damaged(input_, std::ios::in | std::ios::out | std::ios::binary);
    damaged.seekp(static_cast<std::streamoff>(file.findTensor("output.weight")->offset + 17 * 10 + 16));
    damaged.put('\x7f');
  }
  EXPECT_THAT(errorOf([&] { quantize("  - output.weight: q8_0\n", "out.gguf"); }),
              HasSubstr("tensor 'output.weight', block 10 of "));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.gguf"));
}

TEST_F(QuantizeTest, WeightsThatAreNoNumbersAreRefused) {
  synthesizeModel(blockSizedDescription(), recipeOf("  - output.weight: q8_0\n"), input_);
  const gguf::Reader file = gguf::Reader::open(input_);
  const uint64_t rowBytes = 256 / 32 * 34;
  {
    std::fstream damaged(input_, std::ios::in | std::ios::out | std::ios::binary);
    damaged.seekp(static_cast<std::streamoff>(file.findTensor("output.weight")->offset + 3 * rowBytes + 34));
    damaged.write("\x00\x7e", 2); // a scale that is NaN
  }
  for (const char *format : {"rocmfp4", "f32"})
    EXPECT_THAT(errorOf([&] { quantize(fmt::format("  - output.weight: {}\n", format), "out.gguf"); }),
                HasSubstr("in.gguf': tensor 'output.weight', row 3 has a weight that is no number: get the file again"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.gguf"));
}

TEST_F(QuantizeTest, MixWeightsAreDecodedByTheirCodebooks) {
  synthesizeModel(blockSizedDescription(), recipeOf("  - " + kExperts + ": rocmfp3_mix\n"), input_);
  const gguf::Reader before = gguf::Reader::open(input_),
                     after = gguf::Reader::open(quantize("  - " + kExperts + ": f32\n", "out.gguf"));
  const WeightCheck check(before);
  const auto bytes = bytesOf(before, kExperts);
  const auto weights = weightsOf(after, kExperts);
  const size_t slice = bytes.size() / 4;
  for (size_t expert = 0; expert < 4; ++expert) {
    std::vector<float> expected(weights.size() / 4);
    decodeMix(formatOf(WeightFormat::RocmFp3Mix), check.codebooks().find(1, MixTensor::DownExperts)->slices[expert],
              std::span(bytes).subspan(expert * slice, slice), expected);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), weights.begin() + static_cast<ptrdiff_t>(expert * expected.size())));
  }
  EXPECT_EQ(after.find("deepseek4.p4mix.sidecar"), nullptr) << "no tensor is left that needs the codebooks";
}

TEST_F(QuantizeTest, ShardsBecomeOneFile) {
  const gguf::Reader whole = gguf::Reader::open(input_);
  for (uint32_t shard = 0; shard < 2; ++shard) {
    gguf::Writer writer;
    writer.set("split.no", static_cast<uint16_t>(shard));
    writer.set("split.count", uint16_t{2});
    if (shard == 0)
      for (const gguf::Entry &entry : whole.entries())
        writer.copy(whole, entry);
    for (const gguf::TensorInfo &tensor : whole.tensors())
      if (tensor.name.starts_with("blk.") == (shard == 1))
        writer.addTensor(tensor.name, *tensor.format, tensor.dims,
                         [&](uint64_t offset, std::span<std::byte> chunk) { whole.readTensor(tensor, offset, chunk); });
    writer.write(folder_ / fmt::format("m-0000{}-of-00002.gguf", shard + 1));
  }
  quantizeModel(folder_ / "m-00002-of-00002.gguf", folder_ / "joined.gguf", recipeOf("  - output.weight: q8_0\n"));
  const gguf::Reader joined = gguf::Reader::open(folder_ / "joined.gguf");
  EXPECT_EQ(joined.find("split.count"), nullptr);
  EXPECT_EQ(joined.tensors().size(), whole.tensors().size());
  EXPECT_EQ(bytesOf(joined, kExperts), bytesOf(whole, kExperts));
}

namespace {

// Importance data of one matrix: channel 0 of every row counts a million times as much as the others, or as said.
void writeImportance(const std::string &path, uint64_t cols, uint64_t slices, float first = 1e6f) {
  gguf::Writer writer;
  const auto fill = [](std::vector<float> values) {
    return [values](uint64_t offset, std::span<std::byte> chunk) {
      std::memcpy(chunk.data(), reinterpret_cast<const std::byte *>(values.data()) + offset, chunk.size());
    };
  };
  std::vector<float> sums(cols * slices, 1.0f);
  for (uint64_t slice = 0; slice < slices; ++slice)
    sums[slice * cols] = first;
  writer.addTensor(kExperts + ".in_sum2", formatOf(WeightFormat::F32), {cols, slices}, fill(sums));
  writer.addTensor(kExperts + ".counts", formatOf(WeightFormat::F32), {1, slices}, fill(std::vector<float>(slices, 2.0f)));
  writer.write(path);
}

} // namespace

TEST_F(QuantizeTest, ImportantChannelsGetTheLeastError) {
  const std::string rules = "  - " + kExperts + ": rocmfp2\n";
  writeImportance(folder_ / "importance.gguf", 256, 4);
  const auto before = weightsOf(gguf::Reader::open(input_), kExperts);
  const auto errorOfChannel0 = [&](const std::string &path) {
    const auto after = weightsOf(gguf::Reader::open(path), kExperts);
    double sum = 0;
    for (size_t i = 0; i < before.size(); i += 256)
      sum += std::pow(after[i] - before[i], 2);
    return sum;
  };
  EXPECT_LT(10 * errorOfChannel0(quantize(rules, "weighted.gguf", {.importance = folder_ / "importance.gguf"})),
            errorOfChannel0(quantize(rules, "plain.gguf")));
}

TEST_F(QuantizeTest, RefusesImportanceOfAnotherModel) {
  const QuantizeOptions options{.importance = folder_ / "importance.gguf"};
  writeImportance(options.importance, 128, 4);
  EXPECT_THAT(errorOf([&] { quantize("  - " + kExperts + ": q8_0\n", "out.gguf", options); }), HasSubstr("512 sums and 4 counts"));
  EXPECT_THAT(errorOf([&] { quantize("  - output.weight: q8_0\n", "out.gguf", options); }),
              HasSubstr("covers none of the tensors"));
  EXPECT_THAT(errorOf([&] { quantize("  - output.weight: q8_0\n", "out.gguf", {.importance = input_}); }),
              HasSubstr("holds no importance data"));
}

TEST_F(QuantizeTest, RefusesImportanceThatIsNoSumOfSquares) {
  const QuantizeOptions options{.importance = folder_ / "importance.gguf"};
  for (float first : {-1.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    writeImportance(options.importance, 256, 4, first);
    EXPECT_THAT(errorOf([&] { quantize("  - " + kExperts + ": rocmfp2\n", "out.gguf", options); }),
                HasSubstr("has sums of squares that are negative or no numbers"));
  }
}

TEST_F(QuantizeTest, Type107MeansWhatTheUserSays) {
  const std::string two = quantize("  - output.weight: rocmfp2\n  - token_embd.weight: rocmfp2\n", "two.gguf");
  EXPECT_THAT(Model::open(two).warnings(),
              ElementsAre(AllOf(HasSubstr("2 tensors of type 107 are read as rocmfp2 (scale * level, levels -1, 0, 1, 2)"),
                                HasSubstr("--rocmfp2"))));
  for (WeightFormat meaning : {WeightFormat::RocmFp2, WeightFormat::RocmFp2Affine, WeightFormat::RocmFp2S40}) {
    const Model model = Model::open(two, meaning);
    EXPECT_THAT(model.warnings(), IsEmpty());
    EXPECT_EQ(model.find("output.weight")->format->id, meaning);
    const std::string plain = folder_ / "plain.gguf";
    EXPECT_THAT(quantizeModel(two, plain, recipeOf("  - output.weight: f32\n"), {.rocmFp2 = meaning}).warnings, IsEmpty());
    EXPECT_EQ(weightsOf(gguf::Reader::open(plain), "output.weight"), weightsOf(gguf::Reader::open(two, meaning), "output.weight"));
  }
  const auto warnings = quantizeModel(two, folder_ / "plain.gguf", recipeOf("  - output.weight: f32\n")).warnings;
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("are read as rocmfp2 (")));
}

TEST_F(QuantizeTest, OneFileHoldsOneMeaningOfType107) {
  const std::string two = quantize("  - output.weight: rocmfp2\n  - token_embd.weight: rocmfp2\n", "two.gguf");
  const auto again = [&](const std::string &rules) {
    return errorOf([&] { quantizeModel(two, folder_ / "again.gguf", recipeOf(rules), {.rocmFp2 = WeightFormat::RocmFp2S40}); });
  };
  EXPECT_THAT(again("  - output.weight: rocmfp2\n"),
              AllOf(HasSubstr("line 3: 'output.weight' becomes rocmfp2 but 'token_embd.weight' stays rocmfp2_s40")));
  EXPECT_EQ(again("  - output.weight: rocmfp2\n  - token_embd.weight: rocmfp2\n"), "no error");
}
