#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const std::string &element, int slots, int width, int pos, int q) {
  reference::State window = randomState(slots, width, element, 1);
  std::vector<float> rows = normals(q * width, 2);
  auto results = launch(emitKernel(WindowAppendShape{element, slots, width}), makeStep(pos, q), {state(window), input(rows)});
  reference::windowAppend(window, tensor({q, width}, rows), pos);
  EXPECT_EQ(results[0].bytes, bytesOf(window));
}

TEST(WindowAppend, FirstToken) { check("f16", 136, 128, 0, 1); }
TEST(WindowAppend, AcrossTheEndOfTheRing) { check("f16", 136, 512, 133, 8); }
TEST(WindowAppend, LaterRounds) { check("f32", 136, 128, 1000003, 3); }
TEST(WindowAppend, SmallRingNarrowRow) { check("f16", 11, 34, 9, 5); }

// More tokens than slots: the last ones stay.
TEST(WindowAppend, ChunkOfMoreTokensThanSlots) {
  for (int q : {1, 10, 11, 12, 45}) {
    reference::State window = randomState(11, 34, "f16", 1);
    std::vector<float> rows = normals(q * 34, 2);
    auto results = launch(emitKernel(WindowAppendShape{"f16", 11, 34, true}), makeStep(9, q), {state(window), input(rows)});
    reference::windowAppend(window, tensor({q, 34}, rows), 9);
    EXPECT_EQ(results[0].bytes, bytesOf(window)) << q;
  }
}

} // namespace ds4::test
