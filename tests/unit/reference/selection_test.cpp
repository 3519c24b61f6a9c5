#include <cmath>

#include <gmock/gmock.h>

#include "ir/reference/Reference.h"

using namespace ds4::reference;
using testing::ElementsAre;

static State rowsOf(std::vector<std::vector<double>> rows) {
  State state(8, static_cast<int64_t>(rows[0].size()), Element::F32);
  for (size_t i = 0; i < rows.size(); ++i)
    state.storeRow(static_cast<int64_t>(i), rows[i]);
  return state;
}

TEST(IndexScore, NegativeProductsCountNothingAndWeightsMayBeNegative) {
  State rows = rowsOf({{1, 0}, {0, 1}});
  Tensor q({1, 2, 2}, {3, -1, 2, 5}), weights({1, 2}, {10, -1});
  EXPECT_THAT(indexScore(q, weights, rows, 7, 4, 0.5).values, ElementsAre(14, -2.5));
}

TEST(IndexScore, RowsCompletedLaterInTheStepAreMasked) {
  State rows = rowsOf({{1}, {2}});
  Tensor out = indexScore(Tensor({2, 1, 1}, {1, 1}), Tensor({2, 1}, {1, 1}), rows, 6, 4, 1);
  EXPECT_THAT(out.shape, ElementsAre(2, 2));
  EXPECT_THAT(out.values, ElementsAre(1, -INFINITY, 1, 2));
}

TEST(SelectTopK, AllVisibleRowsWhileTheyFit) {
  Tensor out = selectTopK(Tensor({1, 3}, {1, 9, 5}), 11, 4, 4);
  EXPECT_THAT(out.values, ElementsAre(0, 1, 2, -1));
}

TEST(SelectTopK, TheBestInAscendingOrderLowerIndexFirstAmongEquals) {
  Tensor out = selectTopK(Tensor({1, 5}, {1, 7, 2, 2, 2}), 19, 3, 4);
  EXPECT_THAT(out.values, ElementsAre(1, 2, 3));
}

TEST(SelectTopK, EachTokenChoosesAmongItsVisibleRows) {
  Tensor out = selectTopK(Tensor({2, 2}, {1, 9, 1, 9}), 6, 1, 4);
  EXPECT_THAT(out.values, ElementsAre(0, 1));
  EXPECT_THAT(selectTopK(Tensor({1, 0}), 0, 2, 4).values, ElementsAre(-1, -1));
}
