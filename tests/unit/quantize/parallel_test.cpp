#include "support/Parallel.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

TEST(Parallel, CallsEachIndexOnce) {
  for (unsigned jobs : {0u, 1u, 3u, 100u}) {
    std::vector<std::atomic<int>> calls(57);
    ds4::parallelFor(calls.size(), jobs, [&](size_t i) { ++calls[i]; });
    for (const auto &count : calls)
      EXPECT_EQ(count, 1) << jobs << " jobs";
  }
}

TEST(Parallel, DoesNothingForNoWork) {
  ds4::parallelFor(0, 3, [](size_t) { FAIL(); });
}

TEST(Parallel, ThrowsOnWhatABodyThrows) {
  std::atomic<int> calls = 0;
  EXPECT_THROW(ds4::parallelFor(1000000, 3,
                                [&](size_t i) {
                                  ++calls;
                                  if (i == 5)
                                    throw std::runtime_error("5");
                                }),
               std::runtime_error);
  EXPECT_LT(calls, 1000000) << "the rest was done all the same";
}
