#include <algorithm>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const std::string &format, int rows, int width, int streams, const std::vector<int> &tokens) {
  int q = static_cast<int>(tokens.size());
  WeightData table = randomWeight(format, {rows, width}, 2);
  Step step = makeStep(9, q);
  std::ranges::copy(tokens, step.token);
  auto results = launch(emitKernel(EmbedShape{format, width, streams}), step, {weight(table), output(q * streams * width)});
  expectClose(results[1].as<float>(), reference::embed(tensor({q}, tokens), table.weight(), streams), 0);
}

TEST(Embed, IdsMadeByTheStep) {
  const std::vector<int> ids{15, 0, 7};
  WeightData table = randomWeight("f16", {16, 64}, 2);
  auto results = launch(emitKernel(EmbedShape{.format = "f16", .width = 64, .streams = 1, .idsOfStep = false}), makeStep(9, 3),
                        {input(ids), weight(table), output(3 * 64)});
  expectClose(results[2].as<float>(), reference::embed(tensor({3}, ids), table.weight(), 1), 0);
}
TEST(Embed, HalfPrecisionRows) { check("f16", 16, 256, 4, {15, 0, 7}); }
TEST(Embed, Q8Rows) { check("q8_0", 16, 4096, 4, {3}); }
TEST(Embed, SinglePrecisionOddWidth) { check("f32", 5, 77, 2, {4, 4, 0, 1, 2, 3, 0, 1}); }

} // namespace ds4::test
