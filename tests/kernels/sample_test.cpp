#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static std::vector<int> sampleOn(const std::vector<float> &logits, int q, float temperature, float topP,
                                 const std::vector<float> &uniform) {
  int vocabulary = static_cast<int>(logits.size()) / q;
  Step step = makeStep(0, q);
  step.temperature = temperature;
  step.topP = topP;
  std::ranges::copy(uniform, step.random);
  return launch(emitKernel(SampleShape{vocabulary}), step, {input(logits), output(q)})[1].as<int>();
}

static void check(const std::vector<float> &logits, int q, float temperature, float topP, const std::vector<float> &uniform) {
  int vocabulary = static_cast<int>(logits.size()) / q;
  std::vector<double> numbers(uniform.begin(), uniform.end());
  expectEqual(sampleOn(logits, q, temperature, topP, uniform),
              reference::sample(tensor({q, vocabulary}, logits), temperature, topP, numbers));
}

TEST(Sample, NoneIsWantedAtTemperatureZero) { check(normals(2 * 100, 1), 2, 0, 1, {0.5f, 0.5f}); }

TEST(Sample, WholeDistribution) { check(normals(8 * 4096, 1, 2), 8, 1, 1, {0, .1f, .25f, .5f, .75f, .9f, .99f, .9999f}); }
TEST(Sample, TopP) { check(normals(8 * 4096, 2, 2), 8, .8f, .9f, {0, .1f, .25f, .5f, .75f, .9f, .99f, .9999f}); }
TEST(Sample, SmallTopPIsGreedy) { check(normals(3 * 500, 3), 3, 1, 1e-6f, {.2f, .5f, .99f}); }
TEST(Sample, LowTemperature) { check(normals(2 * 500, 4), 2, .01f, .95f, {.3f, .9f}); }
TEST(Sample, HighTemperature) { check(normals(2 * 501, 5), 2, 50, .5f, {.3f, .9f}); }
TEST(Sample, Flash) { check(normals(129280, 6, 3), 1, .7f, .95f, {.6f}); }
TEST(Sample, EqualLogitsKeepTheLowerIds) {
  EXPECT_EQ(sampleOn(std::vector<float>(1000, 1), 1, 1, .5f, {.999f}), std::vector<int>{499});
  EXPECT_EQ(sampleOn(std::vector<float>(1000, 1), 1, 1, .5f, {0}), std::vector<int>{0});
  EXPECT_EQ(sampleOn({0, 0, 5, 0, 5, 5, 0, 5}, 1, .01f, .5f, {.75f}), std::vector<int>{4}); // of 2, 4, 5, 7 the first two
}
TEST(Sample, InfinitiesAndNan) {
  const float nan = std::nanf(""), infinity = INFINITY;
  EXPECT_EQ(sampleOn({nan, -infinity, 1, nan}, 1, 1, 1, {.9f}), std::vector<int>{2});
  EXPECT_EQ(sampleOn({nan, infinity, 1, infinity}, 1, 1, 1, {.9f}), std::vector<int>{3});
  EXPECT_EQ(sampleOn({nan, nan, nan}, 1, 1, 1, {.9f}), std::vector<int>{-1});
  EXPECT_EQ(sampleOn({-infinity, -infinity}, 1, 1, 1, {.9f}), std::vector<int>{-1});
}

// Every token of the kept set is drawn in proportion to its probability.
TEST(Sample, Frequencies) {
  const std::vector<float> logits{std::log(.1f), std::log(.4f), std::log(.2f), std::log(.3f)};
  std::vector<int> counts(4);
  for (int i = 0; i < 90; ++i)
    ++counts[sampleOn(logits, 1, 1, .85f, {(static_cast<float>(i) + .5f) / 90})[0]];
  EXPECT_EQ(counts, (std::vector<int>{0, 40, 20, 30}));
}

} // namespace ds4::test
