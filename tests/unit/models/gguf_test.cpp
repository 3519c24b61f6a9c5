#include <cstring>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/gguf/Shards.h"
#include "models/gguf/Writer.h"
#include "support/Error.h"
#include "tests/unit/models/SmallModel.h"

using namespace ds4;
using gguf::Reader;
using gguf::Writer;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string messageOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST(Gguf, ReadsBackEveryValueType) {
  test::TemporaryFolder folder;
  Writer writer;
  writer.set("u8", uint8_t{200});
  writer.set("i16", int16_t{300});
  writer.set("u64", uint64_t{1} << 40);
  writer.set("f32", 0.5f);
  writer.set("f64", 1e-300);
  writer.set("bool", true);
  writer.set("string", "grüße");
  writer.setArray("ratios", std::vector<int32_t>{0, 4, 128});
  writer.setArray("clamps", std::vector<float>{10, 7.5f});
  writer.setArray("words", std::vector<std::string>{"a", "", "<｜User｜>"});
  writer.write(folder / "types.gguf");

  const Reader file = Reader::open(folder / "types.gguf");
  EXPECT_EQ(file.version(), 3u);
  EXPECT_EQ(file.readUnsigned("u8"), 200u);
  EXPECT_EQ(file.readUnsigned("i16"), 300u);
  EXPECT_EQ(file.readUnsigned("u64"), uint64_t{1} << 40);
  EXPECT_EQ(file.readFloat("f32"), 0.5);
  EXPECT_EQ(file.readFloat("f64"), 1e-300);
  EXPECT_EQ(file.readFloat("u8"), 200.0);
  EXPECT_TRUE(file.readBool("bool"));
  EXPECT_EQ(file.readString("string"), "grüße");
  EXPECT_THAT(file.readUnsignedArray("ratios"), ElementsAre(0, 4, 128));
  EXPECT_THAT(file.readFloatArray("clamps"), ElementsAre(10, 7.5));
  EXPECT_THAT(file.readStringArray("words"), ElementsAre("a", "", "<｜User｜>"));
  EXPECT_EQ(file.find("absent"), nullptr);
}

TEST(Gguf, ReadsVersion2) {
  test::TemporaryFolder folder;
  Writer writer;
  writer.set("key", uint32_t{7});
  writer.write(folder / "three.gguf");
  std::vector<std::byte> bytes = File(folder / "three.gguf").readAll();
  bytes[4] = std::byte{2};
  writeFileAtomically(folder / "two.gguf", bytes);
  EXPECT_EQ(Reader::open(folder / "two.gguf").readUnsigned("key"), 7u);
}

TEST(Gguf, NamesTheKeyOfAnotherType) {
  test::TemporaryFolder folder;
  Writer writer;
  writer.set("text", "x");
  writer.set("below", int32_t{-1});
  writer.setArray("words", std::vector<std::string>{"a"});
  writer.write(folder / "types.gguf");
  const Reader file = Reader::open(folder / "types.gguf");
  EXPECT_THAT(messageOf([&] { file.readUnsigned("text"); }), HasSubstr("'text' is of type string, an integer is wanted"));
  EXPECT_THAT(messageOf([&] { file.readUnsigned("below"); }), HasSubstr("'below' is negative"));
  EXPECT_THAT(messageOf([&] { file.readFloat("words"); }), HasSubstr("'words' is of type array, a single value is wanted"));
  EXPECT_THAT(messageOf([&] { file.readStringArray("text"); }), HasSubstr("'text' is of type string, an array is wanted"));
  EXPECT_THAT(messageOf([&] { file.readUnsignedArray("words"); }), HasSubstr("'words' is of type string, an integer is wanted"));
  EXPECT_THAT(messageOf([&] { file.readBool("absent"); }), HasSubstr("no key 'absent'"));
}

TEST(Gguf, AlignsTensorsAndReadsTheirData) {
  test::TemporaryFolder folder;
  const auto pattern = [](uint64_t offset, std::span<std::byte> chunk) {
    for (std::byte &byte : chunk)
      byte = static_cast<std::byte>(offset++ * 7);
  };
  Writer writer(64);
  writer.set("general.alignment", uint32_t{64});
  writer.addTensor("odd", formatOf(WeightFormat::F32), {3}, pattern);
  writer.addTensor("blocks", formatOf(WeightFormat::Q8_0), {64, 5, 2}, pattern);
  writer.addTensor("hole", formatOf(WeightFormat::F16), {10});
  writer.write(folder / "data.gguf");

  const Reader file = Reader::open(folder / "data.gguf");
  const gguf::TensorInfo &blocks = *file.findTensor("blocks");
  EXPECT_THAT(blocks.dims, ElementsAre(64, 5, 2));
  EXPECT_EQ(blocks.bytes, 2u * 34 * 5 * 2);
  EXPECT_EQ(blocks.offset % 64, 0u);
  std::vector<std::byte> some(9);
  file.readTensor(blocks, 100, some);
  for (size_t i = 0; i < some.size(); ++i)
    EXPECT_EQ(some[i], static_cast<std::byte>((100 + i) * 7));
  std::vector<std::byte> zeros(20, std::byte{1});
  file.readTensor(*file.findTensor("hole"), 0, zeros);
  EXPECT_THAT(zeros, testing::Each(std::byte{0}));
}

TEST(Gguf, WritesTensorsLargerThanOneChunkInOrder) {
  test::TemporaryFolder folder;
  constexpr uint64_t kRow = 4000, kRows = 5000;
  Writer writer;
  writer.addTensor("big", formatOf(WeightFormat::F32), {kRow / 4, kRows}, [&](uint64_t offset, std::span<std::byte> chunk) {
    ASSERT_EQ(offset % kRow, 0u);
    ASSERT_EQ(chunk.size() % kRow, 0u);
    for (size_t row = 0; row < chunk.size() / kRow; ++row)
      std::memset(&chunk[row * kRow], static_cast<int>((offset / kRow + row) % 251), kRow);
  });
  writer.write(folder / "big.gguf");
  const Reader file = Reader::open(folder / "big.gguf");
  for (uint64_t row : {uint64_t{0}, kRows / 2, kRows - 1}) {
    std::vector<std::byte> bytes(kRow);
    file.readTensor(file.tensors()[0], row * kRow, bytes);
    EXPECT_THAT(bytes, testing::Each(static_cast<std::byte>(row % 251)));
  }
}

TEST(Gguf, LeavesNothingBehindWhenASourceFails) {
  test::TemporaryFolder folder;
  Writer writer;
  writer.addTensor("t", formatOf(WeightFormat::F32), {4}, [](uint64_t, std::span<std::byte>) { userError("no data"); });
  EXPECT_THROW(writer.write(folder / "failed.gguf"), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
}

TEST(Gguf, CopiesKeysVerbatim) {
  test::TemporaryFolder folder;
  Writer first;
  first.set("i8", int8_t{-5});
  first.setArray("words", std::vector<std::string>{"x", "yz"});
  first.write(folder / "first.gguf");
  const Reader from = Reader::open(folder / "first.gguf");
  Writer second;
  for (const gguf::Entry &entry : from.entries())
    second.copy(from, entry);
  second.write(folder / "second.gguf");
  EXPECT_EQ(File(folder / "first.gguf").readAll(), File(folder / "second.gguf").readAll());
}

TEST(Shards, ParsesOnlyWholePatterns) {
  const auto name = gguf::parseShardName("/a b/model-00002-of-00013.gguf");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->number, 2u);
  EXPECT_EQ(name->count, 13u);
  EXPECT_EQ(name->path(13), "/a b/model-00013-of-00013.gguf");
  for (const char *other : {"model.gguf", "model-2-of-13.gguf", "model-00000-of-00003.gguf", "model-00004-of-00003.gguf",
                            "-00001-of-00001.ggu", "x-0000a-of-00002.gguf"})
    EXPECT_FALSE(gguf::parseShardName(other)) << other;
}

class SplitModel : public testing::Test {
protected:
  static constexpr uint16_t kShards = 3;

  SplitModel() {
    for (uint16_t shard = 0; shard < kShards; ++shard) {
      Writer writer;
      writer.set("split.no", shard);
      writer.set("split.count", kShards);
      writer.set("split.tensors.count", int32_t{4});
      if (shard == 0)
        writer.set("general.name", "split");
      else
        for (int i = 0; i < 2; ++i)
          writer.addTensor(
              fmt::format("t{}", shard * 2 + i), formatOf(WeightFormat::F32), {8},
              [=](uint64_t, std::span<std::byte> chunk) { std::ranges::fill(chunk, static_cast<std::byte>(shard * 2 + i)); });
      writer.write(path(shard + 1));
    }
  }
  std::string path(int shard) const { return folder_ / fmt::format("mödel x-{:05}-of-00003.gguf", shard); }

  test::TemporaryFolder folder_;
};

TEST_F(SplitModel, OpensFromAnyShard) {
  for (int shard = 1; shard <= kShards; ++shard) {
    const Reader file = Reader::open(path(shard));
    EXPECT_EQ(file.readString("general.name"), "split");
    ASSERT_EQ(file.tensors().size(), 4u);
    for (const gguf::TensorInfo &tensor : file.tensors()) {
      std::vector<std::byte> bytes(tensor.bytes);
      file.readTensor(tensor, 0, bytes);
      EXPECT_EQ(fmt::format("t{}", static_cast<int>(bytes[5])), tensor.name);
    }
  }
}

TEST_F(SplitModel, NamesAllMissingShards) {
  std::filesystem::remove(path(1));
  std::filesystem::remove(path(3));
  const std::string message = messageOf([&] { Reader::open(path(2)); });
  EXPECT_THAT(message, HasSubstr("'mödel x-00001-of-00003.gguf', 'mödel x-00003-of-00003.gguf'"));
}

TEST_F(SplitModel, RefusesSwappedShards) {
  std::filesystem::rename(path(2), folder_ / "aside");
  std::filesystem::rename(path(3), path(2));
  std::filesystem::rename(folder_ / "aside", path(3));
  EXPECT_THAT(messageOf([&] { Reader::open(path(1)); }), HasSubstr("says that it is shard 3 of 3, its name says 2 of 3"));
}

TEST_F(SplitModel, RefusesAShardOutOfItsSet) {
  std::filesystem::rename(path(2), folder_ / "alone.gguf");
  EXPECT_THAT(messageOf([&] { Reader::open(folder_ / "alone.gguf"); }),
              HasSubstr("is one of 3 shards, but its name does not end in"));
  std::filesystem::rename(path(1), folder_ / "model-00001-of-00002.gguf");
  EXPECT_THAT(messageOf([&] { Reader::open(folder_ / "model-00001-of-00002.gguf"); }), HasSubstr("has 3 shards, its name says 2"));
}

TEST_F(SplitModel, RefusesShardsOfDifferentModels) {
  Writer writer;
  writer.set("split.no", uint16_t{2});
  writer.set("split.count", kShards);
  writer.addTensor("t3", formatOf(WeightFormat::F32), {8});
  writer.write(path(3));
  EXPECT_THAT(messageOf([&] { Reader::open(path(1)); }), HasSubstr("the tensor 't3' occurs in an earlier shard too"));
  Writer empty;
  empty.set("split.no", uint16_t{2});
  empty.set("split.count", kShards);
  empty.write(path(3));
  EXPECT_THAT(messageOf([&] { Reader::open(path(1)); }), HasSubstr("the shards hold 2 tensors, 4 are wanted"));
}
