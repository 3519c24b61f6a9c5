// Counted costs of the products hold the limits that docs/kernels.md states, on few rows: costs are a workgroup's.
#include <gtest/gtest.h>

#include "codegen/bench/ProductBench.h"

namespace ds4 {

class ProductLimits : public testing::TestWithParam<const char *> {};

TEST_P(ProductLimits, Hold) {
  for (const ProductCost &cost :
       measureProducts({.format = GetParam(), .tokens = {1, 4, 8}, .rows = 256, .exact = false, .experts = false})) {
    SCOPED_TRACE(cost.op + " of " + std::to_string(cost.tokens) + " tokens");
    EXPECT_EQ(cost.limit.has_value(), cost.tokens != 8);
    if (cost.limit) {
      EXPECT_LE(cost.instructions, cost.limit->limit);
    }
    EXPECT_LE(cost.lines, cost.tokens == 8 ? 4 : 2);
    if (cost.op == "linear") {
      EXPECT_LE(cost.vgprs, cost.tokens == 1 ? 96 : 192);
      EXPECT_LE(cost.error, 4e-4);
    } else {
      EXPECT_LE(cost.error, 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ProductLimits,
                         testing::Values("rocmfp4_fast", "rocmfp4", "q8_0", "rocmfp2", "rocmfp3", "rocmfp2_mix", "rocmfp3_mix",
                                         "f16"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace ds4
