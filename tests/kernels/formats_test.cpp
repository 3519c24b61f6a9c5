// Every format on the device: its weights, bit by bit, as the host decodes them, and products of all three kinds.
#include <algorithm>
#include <bit>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

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

TEST_P(DeviceFormats, WideRows) { expectDecoded(GetParam(), randomWeight(GetParam(), {1, 16384}, 2)); }

TEST_P(DeviceFormats, AllZero) {
  expectDecoded(GetParam(), blocksOf(GetParam(), {3, 256}, [](std::span<std::byte> block) { std::ranges::fill(block, std::byte{}); }));
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
                  setScales(format, block, [&] { return halves[random.below(6)]; },
                            [&] { return format == "mxfp4" ? exponents[random.below(6)] : bytes[random.below(6)]; });
                }));
}

TEST_P(DeviceFormats, Products) {
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

  WeightData experts = w;
  experts.shape = {2, n, k};
  std::vector<int> ids{1, 0, 0, 2};
  auto routed = launch(emitKernel(ExpertLinearShape{format, 2, 2, n, k}), makeStep(0, q),
                       {input(x), input(ids), weight(experts), output(q * 2 * n)});
  expectClose(routed[3].as<float>(), reference::expertLinear(tensor({q, k}, x), tensor({q, 2}, ids), experts.weight()), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(All, DeviceFormats,
                         testing::Values("f32", "f16", "bf16", "q8_0", "q4_0", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k", "iq2_xxs",
                                         "iq3_xxs", "iq4_xs", "mxfp4", "rocmfp2", "rocmfp2_affine", "rocmfp2_s40", "rocmfp3",
                                         "rocmfp4", "rocmfp4_fast", "rocmfp6", "rocmfp8"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace ds4::test
