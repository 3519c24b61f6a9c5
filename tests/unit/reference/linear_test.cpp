#include <gmock/gmock.h>

#include "ir/reference/Reference.h"
#include "support/Error.h"

using namespace ds4::reference;
using testing::ElementsAre;

TEST(Embed, CopiesTheTokensRowToEachStream) {
  std::vector<float> table{1, 2, 3, 4, 5, 6};
  Tensor out = embed(Tensor({2}, {2, 0}), {{3, 2}, table}, 2);
  EXPECT_THAT(out.shape, ElementsAre(2, 2, 2));
  EXPECT_THAT(out.values, ElementsAre(5, 6, 5, 6, 1, 2, 1, 2));
}

TEST(Embed, RefusesAnIdOutsideTheTable) {
  std::vector<float> table{1, 2};
  EXPECT_THROW(embed(Tensor({1}, {1}), {{1, 2}, table}, 1), ds4::Error);
}

TEST(Linear, MultipliesByTheRowsOfTheWeight) {
  std::vector<float> w{1, 10, 100, 2, 0, -1};
  Tensor out = linear(Tensor({2, 3}, {1, 2, 3, 4, 5, 6}), {{2, 3}, w});
  EXPECT_THAT(out.shape, ElementsAre(2, 2));
  EXPECT_THAT(out.values, ElementsAre(321, -1, 654, 2));
}

TEST(Linear, SumsEveryColumnOfAnOddWidth) {
  std::vector<float> w(19, 1);
  Tensor x({1, 19});
  for (int i = 0; i < 19; ++i)
    x.values[i] = i;
  EXPECT_THAT(linear(x, {{1, 19}, w}).values, ElementsAre(171));
}

TEST(Linear, RefusesAnotherWidth) {
  std::vector<float> w{1, 2};
  EXPECT_THROW(linear(Tensor({1, 3}), {{1, 2}, w}), ds4::Error);
}

TEST(GroupedLinear, EachGroupHasItsRowsAndColumns) {
  std::vector<float> w{1, 1, 1, -1, 10, 100, 0, 2};
  Tensor out = groupedLinear(Tensor({1, 4}, {1, 2, 3, 4}), {{4, 2}, w}, 2);
  EXPECT_THAT(out.values, ElementsAre(3, -1, 430, 8));
}

TEST(Add, AddsElementByElement) {
  EXPECT_THAT(add(Tensor({1, 2}, {1, 2}), Tensor({1, 2}, {30, -2})).values, ElementsAre(31, 0));
  EXPECT_THROW(add(Tensor({1, 2}), Tensor({2, 1})), ds4::Error);
}
