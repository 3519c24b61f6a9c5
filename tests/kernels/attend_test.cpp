#include <cmath>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

struct AttendCase {
  int heads, width, pos, q;
  int ratio = 0, picks = 0;
  std::string element = "f16", sinks = "f32";
  int slots = 136, window = 128;
  double spread = 1; // of the queries
  bool block = false;
};

// Ids as select_top_k makes them: ascending, padded with -1.
static std::vector<int> randomPicks(int visible, int count) {
  std::vector<int> picks;
  for (int row = 0; row < visible && static_cast<int>(picks.size()) < count; ++row)
    if (visible - row <= count - static_cast<int>(picks.size()) || row % 3 != 1)
      picks.push_back(row);
  picks.resize(count, -1);
  return picks;
}

static void check(const AttendCase &c) {
  const float scale = 1 / std::sqrt(static_cast<float>(c.width));
  int capacity = c.ratio ? (c.pos + c.q) / c.ratio + 2 : 0;
  reference::State window = randomState(c.slots, c.width, c.element, 1), rows = randomState(capacity, c.width, c.element, 2);
  std::vector<float> q = normals(c.q * c.heads * c.width, 3, c.spread);
  WeightData sinks = randomWeight(c.sinks, {c.heads}, 4, 2);
  AttendShape shape{.element = c.element,
                    .rowElement = c.element,
                    .sinkFormat = c.sinks,
                    .heads = c.heads,
                    .width = c.width,
                    .slots = c.slots,
                    .window = c.window,
                    .ratio = c.ratio,
                    .picks = c.picks,
                    .scale = scale,
                    .block = c.block};
  std::vector<int> picks;
  for (int token = 0; token < c.q && c.picks; ++token)
    for (int pick : randomPicks((c.pos + token + 1) / c.ratio, c.picks))
      picks.push_back(pick);

  std::vector<Operand> operands{input(q), readOnly(window), weight(sinks)};
  reference::AttendOptions options{.scale = scale, .window = c.window, .ratio = c.ratio, .block = c.block};
  reference::Tensor pickTensor = tensor({c.q, c.picks}, picks);
  if (c.ratio) {
    operands.push_back(readOnly(rows));
    options.rows = &rows;
  }
  if (c.picks) {
    operands.push_back(input(picks));
    options.picks = &pickTensor;
  }
  operands.push_back(output(q.size()));
  auto results = (c.block ? launchTogether : launch)(emitKernel(shape), makeStep(c.pos, c.q), operands);
  expectClose(results.back().as<float>(),
              reference::attend(tensor({c.q, c.heads, c.width}, q), window, sinks.weight(), c.pos, options), 2e-6);
}

TEST(Attend, FirstTokenSeesItself) { check({8, 128, 0, 1}); }
TEST(Attend, WindowFills) { check({8, 128, 125, 8}); }
TEST(Attend, RingWraps) { check({8, 128, 1000, 3}); }
TEST(Attend, AllCompressedRows) { check({8, 128, 128 * 5 - 3, 4, 128}); }
TEST(Attend, NoCompressedRowYet) { check({8, 128, 126, 1, 128}); }
TEST(Attend, PicksOfFewRows) { check({8, 128, 30, 8, 4, 64}); }
TEST(Attend, PicksOfManyRows) { check({8, 128, 700, 2, 4, 64}); }
TEST(Attend, FlashHeads) { check({64, 512, 2100, 1, 4, 512}); }
TEST(Attend, FlashHeadsLongRatio) { check({6, 512, 700, 2, 128}); }
TEST(Attend, SinglePrecisionRows) { check({8, 128, 300, 2, 4, 16, "f32"}); }
TEST(Attend, HalfPrecisionSinks) { check({5, 128, 40, 1, 0, 0, "f16", "f16"}); }
TEST(Attend, SharpSoftmax) { check({8, 128, 200, 1, 4, 64, "f16", "f32", 136, 128, 30}); }
TEST(Attend, BlockSeesItselfAndTheWindowBefore) {
  for (int pos : {0, 1, 5, 127, 128, 129, 1000})
    check({.heads = 8, .width = 128, .pos = pos, .q = 5, .slots = 141, .block = true});
  check({.heads = 8, .width = 128, .pos = 300, .q = 8, .element = "f32", .block = true});
  check({.heads = 8, .width = 128, .pos = 300, .q = 1, .block = true});
  check({.heads = 64, .width = 512, .pos = 2100, .q = 5, .slots = 141, .block = true});
}
TEST(Attend, OtherWidthsAndRings) {
  check({3, 64, 50, 3, 4, 7, "f16", "f32", 13, 5});
  check({2, 36, 9, 1, 2, 0, "f32", "f32", 17, 10});
  check({1, 96, 19, 2, 0, 0, "f16", "f32", 20, 12});
}

} // namespace ds4::test
