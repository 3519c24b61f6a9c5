#include "models/WeightCheck.h"

#include <fstream>

#include <gmock/gmock.h>

#include "tests/unit/quantize/QuantizeModel.h"

using namespace ds4;
using namespace ds4::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {

const std::string kDown = "blk.1.ffn_down_exps.weight"; // four experts of 256 x 256; the last is not adaptive

class WeightCheckTest : public testing::Test {
protected:
  void write(const std::string &rules) { synthesizeModel(blockSizedDescription(), recipeOf(rules), path_); }

  // Sets a byte of a tensor, then checks it.
  std::string checkWith(const std::string &name, uint64_t offset, int value) {
    const gguf::Reader file = gguf::Reader::open(path_);
    const gguf::TensorInfo &tensor = *file.findTensor(name);
    {
      std::fstream bytes(path_, std::ios::in | std::ios::out | std::ios::binary);
      bytes.seekp(static_cast<std::streamoff>(tensor.offset + offset));
      bytes.put(static_cast<char>(value));
    }
    return errorOf([&] { WeightCheck(file).check(tensor); });
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_ / "m.gguf";
};

} // namespace

TEST_F(WeightCheckTest, NamesFileTensorAndBlock) {
  write("  - output.weight: rocmfp2\n");
  EXPECT_EQ(checkWith("output.weight", 10 * 7 + 9, 0x7e), "no error");
  EXPECT_THAT(checkWith("output.weight", 10 * 7 + 9, 0x7f),
              AllOf(HasSubstr("m.gguf'"), HasSubstr("tensor 'output.weight', block 7 of 512"), HasSubstr("rocmfp2")));
}

TEST_F(WeightCheckTest, CountsBlocksFromTheTensorsStart) {
  write("  - output.weight: rocmfp2\n");
  const gguf::Reader file = gguf::Reader::open(path_);
  std::vector<std::byte> piece(30, std::byte{0});
  piece[2 * 10 + 8] = std::byte{0x80};
  EXPECT_THAT(errorOf([&] { WeightCheck(file).check(*file.findTensor("output.weight"), 100 * 10, piece); }),
              HasSubstr("block 102 of"));
}

TEST_F(WeightCheckTest, Bit7ChoosesACodebookInAdaptiveSlicesOnly) {
  write("  - " + kDown + ": rocmfp3_mix\n");
  const uint64_t slice = 256 * 256 / 32 * 14;
  EXPECT_EQ(checkWith(kDown, 13, 0xfe), "no error");
  EXPECT_THAT(checkWith(kDown, 3 * slice + 13, 0x80), HasSubstr(fmt::format("block {} of", 3 * slice / 14)));
}

TEST_F(WeightCheckTest, NoScaleIs127) {
  write("  - " + kDown + ": rocmfp3_mix\n");
  EXPECT_THAT(checkWith(kDown, 13, 0xff), HasSubstr("block 0 of"));
}

TEST_F(WeightCheckTest, MixTensorsNeedCodebooks) {
  gguf::Writer writer;
  writer.addTensor(kDown, formatOf(WeightFormat::RocmFp3Mix), {256, 256, 4});
  writer.write(path_);
  EXPECT_THAT(checkWith(kDown, 0, 0), AllOf(HasSubstr("no codebooks"), HasSubstr(kDown), HasSubstr(".p4mix.bin")));
}

TEST_F(WeightCheckTest, CodebooksMayLieBesideTheModel) {
  write("  - " + kDown + ": rocmfp3_mix\n");
  const gguf::Reader whole = gguf::Reader::open(path_);
  const std::vector<std::byte> table = readMixTable(whole, kMixTables[0]);
  ASSERT_FALSE(table.empty());
  const std::string bare = folder_ / "bare.gguf";
  gguf::Writer writer;
  writer.addTensor(kDown, formatOf(WeightFormat::RocmFp3Mix), {256, 256, 4});
  writer.write(bare);
  writeFileAtomically(folder_ / "bare.p4mix.bin", table);
  const gguf::Reader file = gguf::Reader::open(bare);
  EXPECT_EQ(errorOf([&] { WeightCheck(file).check(*file.findTensor(kDown)); }), "no error");
}

TEST_F(WeightCheckTest, CodebooksMustBeOfTheTensorsShape) {
  write("  - " + kDown + ": rocmfp3_mix\n");
  const gguf::Reader whole = gguf::Reader::open(path_);
  gguf::Writer writer;
  writer.copy(whole, *whole.find(kMixTables[0].key));
  writer.addTensor(kDown, formatOf(WeightFormat::RocmFp3Mix), {256, 128, 4});
  const std::string other = folder_ / "other.gguf";
  writer.write(other);
  const gguf::Reader file = gguf::Reader::open(other);
  EXPECT_THAT(errorOf([&] { WeightCheck(file).check(*file.findTensor(kDown)); }), HasSubstr("belong to another model"));
}

// Whatever the cuts, each block is looked at, and its number is that in the tensor.
TEST_F(WeightCheckTest, PiecesMayBeCutAnywhere) {
  write("  - output.weight: rocmfp2\n");
  checkWith("output.weight", 10 * 7 + 9, 0xff);
  const gguf::Reader file = gguf::Reader::open(path_);
  const gguf::TensorInfo &tensor = *file.findTensor("output.weight");
  const WeightCheck check(file);
  for (uint64_t size : {1, 3, 7, 10, 13, 78, 79, 80, 81}) {
    std::vector<std::byte> piece;
    std::string message = "no error";
    for (uint64_t offset = 0; offset < tensor.bytes && message == "no error"; offset += size) {
      piece.resize(std::min(size, tensor.bytes - offset));
      file.readTensor(tensor, offset, piece);
      message = errorOf([&] { check.check(tensor, offset, piece); });
    }
    EXPECT_THAT(message, HasSubstr("block 7 of 512")) << "pieces of " << size << " bytes";
  }
}
