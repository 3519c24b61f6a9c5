#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(int width, int streams, int q) {
  std::vector<float> x = normals(q * streams * width, 1);
  auto results = launch(emitKernel(StreamMeanShape{width, streams}), makeStep(0, q), {input(x), output(q * width)});
  expectClose(results[1].as<float>(), reference::streamMean(tensor({q, streams, width}, x)), 2e-7);
}

TEST(StreamMean, Tiny) { check(256, 4, 5); }
TEST(StreamMean, Flash) { check(4096, 4, 1); }
TEST(StreamMean, OddWidthAndStreams) { check(131, 3, 8); }

} // namespace ds4::test
