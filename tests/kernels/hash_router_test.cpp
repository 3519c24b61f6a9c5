#include <algorithm>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(int experts, int used, const std::vector<int> &tokens, double scale) {
  int q = static_cast<int>(tokens.size()), rows = 50;
  std::vector<float> logits = normals(q * experts, 1, scale);
  Random random(2);
  std::vector<int> table(rows * used);
  for (int &id : table)
    id = random.below(experts);
  Step step = makeStep(3, q);
  std::ranges::copy(tokens, step.token);
  auto results = launch(emitKernel(HashRouterShape{experts, used, 1.5f}), step,
                        {input(logits), weight(table), output(q * used), output(q * used)});
  std::vector<float> tableValues(table.begin(), table.end());
  reference::Routing expected =
      reference::hashRouter(tensor({q, experts}, logits), tensor({q}, tokens), {{rows, used}, tableValues}, 1.5f);
  expectEqual(results[2].as<int>(), expected.ids);
  expectClose(results[3].as<float>(), expected.weights, 1e-6);
  EXPECT_EQ(lastUnknownExperts(), 0u);
}

TEST(HashRouter, Tiny) { check(16, 6, {49, 0, 7}, 1); }
TEST(HashRouter, Flash) { check(256, 6, {1, 2, 3, 4, 5, 6, 7, 8}, 4); }
// They stay in the ids, where products skip them.
TEST(HashRouter, IdsOutOfRangeGetNoWeightAndAreCounted) {
  constexpr int kExperts = 16, kUsed = 6, kTokens = 3;
  const std::vector<int> row{3, -1, kExperts, 5, 1 << 30, 7};
  std::vector<int> table;
  for (int i = 0; i < 8; ++i)
    table.insert(table.end(), row.begin(), row.end());
  const auto results =
      launch(emitKernel(HashRouterShape{kExperts, kUsed, 1.5f}), makeStep(3, kTokens),
             {input(normals(kTokens * kExperts, 1)), weight(table), output(kTokens * kUsed), output(kTokens * kUsed)});
  EXPECT_EQ(lastUnknownExperts(), 3u * kTokens);
  const std::vector<int> ids = results[2].as<int>();
  const std::vector<float> weights = results[3].as<float>();
  for (int token = 0; token < kTokens; ++token) {
    float sum = 0;
    for (int slot = 0; slot < kUsed; ++slot) {
      const int at = token * kUsed + slot;
      EXPECT_EQ(ids[at], row[slot]);
      EXPECT_EQ(weights[at] != 0, row[slot] >= 0 && row[slot] < kExperts) << slot;
      sum += weights[at];
    }
    EXPECT_NEAR(sum, 1.5f, 1e-5f);
  }
}
TEST(HashRouter, TokensOfAChunk) {
  constexpr int kExperts = 16, kUsed = 3, kTokens = 40, kRows = 50;
  const std::vector<float> logits = normals(kTokens * kExperts, 1);
  const std::vector<int> table = randomIds(kRows * kUsed, 2, kExperts), tokens = randomIds(kTokens, 3, kRows);
  const auto results = launch(emitKernel(HashRouterShape{kExperts, kUsed, 1.5f, /*idsOfStep=*/false}), makeStep(3, kTokens),
                              {input(logits), input(tokens), weight(table), output(kTokens * kUsed), output(kTokens * kUsed)});
  const std::vector<float> values(table.begin(), table.end());
  const reference::Routing expected =
      reference::hashRouter(tensor({kTokens, kExperts}, logits), tensor({kTokens}, tokens), {{kRows, kUsed}, values}, 1.5f);
  expectEqual(results[3].as<int>(), expected.ids);
  expectClose(results[4].as<float>(), expected.weights, 1e-6);
}
TEST(HashRouter, OneExpert) { check(3, 1, {20}, 20); }

} // namespace ds4::test
