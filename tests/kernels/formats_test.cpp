// Every format on the device: its weights, bit by bit, as the host decodes them, and products of all three kinds.
#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"
#include "tests/kernels/MixData.h"
#include "tests/unit/formats/FormatTools.h"

namespace ds4::test {

class DeviceFormats : public testing::TestWithParam<const char *> {};

// embed hands out a table's rows as they are.
static void expectDecoded(const std::string &format, const WeightData &table) {
  int rows = static_cast<int>(table.shape[0]), width = static_cast<int>(table.shape[1]);
  Step step = makeStep(0, rows);
  for (int row = 0; row < rows; ++row)
    step.token[row] = rows - 1 - row;
  auto results = launch(emitKernel(EmbedShape{format, width, 1}), step, {weight(table), output(table.values.size())});
  std::vector<uint32_t> actual = results[1].as<uint32_t>();
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < width; ++i)
      ASSERT_EQ(actual[row * width + i], std::bit_cast<uint32_t>(table.values[(rows - 1 - row) * width + i]))
          << "row " << rows - 1 - row << ", weight " << i << ": " << table.values[(rows - 1 - row) * width + i];
}

TEST_P(DeviceFormats, RandomBlocks) { expectDecoded(GetParam(), randomWeight(GetParam(), {7, 768}, 1)); }

// Rows of every number of blocks that come up, down to one; an odd number of rows.
TEST_P(DeviceFormats, RowsOfAnyWidth) {
  const auto block = static_cast<int64_t>(findFormatByName(GetParam())->blockWeights);
  for (int64_t width : {32, 64, 96, 160, 256, 2048, 2304, 8192})
    if (width % block == 0)
      expectDecoded(GetParam(), randomWeight(GetParam(), {5, width}, 7));
}

TEST_P(DeviceFormats, WideRows) { expectDecoded(GetParam(), randomWeight(GetParam(), {1, 16384}, 2)); }

TEST_P(DeviceFormats, AllZero) {
  expectDecoded(GetParam(),
                blocksOf(GetParam(), {3, 256}, [](std::span<std::byte> block) { std::ranges::fill(block, std::byte{}); }));
}

TEST_P(DeviceFormats, ExtremeScales) {
  std::string format = GetParam();
  if (format == "f32" || format == "f16" || format == "bf16")
    return expectDecoded(format, encodeWeight(format, {1, 8}, {0.0f, -0.0f, 1e-7f, -6e-8f, 65504.0f, -65504.0f, 6.1e-5f, 1e-5f}));
  Random random(3);
  float halves[] = {0.0f, -0.0f, 0x1p-24f, 65504.0f, -65504.0f, 0x1p-14f};
  int bytes[] = {0, 1, 7, 8, 64, 126}, exponents[] = {0, 1, 2, 127, 253, 254};
  expectDecoded(format, blocksOf(format, {6, 1024}, [&](std::span<std::byte> block) {
                  for (std::byte &byte : block)
                    byte = static_cast<std::byte>(random.next());
                  setScales(
                      format, block, [&] { return halves[random.below(6)]; },
                      [&] { return format == "mxfp4" ? exponents[random.below(6)] : bytes[random.below(6)]; });
                }));
}

// Golden blocks, as a table of one row: weights of ggml's formats from an independent implementation, and the published blocks of
// the ROCmFPX formats, which the host's decoder was checked with.
static std::vector<float> floatsOf(const std::vector<std::byte> &bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}
TEST(GoldenBlocks, DecodeOnTheDevice) {
  std::ifstream stream(DS4C_SOURCE_DIR "/tests/goldens/formats/ggml_blocks.json");
  const nlohmann::json goldens = nlohmann::json::parse(stream);
  int seen = 0;
  for (const nlohmann::json &golden : goldens.at("decode")) {
    const auto format = golden.at("format").get<std::string>();
    SCOPED_TRACE(format);
    const std::vector<std::byte> blocks = bytesFromHex(golden.at("blocks").get<std::string>());
    const std::vector<float> values = decodeAll(*findFormatByName(format), blocks);
    // By value: where the golden's level is 0, an mxfp4 code has a sign, too.
    EXPECT_EQ(values, floatsOf(bytesFromHex(golden.at("weights").get<std::string>())));
    expectDecoded(format, {{1, static_cast<int64_t>(values.size())}, blocks, values});
    ++seen;
  }
  EXPECT_EQ(seen, 11);
  const std::pair<const char *, const char *> published[] = {
      {"rocmfp4", "ae40f6bf49f6bf49f5bf3a75cf3a75cf2123"},
      {"rocmfp4_fast", "ae40f5be49f5be49f5be3975ce3a74ce23"},
      {"rocmfp2", "244992240982e0383a36"},
      {"rocmfp3", "c70ebd7af5ead5ab576fe6cc2b2d"},
      {"rocmfp6", "7868e522a593135f4abd19f966b39f0c9f2ebdaa786bd2b11517"},
      {"rocmfp8", "a7fb50a2f74b9ef24799ee4295e93e90e5398be03587db3082d72b7fd2277bce07"},
  };
  for (auto [format, hex] : published) {
    SCOPED_TRACE(format);
    const std::vector<std::byte> block = bytesFromHex(hex);
    expectDecoded(format, {{1, 32}, block, decodeAll(*findFormatByName(format), block)});
  }
}

static const auto kFormats = testing::Values("f32", "f16", "bf16", "q8_0", "q4_0", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k",
                                             "iq2_xxs", "iq3_xxs", "iq4_xs", "mxfp4", "rocmfp2", "rocmfp2_affine", "rocmfp2_s40",
                                             "rocmfp3", "rocmfp4", "rocmfp4_fast", "rocmfp6", "rocmfp8");

INSTANTIATE_TEST_SUITE_P(All, DeviceFormats, kFormats, [](const auto &info) { return std::string(info.param); });

class MixFormats : public testing::TestWithParam<const char *> {};

// A slice decoded, a run of 32 weights a thread: embed, which shows the weights of other formats, has no levels to look for.
static std::vector<uint32_t> decodedSlice(const std::string &format, const WeightData &w, int slice) {
  const std::string type = format == "rocmfp2_mix" ? "ds4::RocmFp2Mix" : "ds4::RocmFp3Mix";
  const size_t bytes = findFormatByName(format)->rowBytes(w.values.size()), runs = w.values.size() / w.shape[0] / 32;
  KernelSpec spec;
  spec.symbol = fmt::format("decode_{}_{}_{}", format, bytes, slice);
  spec.source = fmt::format(R"(
#include "row.h"
#include "formats/{0}.h"
#include "step.h"
DS4_KERNEL(32) {6}(const ds4::Step *step, const void *w, float *y) {{
  ds4::awaitPrevious();
  auto format = ds4::readerOf<{1}>(w, {2}, {3});
  ds4::U32 run = ds4::blockX() * 32 + ds4::threadIndex();
  float values[32];
  if (run >= {4})
    return;
  format.decode<1>(w, {5}, run, values);
  ds4::store<4>(y, run * 128, values);
}}
DS4_WAITS({6})
DS4_CLUSTER_OF({6}, 1)
DS4_LDS_OF({6}, 0)
)",
                            format, type, bytes, slice, runs, slice * (bytes / w.shape[0]), spec.symbol);
  spec.grid = {static_cast<int>((runs + 31) / 32), 1, 1};
  return launch(spec, makeStep(0, 1), {weight(w), output(runs * 32)})[1].as<uint32_t>();
}

static void expectMixDecoded(const std::string &format, const WeightData &w) {
  const size_t ofSlice = w.values.size() / w.shape[0];
  for (int slice = 0; slice < w.shape[0]; ++slice) {
    std::vector<uint32_t> actual = decodedSlice(format, w, slice);
    for (size_t i = 0; i < ofSlice; ++i)
      ASSERT_EQ(actual[i], std::bit_cast<uint32_t>(w.values[slice * ofSlice + i])) << "slice " << slice << ", weight " << i;
  }
}

TEST_P(MixFormats, RandomBlocks) { expectMixDecoded(GetParam(), randomWeight(GetParam(), {3, 5, 352}, 1)); }

TEST_P(MixFormats, WideRows) { expectMixDecoded(GetParam(), randomWeight(GetParam(), {1, 1, 16384}, 2)); }

TEST_P(MixFormats, AllZero) {
  WeightData w = blocksOf(GetParam(), {2, 3, 64}, [](std::span<std::byte> block) { std::ranges::fill(block, std::byte{}); });
  appendLevels(w, GetParam(), {MixSlice{true, {}}, MixSlice{}});
  expectMixDecoded(GetParam(), w);
}

TEST_P(MixFormats, ExtremeScalesAndLevels) {
  Random random(3);
  int bytes[] = {0, 1, 7, 8, 64, 126, 128, 129, 135, 136, 192, 254};
  WeightData w = blocksOf(GetParam(), {2, 3, 512}, [&](std::span<std::byte> block) {
    for (std::byte &byte : block)
      byte = static_cast<std::byte>(random.next());
    setScales(GetParam(), block, [] { return 0.0f; }, [&] { return bytes[random.below(12)]; });
  });
  MixSlice wild{true, {{{0, -0.0f, 0x1p-80f, -0x1p-100f, 3, -3, 1, -1}, {0x1.fep90f, -0x1p90f, 1, 0, 0, 0, 2, -2}}}};
  MixSlice whole{true, {{{-1, 0, 1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12, 13, 14}}}};
  appendLevels(w, GetParam(), {wild, whole});
  expectMixDecoded(GetParam(), w);
}

INSTANTIATE_TEST_SUITE_P(All, MixFormats, testing::Values("rocmfp2_mix", "rocmfp3_mix"),
                         [](const auto &info) { return std::string(info.param); });

class FormatProducts : public testing::TestWithParam<const char *> {};

TEST_P(FormatProducts, Products) {
  std::string format = GetParam();
  int n = 5, k = 768, q = 2;
  std::vector<float> x = normals(q * k, 4);
  WeightData w = randomWeight(format, {2 * n, k}, 5);
  auto dense = launch(emitKernel(LinearShape{format, 2 * n, k}), makeStep(0, q), {input(x), weight(w), output(q * 2 * n)});
  expectClose(dense[2].as<float>(), reference::linear(tensor({q, k}, x), w.weight()), 1e-6);

  std::vector<float> wide = normals(q * 2 * k, 6);
  auto grouped =
      launch(emitKernel(GroupedLinearShape{format, 2, n, k}), makeStep(0, q), {input(wide), weight(w), output(q * 2 * n)});
  expectClose(grouped[2].as<float>(), reference::groupedLinear(tensor({q, 2 * k}, wide), w.weight(), 2), 1e-6);

  WeightData experts = randomWeight(format, {2, n, k}, 5);
  std::vector<int> ids{1, 0, 0, 2};
  auto routed = launch(emitKernel(ExpertLinearShape{format, 2, 2, n, k}), makeStep(0, q),
                       {input(x), input(ids), weight(experts), output(q * 2 * n)});
  expectClose(routed[3].as<float>(), reference::expertLinear(tensor({q, k}, x), tensor({q, 2}, ids), experts.weight()), 1e-6);
}

// Dense products over the widths that a format permits, odd numbers of rows, and every number of tokens: launch() compares each
// token with a launch of its own, bit for bit.
TEST_P(FormatProducts, AnyWidthRowsAndTokens) {
  const std::string format = GetParam();
  const int block = static_cast<int>(findFormatByName(format)->blockWeights);
  int q = 2;
  for (int k : {32, 96, 256, 2048, 16384}) {
    if (k % block != 0)
      continue;
    const int n = k < 1000 ? 37 : 3;
    const std::vector<float> x = normals(q * k, 4);
    const WeightData w = randomWeight(format, {n, k}, 5);
    const auto dense = launch(emitKernel(LinearShape{format, n, k}), makeStep(0, q), {input(x), weight(w), output(q * n)});
    expectClose(dense[2].as<float>(), reference::linear(tensor({q, k}, x), w.weight()), 1e-6);
    q = q % 8 + 2; // 2, 4, 6, 8, 2
  }
}

INSTANTIATE_TEST_SUITE_P(All, FormatProducts, kFormats, [](const auto &info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Mix, FormatProducts, testing::Values("rocmfp2_mix", "rocmfp3_mix"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace ds4::test
