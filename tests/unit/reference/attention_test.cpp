#include <cmath>

#include <gmock/gmock.h>

#include "ir/reference/Reference.h"

using namespace ds4::reference;
using testing::DoubleEq;
using testing::ElementsAre;

namespace {

const std::vector<float> kNoSink{-INFINITY};
const double kLog3 = std::log(3.0);

// A state of one column.
State column(std::vector<double> values) {
  State state(static_cast<int64_t>(values.size()), 1, Element::F32);
  for (size_t i = 0; i < values.size(); ++i)
    state.store(static_cast<int64_t>(i), 0, values[i]);
  return state;
}

} // namespace

TEST(Attend, SoftmaxOverTheKeysWhichAreTheValues) {
  State window(4, 2, Element::F32);
  window.storeRow(0, std::vector<double>{0, 4});
  window.storeRow(1, std::vector<double>{1, 8});
  Tensor q({1, 1, 2}, {2 * kLog3, 0});
  Tensor out = attend(q, window, {{1}, kNoSink}, 1, {.scale = 0.5, .window = 4});
  EXPECT_THAT(out.values, ElementsAre(DoubleEq(0.75), DoubleEq(7)));
}

TEST(Attend, TheSinkIsInTheDenominatorAlone) {
  State window = column({6, 0});
  std::vector<float> sinks{0, static_cast<float>(std::log(2.0))};
  Tensor out = attend(Tensor({1, 2, 1}), window, {{2}, sinks}, 0, {.window = 2});
  EXPECT_THAT(out.values, ElementsAre(DoubleEq(3), testing::DoubleNear(2, 1e-6)));
}

TEST(Attend, AGreatSinkDoesNotOverflow) {
  State window = column({6, 0});
  std::vector<float> sinks{5000};
  EXPECT_THAT(attend(Tensor({1, 1, 1}), window, {{1}, sinks}, 0, {.window = 2}).values, ElementsAre(0));
}

TEST(Attend, TheWindowHoldsTheTokenItselfAndWraps) {
  State window = column({40, 10, 20, 30}); // positions 4, 1, 2, 3; ring of 4, window of 2
  Tensor out = attend(Tensor({2, 1, 1}), window, {{1}, kNoSink}, 3, {.window = 2});
  EXPECT_THAT(out.values, ElementsAre(25, 35));
}

TEST(Attend, ABlockSeesTheWindowBeforeItAndAllOfItself) {
  State window = column({1, 2, 4, 8, 16, 32, 64, 128, 256, 512}); // positions 0 to 9
  Tensor out = attend(Tensor({3, 1, 1}), window, {{1}, kNoSink}, 5, {.window = 2, .block = true});
  EXPECT_THAT(out.values, ElementsAre(DoubleEq(49.6), DoubleEq(49.6), DoubleEq(49.6))); // positions 3 to 7
  EXPECT_THAT(attend(Tensor({2, 1, 1}), window, {{1}, kNoSink}, 1, {.window = 2, .block = true}).values,
              ElementsAre(DoubleEq(7 / 3.0), DoubleEq(7 / 3.0))); // positions 0 to 2
}

TEST(Attend, CompressedRowsJoinOnceTheyAreComplete) {
  State window = column({1, 1, 1, 1}), rows = column({4, 100});
  AttendOptions options{.window = 1, .ratio = 2, .rows = &rows};
  Tensor out = attend(Tensor({3, 1, 1}), window, {{1}, kNoSink}, 0, options);
  EXPECT_THAT(out.values, ElementsAre(1, 2.5, 2.5));
}

TEST(Attend, PicksNameTheRows) {
  State window = column({1, 1, 1, 1, 1, 1, 1, 1}), rows = column({4, 100, 7, 0});
  Tensor picks({1, 3}, {0, 2, -1});
  AttendOptions options{.window = 1, .ratio = 2, .rows = &rows, .picks = &picks};
  EXPECT_THAT(attend(Tensor({1, 1, 1}), window, {{1}, kNoSink}, 7, options).values, ElementsAre(DoubleEq(4)));
}

TEST(MaskedAttention, TurnsTheResultOfAttendBack) {
  State window(4, 2, Element::F32);
  window.storeRow(3, std::vector<double>{2, 1});
  const std::vector<float> frequency{0.5f}; // position 3: an angle of 1.5
  Tensor out = maskedAttention(Tensor({1, 1, 2}), window, {{1}, kNoSink}, 3, {.window = 1}, frequency);
  EXPECT_THAT(out.values, ElementsAre(DoubleEq(2 * std::cos(1.5) + std::sin(1.5)), DoubleEq(std::cos(1.5) - 2 * std::sin(1.5))));
}
