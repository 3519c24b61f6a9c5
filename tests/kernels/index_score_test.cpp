#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

struct IndexScoreCase {
  int heads, width, pos, q;
  std::string element = "f16";
  int ratio = 4;
  int halves = 2;
  double spread = 1; // of the queries
};

static void check(const IndexScoreCase &c) {
  int columns = (c.pos + c.q) / c.ratio, capacity = columns + 3;
  reference::State rows = randomState(capacity, c.width, c.element, 1);
  std::vector<float> q = normals(c.q * c.heads * c.width, 2, c.spread), weights = normals(c.q * c.heads, 3);
  IndexScoreShape shape{c.element, c.heads, c.width, c.ratio, capacity, 0.125f, c.halves};
  auto results =
      launch(emitKernel(shape), makeStep(c.pos, c.q), {input(q), input(weights), readOnly(rows), output(c.q * capacity)});
  std::vector<float> all = results[3].as<float>(), scores;
  for (int token = 0; token < c.q; ++token)
    scores.insert(scores.end(), all.begin() + token * capacity, all.begin() + token * capacity + columns);
  expectClose(
      scores,
      reference::indexScore(tensor({c.q, c.heads, c.width}, q), tensor({c.q, c.heads}, weights), rows, c.pos, c.ratio, 0.125f),
      c.halves == 2   ? 5e-6
      : c.halves == 1 ? 1e-3
                      : 1e-6);
}

TEST(IndexScore, Tiny) { check({8, 64, 299, 1}); }
TEST(IndexScore, RowsThatEarlierTokensDoNotSee) { check({8, 64, 250, 8}); }
TEST(IndexScore, Flash) { check({64, 128, 2047, 1}); }
TEST(IndexScore, SinglePrecision) { check({3, 36, 130, 3, "f32"}); }
TEST(IndexScore, NoRowYet) { check({8, 64, 0, 1}); }
TEST(IndexScore, FirstRow) { check({8, 64, 2, 3}); }
TEST(IndexScore, RowsOfSeveralWorkgroups) {
  for (int columns : {255, 256, 257, 600})
    check({64, 128, 4 * columns - 3, 4});
}
TEST(IndexScore, QueriesRoundedOnce) { check({.heads = 64, .width = 128, .pos = 1200, .q = 2, .halves = 1}); }
TEST(IndexScore, SinglePrecisionQueries) { check({.heads = 64, .width = 128, .pos = 1200, .q = 2, .halves = 0}); }
TEST(IndexScore, HeadsThatFillNoTile) {
  for (int heads : {1, 7, 8, 17, 40})
    check({heads, 16, 90, 2});
}
TEST(IndexScore, SmallAndGreatQueries) {
  for (double spread : {0.1, 1e3})
    check({.heads = 8, .width = 128, .pos = 300, .q = 1, .spread = spread});
}
// A tile of rows a wave instead of two.
TEST(IndexScore, FineGridsAreTheSame) {
  for (auto [pos, q] : {std::pair(2, 1), std::pair(63, 2), std::pair(2047, 3)}) {
    const int capacity = (pos + q) / 4 + 3;
    const reference::State rows = randomState(capacity, 128, "f16", 1);
    IndexScoreShape shape{"f16", 64, 128, 4, capacity, 0.125f};
    const auto scores = [&] {
      const std::vector<Operand> operands{input(normals(q * 64 * 128, 2)), input(normals(q * 64, 3)), readOnly(rows),
                                          output(q * capacity)};
      return launch(emitKernel(shape), makeStep(pos, q), operands)[3].bytes;
    };
    const auto coarse = scores();
    shape.fine = true;
    EXPECT_EQ(scores(), coarse) << pos << ", " << q;
  }
}
TEST(IndexScore, WholeWaves) { check({2, 32, 255, 1}); }

} // namespace ds4::test
