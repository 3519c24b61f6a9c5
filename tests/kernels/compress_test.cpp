#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

struct CompressCase {
  int ratio, slots, width, pos, q;
  std::string open = "f32", rows = "f16", ape = "f16";
  RopeParameters rope{.dims = 32, .base = 160000, .factor = 16, .originalContext = 65536};
  bool chunk = false;
};

static void check(const CompressCase &c) {
  int columns = c.ratio == 4 ? 2 * c.width : c.width, capacity = (c.pos + c.q) / c.ratio + 1;
  reference::State open = randomState(c.slots, 2 * columns, c.open, 1), rows = randomState(capacity, c.width, c.rows, 2);
  std::vector<float> kv = normals(c.q * columns, 3), gate = normals(c.q * columns, 4, 3);
  WeightData ape = randomWeight(c.ape, {c.ratio, columns}, 5), norm = randomWeight("f32", {c.width}, 6);
  CompressShape shape{c.open, c.rows, c.ape, "f32", c.ratio, c.slots, c.width, 1e-6f, c.rope, c.chunk};
  auto results = launch(emitKernel(shape), makeStep(c.pos, c.q),
                        {state(open), state(rows), input(kv), input(gate), weight(ape), weight(norm)});
  reference::compress(open, rows, tensor({c.q, columns}, kv), tensor({c.q, columns}, gate), ape.weight(), norm.weight(), c.pos,
                      c.ratio, 1e-6f, ropeFrequencies(c.rope));
  expectClose(stateOf(results[0].bytes, c.slots, 2 * columns, c.open), open, c.open == "f16" ? 6e-4 : 1e-7);
  expectClose(stateOf(results[1].bytes, capacity, c.width, c.rows), rows, c.rows == "f16" ? 6e-4 : 2e-6);
}

TEST(Compress, TokenThatCompletesNoWindow) { check({4, 16, 128, 5, 1}); }
TEST(Compress, FirstWindowHasNoWindowBefore) { check({4, 16, 128, 3, 1, "f32", "f32"}); }
TEST(Compress, OverlappingWindow) { check({4, 16, 128, 7, 1, "f32", "f32"}); }
TEST(Compress, EightTokensCompleteTwoWindows) { check({4, 16, 128, 21, 8, "f32", "f32"}); }
TEST(Compress, WindowsFromTheStart) { check({4, 16, 64, 0, 8, "f32", "f32"}); }
TEST(Compress, AcrossTheEndOfTheRing) { check({4, 16, 64, 13, 8}); }
TEST(Compress, FlashRows) { check({4, 16, 512, 1002, 3, "f32", "f32", "f32", {.dims = 64, .base = 160000}}); }
TEST(Compress, HalfPrecisionRingRoundsTheStepsOwnTokensToo) { check({4, 16, 128, 9, 5, "f16", "f32"}); }
TEST(Compress, LongWindow) { check({128, 136, 128, 127, 1, "f32", "f32"}); }
TEST(Compress, LongWindowEndsWithinAStep) { check({128, 136, 128, 128 * 3 - 3, 8, "f32", "f32"}); }
TEST(Compress, LongWindowFlash) { check({128, 136, 512, 128 * 9 - 1, 2, "f32", "f16", "f32", {.dims = 64, .base = 160000}}); }
TEST(Compress, OtherRatioAndNarrowRows) { check({3, 11, 34, 4, 2, "f32", "f32", "f32", {.dims = 6, .base = 100}}); }

// Chunks leave the state that a launch for each token leaves, to the bit.
static void checkChunk(int ratio, int slots, int width, int pos, int q) {
  CompressCase c{ratio, slots, width, pos, q, "f32", "f32"};
  c.chunk = true;
  check(c);
}
TEST(CompressChunk, OverlappingWindows) {
  for (int pos : {0, 1, 2, 3, 6, 13})
    for (int q : {1, 3, 4, 5, 9, 40})
      checkChunk(4, 16, 64, pos, q);
}
TEST(CompressChunk, LongWindows) {
  checkChunk(128, 136, 64, 0, 127);
  checkChunk(128, 136, 64, 1, 128);
  checkChunk(128, 136, 64, 130, 129);
  checkChunk(128, 136, 64, 127, 300);
}
TEST(CompressChunk, FlashRows) { checkChunk(4, 16, 512, 1001, 11); }

} // namespace ds4::test
