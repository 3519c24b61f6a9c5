// The fast products: close to the reference, the same bits for a token whatever the number of columns (launch() compares
// with each token alone), and no loss with tiny or huge activations.
#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "support/Half.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

constexpr double kHalfTolerance = 4e-4; // of activations rounded to half precision

static std::vector<float> checkDense(const std::string &format, int n, int k, int q, int columns, double scale = 1,
                                     bool fine = false) {
  std::vector<float> x = normals(q * k, 1, scale);
  WeightData w = randomWeight(format, {n, k}, 2);
  auto results = launch(emitKernel(LinearShape{format, n, k, columns, fine}), makeStep(5, q), {input(x), weight(w), output(q * n)});
  expectSmallError(results[2].as<float>(), reference::linear(tensor({q, k}, x), w.weight()), kHalfTolerance);
  return results[2].as<float>();
}

// k, or the next width of rows that the format's fast kernel takes.
static int widthFor(const std::string &format, int k) {
  while (!fastColumns(format, k, 1))
    k *= 2;
  return k;
}

class FastProducts : public testing::TestWithParam<const char *> {};

TEST_P(FastProducts, OneColumn) { checkDense(GetParam(), 37, 4096, 1, 1); }
TEST_P(FastProducts, ShortRows) { checkDense(GetParam(), 37, widthFor(GetParam(), 1024), 2, 2); }
TEST_P(FastProducts, ShortestRows) { checkDense(GetParam(), 33, widthFor(GetParam(), 512), 3, 4); }
TEST_P(FastProducts, LongRows) {
  int k = fastColumns(GetParam(), 16384, 1) ? 16384 : 8192;
  checkDense(GetParam(), 40, k, 1, 1);
}
TEST_P(FastProducts, ColumnsOfAnyWidthAreTheSame) {
  std::vector<float> four = checkDense(GetParam(), 21, 2048, 7, 4);
  EXPECT_EQ(checkDense(GetParam(), 21, 2048, 7, 2), four);
  EXPECT_EQ(checkDense(GetParam(), 21, 2048, 7, 1), four);
  EXPECT_EQ(checkDense(GetParam(), 21, 2048, 7, fastColumns(GetParam(), 2048, 8)), four);
}
// Columns that come to LDS in parts; launch() compares each token with a launch of its own.
TEST_P(FastProducts, EightColumns) {
  checkDense(GetParam(), 37, 4096, 8, fastColumns(GetParam(), 4096, 8));
  const int k = widthFor(GetParam(), 1024);
  checkDense(GetParam(), 70, k, 5, fastColumns(GetParam(), k, 8));
}
TEST_P(FastProducts, EveryNumberOfTokens) {
  const int k = widthFor(GetParam(), 1024);
  for (int q = 2; q <= 8; ++q)
    checkDense(GetParam(), 19, k, q, fastColumns(GetParam(), k, q));
}
// Activations that come as halves: the bits of the same values as singles, with any number of columns.
TEST_P(FastProducts, HalvesOfTheProducer) {
  for (const auto &[n, k] :
       {std::pair(37, 4096), std::pair(70, widthFor(GetParam(), 1024)), std::pair(33, widthFor(GetParam(), 512))})
    for (int columns : {1, 2, 4, 8}) {
      if (fastColumns(GetParam(), k, columns) != columns)
        continue;
      const int q = columns == 1 ? 2 : columns - 1;
      std::vector<uint16_t> halves;
      std::vector<float> x;
      for (float value : normals(q * k, 3)) {
        halves.push_back(floatToHalf(value));
        x.push_back(halfToFloat(halves.back()));
      }
      const WeightData w = randomWeight(GetParam(), {n, k}, 2);
      LinearShape shape{GetParam(), n, k, columns};
      const std::vector<float> expected =
          launch(emitKernel(shape), makeStep(5, q), {input(x), weight(w), output(q * n)})[2].as<float>();
      shape.halves = true;
      EXPECT_EQ(launch(emitKernel(shape), makeStep(5, q), {input(halves), weight(w), output(q * n)})[2].as<float>(), expected)
          << k << " weights, " << columns << " columns";
    }
}
// A layout for the matrix unit of NVIDIA's devices, which others have no kernel for.
TEST_P(FastProducts, FineLayoutsAreTheSame) {
  if (!isOnNvidia())
    GTEST_SKIP() << "only on an NVIDIA device";
  const std::vector<float> coarse = checkDense(GetParam(), 300, 2048, 8, 1);
  for (int columns : {1, 2, 4, fastColumns(GetParam(), 2048, 8)})
    EXPECT_EQ(checkDense(GetParam(), 300, 2048, 8, columns, 1, true), coarse) << columns << " columns";
}
TEST_P(FastProducts, TinyActivations) { checkDense(GetParam(), 40, widthFor(GetParam(), 1024), 1, 1, 1e-8); }
TEST_P(FastProducts, HugeActivations) { checkDense(GetParam(), 40, widthFor(GetParam(), 1024), 1, 1, 1e8); }
TEST_P(FastProducts, ZeroActivations) {
  int k = widthFor(GetParam(), 1024);
  WeightData w = randomWeight(GetParam(), {8, k}, 2);
  auto results =
      launch(emitKernel(LinearShape{GetParam(), 8, k, 1}), makeStep(0, 1), {input(std::vector<float>(k)), weight(w), output(8)});
  EXPECT_EQ(results[2].as<float>(), std::vector<float>(8));
}
TEST_P(FastProducts, Groups) {
  int groups = 2, n = 9, k = widthFor(GetParam(), 1024), q = 3;
  std::vector<float> x = normals(q * groups * k, 1);
  WeightData w = randomWeight(GetParam(), {groups * n, k}, 2);
  auto results = launch(emitKernel(GroupedLinearShape{GetParam(), groups, n, k, 2}), makeStep(5, q),
                        {input(x), weight(w), output(q * groups * n)});
  expectSmallError(results[2].as<float>(), reference::groupedLinear(tensor({q, groups * k}, x), w.weight(), groups),
                   kHalfTolerance);
}
TEST_P(FastProducts, Experts) {
  int experts = 3, used = 4, n = 70, k = widthFor(GetParam(), 1024), q = 2;
  std::vector<float> x = normals(q * k, 1);
  std::vector<int> ids{2, 0, -1, 3, 1, 1, 2, 1 << 30};
  WeightData w = randomWeight(GetParam(), {experts, n, k}, 2);
  auto results = launch(emitKernel(ExpertLinearShape{GetParam(), experts, used, n, k, false, true}), makeStep(5, q),
                        {input(x), input(ids), weight(w), output(q * used * n)});
  expectSmallError(results[3].as<float>(), reference::expertLinear(tensor({q, k}, x), tensor({q, used}, ids), w.weight()),
                   kHalfTolerance);
}

INSTANTIATE_TEST_SUITE_P(All, FastProducts,
                         testing::Values("q8_0", "rocmfp2", "rocmfp3", "rocmfp4", "rocmfp4_fast", "rocmfp2_mix", "rocmfp3_mix",
                                         "rocmfp8", "mxfp4", "q4_0", "q4_k", "q5_k", "q6_k", "q2_k", "q3_k", "iq2_xxs", "iq3_xxs",
                                         "iq4_xs", "rocmfp6"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace ds4::test
