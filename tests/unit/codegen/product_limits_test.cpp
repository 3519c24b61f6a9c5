// Counted costs of the products hold the limits that docs/kernels.md states, on few rows: costs are a workgroup's.
#include <cstdio>

#include <gtest/gtest.h>

#include "codegen/bench/ProductBench.h"

namespace ds4 {

namespace {

// What a format needs beyond the rule: its weights are many bytes a fragment.
struct Allowance {
  int vgprs = 96;   // of one token
  double lines = 2; // of four
};
Allowance allowanceOf(std::string_view format) { return format == "q6_k" ? Allowance{136, 2.6} : Allowance{}; }

} // namespace

class ProductLimits : public testing::TestWithParam<const char *> {};

TEST_P(ProductLimits, Hold) {
  for (const ProductCost &cost :
       measureProducts({.format = GetParam(), .tokens = {1, 4, 8}, .rows = 384, .exact = false, .experts = false})) {
    SCOPED_TRACE(cost.op + " of " + std::to_string(cost.tokens) + " tokens");
    std::printf("%s %s q=%d: %.1f, without waits %.1f, lines %.2f, bytes %.2f, %d VGPRs, error %.1e\n", cost.op.c_str(),
                cost.format.c_str(), cost.tokens, cost.instructions, cost.withoutWaits, cost.lines, cost.bytes, cost.vgprs,
                cost.error);
    EXPECT_EQ(cost.limit.has_value(), cost.tokens != 8 || cost.op == "linear");
    if (cost.limit) {
      EXPECT_LE(cost.instructions, cost.limit->limit);
    }
    const Allowance allowed = allowanceOf(GetParam());
    EXPECT_LE(cost.lines, cost.tokens == 8 ? 4 : allowed.lines);
    if (cost.op == "linear") {
      EXPECT_LE(cost.vgprs, cost.tokens == 1 ? allowed.vgprs : 192);
      EXPECT_LE(cost.error, 4e-4);
    } else {
      EXPECT_LE(cost.error, 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ProductLimits,
                         testing::Values("rocmfp4_fast", "rocmfp4", "q8_0", "rocmfp2", "rocmfp3", "rocmfp2_mix", "rocmfp3_mix",
                                         "f16", "q4_k", "q5_k", "q6_k", "q2_k", "q4_0", "mxfp4", "rocmfp8", "rocmfp6", "q3_k",
                                         "iq2_xxs", "iq3_xxs", "iq4_xs"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace ds4
