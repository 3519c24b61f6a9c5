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
}

TEST(HashRouter, Tiny) { check(16, 6, {49, 0, 7}, 1); }
TEST(HashRouter, Flash) { check(256, 6, {1, 2, 3, 4, 5, 6, 7, 8}, 4); }
TEST(HashRouter, OneExpert) { check(3, 1, {20}, 20); }

} // namespace ds4::test
