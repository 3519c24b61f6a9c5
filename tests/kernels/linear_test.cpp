#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const std::string &format, int n, int k, int q) {
  std::vector<float> x = normals(q * k, 1);
  WeightData w = randomWeight(format, {n, k}, 2);
  auto results = launch(emitKernel(LinearShape{format, n, k}), makeStep(5, q), {input(x), weight(w), output(q * n)});
  expectClose(results[2].as<float>(), reference::linear(tensor({q, k}, x), w.weight()), 1e-6);
}

TEST(Linear, TinyShapes) {
  check("q8_0", 128, 256, 1);
  check("q8_0", 256, 128, 3);
  check("f16", 16, 256, 3);
  check("f32", 16, 256, 1);
}

TEST(Linear, EightTokens) { check("q8_0", 64, 512, 8); }

TEST(Linear, FlashWidths) {
  check("q8_0", 9, 4096, 1);
  check("f16", 9, 4096, 1);
  check("f32", 9, 4096, 2);
  check("q8_0", 5, 8192, 1);
}

TEST(Linear, LastWaveHasFewerRows) {
  check("q8_0", 1, 32, 1);
  check("q8_0", 131, 64, 2);
  check("f16", 33, 128, 2);
}

TEST(Linear, RunsThatDoNotFillTheLanes) {
  check("q8_0", 7, 96, 1);
  check("q8_0", 7, 32 * 37, 1);
  check("f16", 7, 8 * 37, 1);
  check("f32", 7, 4 * 37, 1);
}

TEST(Linear, OddWidths) {
  check("f16", 5, 1, 1);
  check("f16", 5, 333, 2);
  check("f32", 5, 77, 2);
}

TEST(Linear, ScalesOfZeroAndSubnormals) {
  WeightData w = randomWeight("f16", {8, 64}, 3, 1e-6);
  std::vector<float> x = normals(64, 4);
  auto results = launch(emitKernel(LinearShape{"f16", 8, 64}), makeStep(0, 1), {input(x), weight(w), output(8)});
  expectClose(results[2].as<float>(), reference::linear(tensor({1, 64}, x), w.weight()), 1e-6);
}

// Products of a chunk: half activations and weights, or, where weights are halves, activations to 22 bits.
static void checkChunk(const std::string &format, int n, int k, int q, double scale = 1) {
  std::vector<float> x = normals(q * k, 1, scale);
  WeightData w = randomWeight(format, {n, k}, 2);
  auto results = launch(emitKernel(LinearShape{.format = format, .n = n, .k = k, .chunk = true}), makeStep(5, q),
                        {input(x), weight(w), output(q * n)});
  expectSmallError(results[2].as<float>(), reference::linear(tensor({q, k}, x), w.weight()), format == "f16" ? 3e-6 : 6e-4);
  if (format == "f16")
    return;
  // Rows that were scaled before.
  const ScaledRows rows(x, q, k);
  const auto scaled = launch(emitKernel(LinearShape{.format = format, .n = n, .k = k, .halves = true, .chunk = true}),
                             makeStep(5, q), {input(rows.halves), weight(w), input(rows.scales), output(q * n)});
  expectSmallError(scaled[3].as<float>(), reference::linear(tensor({q, k}, x), w.weight()), 6e-4);
  if (!isOnNvidia()) // where the order of a sum is another
    EXPECT_EQ(scaled[3].as<float>(), results[2].as<float>());
}

TEST(LinearChunk, TokensAndRowsThatFillNoTile) {
  for (int q : {1, 3, 17})
    checkChunk("q8_0", 5, 64, q);
  checkChunk("q8_0", 131, 96, 33);
}
TEST(LinearChunk, SeveralTiles) {
  checkChunk("q8_0", 257, 32, 129);
  checkChunk("f16", 130, 160, 65);
}
TEST(LinearChunk, FlashWidths) {
  checkChunk("q8_0", 16, 4096, 4);
  checkChunk("f16", 16, 4096, 2);
}
TEST(LinearChunk, TinyAndHugeActivations) {
  checkChunk("q8_0", 8, 128, 3, 1e-8);
  checkChunk("q8_0", 8, 128, 3, 1e8);
  checkChunk("f16", 8, 128, 3, 1e-8);
}
TEST(LinearChunk, AllFormats) {
  for (const char *format : {"q8_0",    "q4_0",        "q2_k",        "q3_k",    "q4_k",         "q5_k",           "q6_k",
                             "iq2_xxs", "iq3_xxs",     "iq4_xs",      "mxfp4",   "rocmfp2",      "rocmfp2_affine", "rocmfp2_s40",
                             "rocmfp3", "rocmfp2_mix", "rocmfp3_mix", "rocmfp4", "rocmfp4_fast", "rocmfp6",        "rocmfp8"}) {
    SCOPED_TRACE(format);
    checkChunk(format, 20, 256, 2);
  }
}

} // namespace ds4::test
