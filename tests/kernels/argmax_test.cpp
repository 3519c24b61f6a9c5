#include <cmath>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const std::vector<float> &logits, int q = 1) {
  int vocabulary = static_cast<int>(logits.size()) / q;
  auto results = launch(emitKernel(ArgmaxShape{vocabulary}), makeStep(0, q), {input(logits), output(q)});
  expectEqual(results[1].as<int>(), reference::argmax(tensor({q, vocabulary}, logits)));
}

TEST(Argmax, Tiny) { check(normals(3 * 4096, 1), 3); }
TEST(Argmax, Flash) { check(normals(129280, 2)); }
TEST(Argmax, OddVocabulary) { check(normals(8 * 1001, 3), 8); }
TEST(Argmax, OneToken) { check({-3}); }
TEST(Argmax, EqualValuesTakeTheLowestIndex) {
  check(std::vector<float>(4096, 0.25f));
  std::vector<float> logits(4096, -1);
  logits[4095] = logits[2049] = logits[2048] = 7;
  check(logits);
  check({-0.0f, 0.0f, -1, -1});
}
TEST(Argmax, InfinitiesAndNan) {
  const float nan = std::nanf(""), infinity = INFINITY;
  check({nan, 1, nan, 2});
  check({nan, -infinity, -infinity, nan});
  check({nan, nan, nan});
  check({1, infinity, nan, infinity});
}

} // namespace ds4::test
