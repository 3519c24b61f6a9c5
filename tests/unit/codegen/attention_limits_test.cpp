// Counted costs of attention hold the limits that docs/kernels.md states, at real sizes.
#include <gtest/gtest.h>

#include "codegen/bench/AttentionBench.h"

namespace ds4 {

class AttentionLimits : public testing::TestWithParam<const char *> {};

TEST_P(AttentionLimits, Hold) {
  int limited = 0;
  for (const AttentionCost &cost : measureAttention({.op = GetParam()})) {
    SCOPED_TRACE(cost.op + ", " + cost.schedule + ", " + std::to_string(cost.rows) + " rows, " + std::to_string(cost.tokens) + " tokens");
    limited += cost.limit.has_value();
    if (cost.limit) {
      EXPECT_LE(cost.instructions, *cost.limit);
    }
    if (cost.wmmaLimit) {
      EXPECT_LE(cost.wmma, *cost.wmmaLimit);
    }
    EXPECT_LE(cost.vgprs, 256);
    if (cost.op == "select_top_k") {
      EXPECT_EQ(cost.error, 0) << "ids that are wrong";
    } else {
      EXPECT_LE(cost.error, cost.schedule.find("one half") != std::string::npos ? 1e-3 : 5e-6);
    }
    if (cost.op == "masked_attention") {
      EXPECT_LE(cost.scratchBytes, 1.4e6);
    }
  }
  EXPECT_GE(limited, 4);
}

INSTANTIATE_TEST_SUITE_P(All, AttentionLimits, testing::Values("select_top_k", "index_score", "masked_attention"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace ds4
