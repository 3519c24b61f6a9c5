#include <cmath>

#include <gmock/gmock.h>

#include "ir/reference/Reference.h"
#include "support/Error.h"

using namespace ds4::reference;
using testing::ElementsAre;

TEST(State, RoundsToItsElement) {
  State half(1, 2, Element::F16), single(1, 2, Element::F32);
  half.storeRow(0, std::vector<double>{1 + 0x1p-12, 0x1p-24});
  single.storeRow(0, std::vector<double>{1 + 0x1p-12, 1 + 0x1p-30});
  EXPECT_THAT(half.row(0), ElementsAre(1, 0x1p-24));
  EXPECT_THAT(single.row(0), ElementsAre(1 + 0x1p-12, 1));
}

TEST(State, ResetClearsIt) {
  State state(1, 1, Element::F32);
  state.store(0, 0, 5);
  state.reset();
  EXPECT_THAT(state.row(0), ElementsAre(0));
}

TEST(State, RefusesARowOutside) { EXPECT_THROW(State(2, 1, Element::F32).store(2, 0, 1), ds4::Error); }

TEST(State, HalfTiesToEvenAndOverflows) {
  State state(1, 4, Element::F16);
  state.storeRow(0, std::vector<double>{1 + 0x1p-11, 1 + 3 * 0x1p-11, 3 * 0x1p-25, -65520});
  EXPECT_THAT(state.row(0), ElementsAre(1, 1 + 0x1p-9, 0x1p-23, -INFINITY));
}

TEST(WindowAppend, WritesAtThePositionModuloTheRing) {
  State window(3, 1, Element::F32);
  windowAppend(window, Tensor({2, 1}, {7, 8}), 5);
  EXPECT_THAT(window.row(2), ElementsAre(7));
  EXPECT_THAT(window.row(0), ElementsAre(8));
  EXPECT_THAT(window.row(1), ElementsAre(0));
}
