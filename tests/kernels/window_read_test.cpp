#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const WindowReadShape &shape, int pos, int q) {
  const reference::State ring = randomState(shape.slots, shape.width, shape.element, 1);
  auto results = launch(emitKernel(shape), makeStep(pos, q), {readOnly(ring), output(q * shape.cols)});
  const reference::Tensor expected = reference::windowRead(ring, pos, q, shape.first, shape.cols);
  EXPECT_EQ(results[1].as<float>(), std::vector<float>(expected.values.begin(), expected.values.end())); // copied as it is
}

TEST(WindowRead, FirstToken) { check({"f32", 144, 1024, 256, 256}, 0, 1); }
TEST(WindowRead, AcrossTheEndOfTheRing) { check({"f32", 144, 1024, 768, 256}, 141, 8); }
TEST(WindowRead, FlashStream) { check({"f32", 144, 4 * 4096, 3 * 4096, 4096}, 1000003, 2); }
TEST(WindowRead, HalvesAndPairs) { check({"f16", 11, 34, 2, 30}, 9, 5); }
TEST(WindowRead, WholeRows) { check({"f16", 136, 128, 0, 128}, 300, 8); }

} // namespace ds4::test
