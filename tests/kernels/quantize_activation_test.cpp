#include <cmath>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

static void check(const std::string &scheme, int block, const std::vector<float> &x, int q = 1) {
  int width = static_cast<int>(x.size()) / q;
  auto results = launch(emitKernel(QuantizeActivationShape{scheme, width, block}), makeStep(0, q), {input(x), output(x.size())});
  auto kind = scheme == "fp8" ? reference::Scheme::Fp8 : scheme == "fp4" ? reference::Scheme::Fp4 : reference::Scheme::Int8;
  // The power-of-two schemes are exact; int8 rounds its scale and the product.
  expectClose(results[1].as<float>(), reference::quantizeActivation(tensor({q, width}, x), kind, block),
              scheme == "int8" ? 1e-6 : 0);
}

TEST(QuantizeActivation, Fp8) { check("fp8", 128, normals(3 * 256, 1), 3); }
TEST(QuantizeActivation, Fp8Blocks64) { check("fp8", 64, normals(448, 1, 100)); }
TEST(QuantizeActivation, Fp4) { check("fp4", 32, normals(8 * 128, 1), 8); }
TEST(QuantizeActivation, Int8) { check("int8", 32, normals(2 * 4096, 1), 2); }
TEST(QuantizeActivation, SmallAndLargeValues) {
  for (const char *scheme : {"fp8", "fp4"}) {
    check(scheme, 32, normals(32, 1, 1e-6));
    check(scheme, 32, normals(32, 1, 1e20));
    check(scheme, 32, std::vector<float>(32, 0));
  }
  check("int8", 32, std::vector<float>(32, 0));
}
TEST(QuantizeActivation, TiesGoToEven) {
  std::vector<float> x;
  for (float value : {.25f, .75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.f, 6.f})
    for (float sign : {1.f, -1.f})
      x.insert(x.end(), {sign * value, sign * std::nextafter(value, 0.f)});
  check("fp4", 32, x);
}
TEST(QuantizeActivation, Fp8SubnormalsAndPowersOfTwo) {
  std::vector<float> x{448};
  for (int i = 1; i < 64; ++i)
    x.push_back(std::ldexp(1 + i % 7 / 8.0f, -i % 20));
  check("fp8", 64, x);
}

} // namespace ds4::test
