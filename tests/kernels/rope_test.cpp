#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static const RopeParameters kPlain{.dims = 64, .base = 10000};
static const RopeParameters kYarn{.dims = 64, .base = 160000, .factor = 16, .originalContext = 65536};

static void check(int heads, int width, RopeParameters rope, bool inverse, int pos, int q) {
  std::vector<float> x = normals(q * heads * width, 1);
  auto results = launch(emitKernel(RopeShape{heads, width, rope, inverse}), makeStep(pos, q), {input(x), output(x.size())});
  expectClose(results[1].as<float>(), reference::rope(tensor({q, heads, width}, x), pos, ropeFrequencies(rope), inverse), 3e-7);
}

TEST(Rope, Forward) { check(8, 128, kPlain, false, 17, 3); }
TEST(Rope, Inverse) { check(64, 512, kYarn, true, 1000, 1); }
TEST(Rope, PositionZeroTurnsNothing) { check(1, 512, kPlain, false, 0, 8); }
TEST(Rope, AnglesUpToAMillion) {
  check(2, 128, kPlain, false, 1048575 - 8, 8);
  check(2, 128, kYarn, true, 1048568, 8);
  check(2, 128, kYarn, false, 524288, 1);
}
TEST(Rope, AllChannelsTurn) { check(3, 64, kPlain, false, 5, 2); }
TEST(Rope, PairsThatAreNotQuads) { check(3, 34, {.dims = 6, .base = 100}, false, 5, 2); }

// Heads that are normed first have the bits of two launches.
TEST(Rope, Normed) {
  for (const auto &[heads, width, dims, q] : {std::tuple(64, 512, 64, 3), std::tuple(3, 128, 128, 9), std::tuple(5, 34, 6, 2)}) {
    const RopeParameters parameters{.dims = dims, .base = 10000};
    const std::vector<float> x = normals(static_cast<size_t>(q * heads * width), 1);
    const RopeShape shape{.heads = heads, .width = width, .rope = parameters, .normEps = 1e-6f};
    const auto results = launch(emitKernel(shape), makeStep(77, q), {input(x), output(x.size())});
    const reference::Tensor normed = reference::headNorm(tensor({q, heads, width}, x), 1e-6f);
    expectClose(results[1].as<float>(), reference::rope(normed, 77, ropeFrequencies(parameters), false), 1e-6);

    const auto norm = launch(emitKernel(HeadNormShape{heads, width, 1e-6f}), makeStep(77, q), {input(x), output(x.size())});
    const auto turned =
        launch(emitKernel(RopeShape{heads, width, parameters}), makeStep(77, q), {input(norm[1].as<float>()), output(x.size())});
    if (!isOnNvidia()) // NVRTC joins other products and sums
      EXPECT_EQ(results[1].as<float>(), turned[1].as<float>());
  }
}

} // namespace ds4::test
