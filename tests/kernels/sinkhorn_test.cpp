#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const std::vector<float> &c, int iterations, double tolerance) {
  int q = static_cast<int>(c.size()) / 24;
  auto results = launch(emitKernel(SinkhornShape{iterations, 1e-6f}), makeStep(0, q),
                        {input(c), output(q * 4), output(q * 4), output(q * 16)});
  reference::Sinkhorn expected = reference::sinkhorn(tensor({q, 24}, c), iterations, 1e-6f);
  expectClose(results[1].as<float>(), expected.pre, tolerance);
  expectClose(results[2].as<float>(), expected.post, tolerance);
  expectClose(results[3].as<float>(), expected.comb, tolerance);
}

TEST(Sinkhorn, TwentyRounds) { check(normals(3 * 24, 1), 20, 1e-6); }
TEST(Sinkhorn, OneRound) { check(normals(24, 1), 1, 1e-6); }
TEST(Sinkhorn, EightTokens) { check(normals(8 * 24, 1, 2), 20, 1e-6); }
TEST(Sinkhorn, SteepLogits) { check(normals(2 * 24, 1, 10), 20, 3e-6); }

// A vector of the model description, computed in double precision by others.
TEST(Sinkhorn, PublishedVector) {
  std::vector<float> c;
  const double scale[] = {0.9, 1.1, 0.7};
  for (int i = 0; i < 24; ++i)
    c.push_back(static_cast<float>((i - 11.5) / 6 * scale[i < 4 ? 0 : i < 8 ? 1 : 2] + 0.05 * (7 * i % 5 - 2)));
  auto results = launch(emitKernel(SinkhornShape{20, 1e-6f}), makeStep(0, 1), {input(c), output(4), output(4), output(16)});
  std::vector<float> pre = results[1].as<float>(), post = results[2].as<float>(), comb = results[3].as<float>();
  const float expectedPre[] = {.1388360f, .1715058f, .2099886f, .2099886f},
              expectedPost[] = {.4199753f, .4311417f, .5346123f, .6525858f};
  const float expectedComb[] = {.2457284f, .2618242f, .2306221f, .2618242f, .2779200f, .2306222f, .2608347f, .2306221f,
                                .2457284f, .2618242f, .2306221f, .2618242f, .2306222f, .2457284f, .2779200f, .2457284f};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(pre[i], expectedPre[i], 2e-6f);
    EXPECT_NEAR(post[i], expectedPost[i], 2e-6f);
  }
  for (int i = 0; i < 16; ++i)
    EXPECT_NEAR(comb[i], expectedComb[i], 2e-6f);
}

} // namespace ds4::test
