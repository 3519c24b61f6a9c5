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

} // namespace ds4::test
