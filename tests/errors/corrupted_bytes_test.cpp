// The bundled model's header, cut short and with bits flipped at random: refused or opened, never a crash.
#include <fstream>
#include <random>

#include "support/File.h"
#include "tests/errors/Refusal.h"
#include "tests/unit/models/SmallModel.h"

using namespace ds4;

namespace {

class CorruptedBytes : public testing::Test {
protected:
  CorruptedBytes() {
    const File file(std::string(DS4C_SOURCE_DIR) + "/models/tiny/ds4-tiny-mixed.gguf");
    size_ = file.size();
    const gguf::Reader reader = gguf::Reader::open(file.path());
    uint64_t dataStart = size_;
    for (const gguf::TensorInfo &tensor : reader.tensors())
      dataStart = std::min(dataStart, tensor.offset);
    header_.resize(dataStart);
    file.read(0, header_);
  }

  // The header followed by a hole as long as the data.
  void write(std::span<const std::byte> header, bool withData) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char *>(header.data()), static_cast<std::streamsize>(header.size()));
    if (withData)
      std::filesystem::resize_file(path_, size_);
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_ / "corrupted.gguf";
  std::vector<std::byte> header_;
  uint64_t size_ = 0;
};

} // namespace

TEST_F(CorruptedBytes, UndamagedOpens) {
  write(header_, true);
  EXPECT_NO_THROW(Model::open(path_));
}

TEST_F(CorruptedBytes, EveryTruncationIsRefused) {
  constexpr size_t kCuts = 200;
  for (size_t i = 1; i < kCuts; ++i) {
    write(std::span(header_).first(header_.size() * i / kCuts), false);
    test::expectRefusal(path_, "truncated");
  }
  // The data: all but the last byte of the last tensor.
  write(header_, true);
  std::filesystem::resize_file(path_, size_ - 1);
  test::expectRefusal(path_, "truncated");
}

TEST_F(CorruptedBytes, FlippedBitsNeverCrash) {
  constexpr int kFlips = 2000;
  std::mt19937_64 random(20260424);
  int refused = 0;
  for (int i = 0; i < kFlips; ++i) {
    std::vector<std::byte> header = header_;
    // Most of the header is the tokenizer; half of the flips go to the keys before it and to the tensor table.
    const size_t structural = 24 + random() % 2000, table = header.size() - 1 - random() % 14000;
    const size_t at = i % 4 == 0 ? structural : i % 4 == 1 ? table : random() % header.size();
    for (int bits = 1 + static_cast<int>(random() % 3); bits > 0; --bits)
      header[at] ^= static_cast<std::byte>(1u << random() % 8);
    write(header, true);
    try {
      const Model model = Model::open(path_);
      for (const Weight &weight : model.weights())
        ASSERT_LE(weight.offset + weight.bytes, size_);
      if (model.file().find("tokenizer.ggml.tokens"))
        model.file().readStringArray("tokenizer.ggml.tokens");
    } catch (const Error &error) {
      ++refused;
      ASSERT_EQ(error.code(), ExitCode::User) << error.what();
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  // A flip in a token or an unused key does no harm; one in the table or in a field that counts does.
  EXPECT_GT(refused, kFlips / 4);
}
