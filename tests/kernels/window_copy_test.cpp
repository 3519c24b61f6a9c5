#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const std::string &element, int toSlots, int fromSlots, int window, int width, int pos) {
  reference::State to = randomState(toSlots, width, element, 1), from = randomState(fromSlots, width, element, 2);
  auto results = launchTogether(emitKernel(WindowCopyShape{element, toSlots, fromSlots, window, width}), makeStep(pos, 3),
                                {state(to), readOnly(from)});
  reference::windowCopy(to, from, pos, window);
  EXPECT_EQ(results[0].bytes, bytesOf(to));
}

TEST(WindowCopy, NothingBeforeTheFirstToken) { check("f16", 640, 136, 128, 128, 0); }
TEST(WindowCopy, AsManyRowsAsThereAre) { check("f16", 640, 136, 128, 128, 5); }
TEST(WindowCopy, WholeWindow) { check("f16", 640, 136, 128, 512, 128); }
TEST(WindowCopy, AcrossTheEndsOfBothRings) { check("f32", 200, 136, 128, 34, 136 * 5 + 17); }
TEST(WindowCopy, FarAlong) { check("f16", 4224, 136, 128, 128, 1000003); }

} // namespace ds4::test
