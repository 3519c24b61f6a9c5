#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/Schedules.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {
namespace {

struct Case {
  int heads, width, pos, q;
  int ratio = 0, picks = 0;
  Visibility visibility = Visibility::Selected;
  int parts = 3, groupHeads = 16, halves = 2;
  double spread = 1; // of the queries
  double sink = 0;   // added to every sink
  int slots = 136, window = 128;
  std::string sinks = "f32";
  bool whole = false, clusters = false;
};

// Ids as select_top_k makes them: ascending, spread over the visible rows, padded with -1.
std::vector<int> picksOf(int visible, int count) {
  std::vector<int> picks;
  const int taken = std::min(visible, count);
  for (int i = 0; i < count; ++i)
    picks.push_back(i < taken ? static_cast<int>(int64_t{i} * visible / taken) : -1);
  return picks;
}

// NaN in every row that no token of the step may see.
void poison(reference::State &state, const std::vector<bool> &seen) {
  for (int64_t row = 0; row < state.rows(); ++row)
    for (int64_t i = 0; !seen[row] && i < state.columns(); ++i)
      state.store(row, i, std::numeric_limits<double>::quiet_NaN());
}

class Attention {
public:
  explicit Attention(const Case &given)
      : c(given), capacity(c.ratio ? (c.pos + c.q) / c.ratio + 2 : 0), window(randomState(c.slots, c.width, "f16", 1)),
        rows(randomState(capacity, c.width, "f16", 2)), q(normals(c.q * c.heads * c.width, 3, c.spread)),
        sinks(randomWeight(c.sinks, {c.heads}, 4, 2)) {
    shape.sinkFormat = c.sinks;
    shape.heads = c.heads;
    shape.width = c.width;
    shape.slots = c.slots;
    shape.window = c.window;
    shape.ratio = c.ratio;
    shape.picks = c.picks;
    shape.scale = 1 / std::sqrt(static_cast<float>(c.width));
    shape.rope = {.dims = 64, .base = 160000, .factor = 16, .originalContext = 65536};
    shape.visibility = c.visibility;
    shape.parts = c.whole ? 1 : c.parts;
    shape.whole = c.whole;
    shape.groupHeads = c.groupHeads;
    shape.halves = c.halves;
    shape.clusters = c.clusters;
    if (c.sink != 0)
      sinks = encodeWeight(c.sinks, {c.heads}, std::vector<float>(c.heads, static_cast<float>(c.sink)));
    std::vector<bool> inWindow(c.slots), computed(capacity);
    for (int p = std::max(0, c.pos - c.window + 1); p < c.pos + c.q; ++p)
      inWindow[p % c.slots] = true;
    for (int row = 0; c.ratio && row < (c.pos + c.q) / c.ratio; ++row)
      computed[row] = true;
    poison(window, inWindow);
    poison(rows, computed);
    for (int token = 0; token < c.q && c.picks; ++token)
      for (int pick : picksOf((c.pos + token + 1) / c.ratio, c.picks))
        picks.push_back(pick);
  }

  std::vector<float> run() const {
    std::vector<Operand> operands{input(q), readOnly(window), weight(sinks)};
    if (c.ratio)
      operands.push_back(readOnly(rows));
    if (c.picks)
      operands.push_back(input(picks));
    operands.push_back(output(q.size()));
    return launch(emitKernel(shape), makeStep(c.pos, c.q), operands).back().as<float>();
  }
  reference::Tensor expected() const {
    reference::AttendOptions options{.scale = shape.scale, .window = c.window, .ratio = c.ratio};
    const reference::Tensor pickTensor = tensor({c.q, c.picks}, picks);
    if (c.ratio)
      options.rows = &rows;
    if (c.picks)
      options.picks = &pickTensor;
    return reference::maskedAttention(tensor({c.q, c.heads, c.width}, q), window, sinks.weight(), c.pos, options,
                                      ropeFrequencies(shape.rope));
  }

private:
  Case c;
  int capacity;
  reference::State window, rows;
  std::vector<float> q;
  WeightData sinks;
  std::vector<int> picks;
  MaskedAttentionShape shape;
};

// Errors are relative to the greatest result of all heads.
void check(const Case &c) {
  SCOPED_TRACE(testing::Message() << "pos " << c.pos << ", q " << c.q);
  const Attention attention(c);
  const std::vector<float> made = attention.run();
  const reference::Tensor want = attention.expected();
  double largest = 0, error = 0;
  for (size_t i = 0; i < made.size(); ++i) {
    ASSERT_TRUE(std::isfinite(made[i])) << "at " << i;
    largest = std::max(largest, std::abs(want.values[i]));
    error = std::max(error, std::abs(made[i] - want.values[i]));
  }
  EXPECT_LE(error, largest * (c.halves == 2 ? 5e-6 : 1e-3));
}

std::vector<float> results(Case c, auto change) {
  change(c);
  return Attention(c).run();
}

constexpr Visibility kDirect = Visibility::DirectVisible, kMasked = Visibility::Masked;

} // namespace

TEST(MaskedAttention, WindowFills) {
  for (int pos : {0, 1, 30, 31, 32, 63, 126, 127, 128})
    check({16, 128, pos, 1});
}
TEST(MaskedAttention, RingWraps) {
  for (int pos : {134, 135, 136, 137, 263, 264, 1000})
    check({16, 128, pos, 1});
}
TEST(MaskedAttention, EveryWidthOfAStep) {
  for (int q = 1; q <= 8; ++q) {
    check({.heads = 16, .width = 128, .pos = 124, .q = q, .ratio = 4, .picks = 32});
    check({.heads = 16, .width = 128, .pos = 0, .q = q, .ratio = 4, .picks = 32});
  }
}
// Also those of a part of a block.
TEST(MaskedAttention, SchedulesOfEveryWindow) {
  for (int window : {1, 3, 20, 32, 33, 100})
    for (int ratio : {0, 4})
      for (int pos : {0, window - 1, window, 128, 300}) {
        const int picks = ratio ? 32 : 0;
        Case c{.heads = 8, .width = 128, .pos = pos, .q = 1, .ratio = ratio, .picks = picks, .slots = window + 8, .window = window};
        SCOPED_TRACE(testing::Message() << "window " << window << ", ratio " << ratio);
        for (const Schedule &schedule : attentionSchedules(window, ratio, picks))
          if (schedule.guard.holds(pos, 1))
            c.visibility = schedule.name == "direct_visible" ? kDirect : schedule.name == "masked" ? kMasked : Visibility::Selected;
        check(c);
      }
}
TEST(MaskedAttention, RowsAppear) {
  for (int pos = 0; pos < 9; ++pos) // pos mod 4
    check({.heads = 16, .width = 128, .pos = pos, .q = 1, .ratio = 4, .picks = 32});
  for (int pos : {126, 127, 128, 254, 255, 256, 4095}) // pos mod 128
    check({.heads = 16, .width = 128, .pos = pos, .q = 2, .ratio = 128});
}
TEST(MaskedAttention, RowsAboutAsManyAsPicks) {
  for (int visible : {31, 32, 33, 100})
    check({.heads = 16, .width = 128, .pos = 4 * visible - 1, .q = 1, .ratio = 4, .picks = 32});
  check({.heads = 16, .width = 128, .pos = 4 * 31 - 1, .q = 8, .ratio = 4, .picks = 32}); // 31 to 33 in one step
}
TEST(MaskedAttention, EveryVisibleRow) { check({.heads = 16, .width = 128, .pos = 700, .q = 3, .ratio = 4}); }
TEST(MaskedAttention, Flash) {
  for (int rows : {511, 512, 513})
    check({.heads = 64, .width = 512, .pos = 4 * rows - 1, .q = 1, .ratio = 4, .picks = 512, .parts = 0});
  check({.heads = 64, .width = 512, .pos = 3000, .q = 1, .ratio = 4, .picks = 512, .visibility = kDirect, .parts = 10});
  check({.heads = 64, .width = 512, .pos = 3000, .q = 1, .ratio = 128, .parts = 0});
  check({.heads = 64, .width = 512, .pos = 200, .q = 1, .parts = 0});
}
// Where there are clusters: parts that share runs evenly and not, that have no rows, heads that are not there, masks and none.
TEST(MaskedAttention, Clusters) {
  if (!isOnNvidia())
    GTEST_SKIP() << "there are clusters on NVIDIA's devices alone: --device cuda";
  for (int parts : {2, 3, 4, 5, 8, 10, 16})
    check({.heads = 64, .width = 512, .pos = 3000, .q = 3, .ratio = 4, .picks = 512, .parts = parts, .clusters = true});
  check({.heads = 24, .width = 512, .pos = 5, .q = 8, .ratio = 4, .picks = 32, .parts = 10, .clusters = true});
  check({.heads = 64, .width = 512, .pos = 200, .q = 1, .parts = 0, .clusters = true});
  check({.heads = 64, .width = 512, .pos = 3000, .q = 2, .ratio = 128, .parts = 0, .clusters = true});
  check({.heads = 16, .width = 512, .pos = 300, .q = 2, .ratio = 4, .picks = 64, .spread = 8, .clusters = true});
  for (double sink : {40.0, -1e4})
    check({.heads = 16, .width = 512, .pos = 300, .q = 1, .sink = sink, .clusters = true});
  const Case c{.heads = 64, .width = 512, .pos = 3000, .q = 3, .ratio = 4, .picks = 512, .parts = 10, .clusters = true};
  EXPECT_EQ(Attention(c).run(), results(c, [](Case &other) { other.visibility = kDirect; }));
}
TEST(MaskedAttention, AnyNumberOfParts) {
  for (int parts : {1, 2, 4, 5, 8, 10, 16, 32}) // of 12 blocks
    check({.heads = 16, .width = 128, .pos = 1023, .q = 1, .ratio = 4, .picks = 256, .parts = parts});
}
TEST(MaskedAttention, PartsWithoutRows) {
  check({.heads = 16, .width = 128, .pos = 5, .q = 3, .ratio = 4, .picks = 32, .parts = 10});
}
TEST(MaskedAttention, SharpSoftmax) {
  check({.heads = 16, .width = 128, .pos = 1023, .q = 2, .ratio = 4, .picks = 256, .spread = 8});
  check({.heads = 16, .width = 512, .pos = 300, .q = 1, .ratio = 4, .picks = 64, .spread = 8});
}
TEST(MaskedAttention, FlatSoftmax) {
  check({.heads = 16, .width = 128, .pos = 1023, .q = 2, .ratio = 4, .picks = 256, .spread = 1e-3});
}
TEST(MaskedAttention, SinkTakesNearlyAll) { check({.heads = 16, .width = 128, .pos = 300, .q = 1, .sink = 40}); }
TEST(MaskedAttention, SinkTakesNothing) { check({.heads = 16, .width = 128, .pos = 300, .q = 1, .sink = -1e4}); }
TEST(MaskedAttention, HeadsThatFillNoTile) {
  for (int heads : {1, 8, 24})
    check({.heads = heads, .width = 128, .pos = 200, .q = 2, .ratio = 4, .picks = 32});
}
TEST(MaskedAttention, OtherWidthsAndRings) {
  check({.heads = 16, .width = 256, .pos = 200, .q = 2, .ratio = 4, .picks = 64});
  check({.heads = 8, .width = 128, .pos = 50, .q = 3, .ratio = 4, .picks = 32, .slots = 13, .window = 5});
  check({.heads = 8, .width = 128, .pos = 100, .q = 2, .ratio = 4, .picks = 32, .slots = 41, .window = 33, .sinks = "f16"});
}
TEST(MaskedAttention, QueriesAndWeightsRounded) {
  const Case c{.heads = 64,
               .width = 512,
               .pos = 3000,
               .q = 2,
               .ratio = 4,
               .picks = 512,
               .visibility = kDirect,
               .parts = 5,
               .groupHeads = 32,
               .halves = 1};
  check(c);
  EXPECT_EQ(Attention(c).run(), results(c, [](Case &other) { other.groupHeads = 16; }));
}
TEST(MaskedAttention, DirectEqualsSelectedWhereBothAreLegal) {
  for (int pos : {127, 135, 1000}) {
    const Case c{.heads = 16, .width = 128, .pos = pos, .q = 3, .ratio = 4, .picks = 32};
    EXPECT_EQ(Attention(c).run(), results(c, [](Case &other) { other.visibility = kDirect; }));
    const Case window{16, 128, pos, 3};
    EXPECT_EQ(Attention(window).run(), results(window, [](Case &other) { other.visibility = kDirect; }));
  }
}
TEST(MaskedAttention, MaskedEqualsSelectedWhereAllRowsArePicked) {
  for (int pos : {3, 50, 127, 128}) {
    const Case c{.heads = 16, .width = 128, .pos = pos - 3, .q = 3, .ratio = 4, .picks = 32};
    EXPECT_EQ(Attention(c).run(), results(c, [](Case &other) { other.visibility = kMasked; }));
  }
}

// What one workgroup finishes, for chunks: rings have room for the window and the chunk.
TEST(MaskedAttention, WholeInOneWorkgroup) {
  for (int q : {1, 3, 33})
    check({.heads = 16, .width = 128, .pos = 120, .q = q, .ratio = 4, .picks = 32, .slots = 170, .whole = true});
  check({.heads = 24, .width = 256, .pos = 0, .q = 5, .slots = 170, .whole = true});
  check({.heads = 8, .width = 128, .pos = 700, .q = 9, .ratio = 128, .slots = 140, .whole = true});
  check({.heads = 16, .width = 512, .pos = 2000, .q = 2, .ratio = 4, .picks = 64, .spread = 8, .whole = true});
  check({.heads = 16, .width = 128, .pos = 300, .q = 1, .sink = 40, .whole = true});
}

} // namespace ds4::test
