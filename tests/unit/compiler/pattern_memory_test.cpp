#include <cstring>

#include <gtest/gtest.h>

#include "compiler/bench/PatternMemory.h"
#include "compiler/bench/StepBench.h"

namespace ds4 {

TEST(PatternMemory, RepeatsThePatternOverPages) {
  std::vector<std::byte> pattern(18 * 7);
  for (size_t i = 0; i < pattern.size(); ++i)
    pattern[i] = static_cast<std::byte>(i);
  PatternMemory memory(pattern);
  constexpr size_t kBytes = (100u << 20) + 5; // more than one mapping
  const auto *data = static_cast<const std::byte *>(memory.map(kBytes));
  for (size_t at : {size_t(0), size_t(4095), size_t(4096), size_t(50u << 20), kBytes - 1})
    EXPECT_EQ(data[at], pattern[at % pattern.size()]) << at;
}

TEST(PatternMemory, RangesAreApart) {
  const std::byte pattern[]{std::byte(1), std::byte(2)};
  PatternMemory memory(pattern);
  auto *a = static_cast<std::byte *>(memory.map(10)), *b = static_cast<std::byte *>(memory.map(10));
  a[3] = std::byte(9);
  EXPECT_EQ(b[3], std::byte(2));
}

TEST(CostModel, TheTightestLimitDecides) {
  const CostModel model{.bytesPerSecond = 100, .instructionsPerSecond = 1000, .secondsPerSerialInstruction = 0.5, .gapSeconds = 1};
  EXPECT_DOUBLE_EQ(model.seconds(500, 10, 1), 6);
  EXPECT_DOUBLE_EQ(model.seconds(50, 3000, 1), 4);
  EXPECT_DOUBLE_EQ(model.seconds(50, 10, 8), 5);
}

TEST(StepBench, AStepBeyondTheContextIsRefused) {
  Plan plan;
  plan.context = 10;
  EXPECT_ANY_THROW(measureStep(plan, 9, 2));
  EXPECT_TRUE(measureStep(plan, 9, 1).groups.empty());
}

} // namespace ds4
