#include <cstdio>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {
namespace {

constexpr int kVocabulary = 50;

struct Route {
  MoeRouteShape shape;
  int q;
  std::vector<float> x;
  std::vector<int> table;
  WeightData router, gate, up, bias;

  Route(MoeRouteShape given, int tokens)
      : shape(given), q(tokens), table(kVocabulary * shape.used),
        router(randomWeight(shape.routerFormat, {shape.experts, shape.width}, 2, 0.05)),
        gate(randomWeight(shape.format, {shape.hidden, shape.width}, 3, 0.3)),
        up(randomWeight(shape.format, {shape.hidden, shape.width}, 4, 0.3)),
        bias(randomWeight(shape.biasFormat, {shape.experts}, 5, 0.1)) {
    x = inputFor(gate.weight(), q, 1);
    Random random(6);
    for (int &id : table)
      id = random.below(shape.experts);
  }

  Step step() const {
    Step made = makeStep(3, q);
    for (int t = 0; t < q; ++t)
      made.token[t] = 7 * t % kVocabulary;
    return made;
  }

  std::vector<Operand> run(const KernelSpec &spec, const Step &now) const {
    const Operand choice = shape.hashed ? weight(table) : weight(bias);
    return launch(spec, now,
                  {input(x), weight(router), weight(gate), weight(up), choice, output(q * shape.used), output(q * shape.used),
                   output(q * shape.hidden)});
  }

  void check() const {
    const Step now = step();
    const std::vector<Operand> results = run(emitKernel(shape), now);
    const std::vector<float> tableValues(table.begin(), table.end());
    const reference::Weight biasWeight = bias.weight(), tableWeight{{kVocabulary, shape.used}, tableValues};
    const std::vector<int> tokens(now.token, now.token + q);
    const reference::Tensor tokenTensor = tensor({q}, tokens);
    reference::MoeRouteOptions options{.k = shape.used, .scale = shape.scale, .limit = shape.limit};
    if (shape.hashed)
      options.tokens = &tokenTensor, options.table = &tableWeight;
    else
      options.bias = &biasWeight;
    const reference::MoeRoute expected =
        reference::moeRoute(tensor({q, shape.width}, x), router.weight(), gate.weight(), up.weight(), options);
    expectEqual(results[5].as<int>(), expected.routing.ids);
    expectClose(results[6].as<float>(), expected.routing.weights, 2e-6);
    if (shape.fast)
      expectSmallError(results[7].as<float>(), expected.hidden, 8e-4);
    else
      expectClose(results[7].as<float>(), expected.hidden, 2e-6);
  }
};

MoeRouteShape shapeOf(const std::string &routerFormat, const std::string &format, int experts, int width, int hidden) {
  return {.routerFormat = routerFormat,
          .format = format,
          .experts = experts,
          .used = 6,
          .width = width,
          .hidden = hidden,
          .scale = 1.5f};
}
MoeRouteShape hashed(MoeRouteShape shape) {
  shape.hashed = true;
  return shape;
}
MoeRouteShape fast(MoeRouteShape shape) {
  shape.fast = true;
  return shape;
}

} // namespace

TEST(MoeRoute, Tiny) {
  for (int q : {1, 3, 8}) {
    Route(shapeOf("f16", "q8_0", 16, 256, 128), q).check();
    Route(hashed(shapeOf("f16", "q8_0", 16, 256, 128)), q).check();
  }
}
TEST(MoeRoute, Flash) {
  Route(fast(shapeOf("f16", "rocmfp4_fast", 256, 4096, 64)), 4).check();
  Route(hashed(fast(shapeOf("f32", "q8_0", 256, 4096, 64))), 1).check();
}
TEST(MoeRoute, FineGrids) {
  for (bool hashes : {false, true}) {
    MoeRouteShape shape = fast(shapeOf("f16", "rocmfp4_fast", 256, 4096, 70));
    shape.hashed = hashes;
    shape.fine = true;
    Route(shape, 2).check();
  }
}
// Workgroups of the router that have no expert, lanes without a part of the row, one workgroup in all.
TEST(MoeRoute, OtherSizes) {
  Route(shapeOf("f32", "f16", 37, 72, 9), 2).check();
  Route(hashed(shapeOf("bf16", "f32", 6, 40, 1)), 2).check();
  Route(shapeOf("q8_0", "q4_k", 300, 256, 70), 1).check();
}
TEST(MoeRoute, FastFormats) {
  for (const char *format : {"q8_0", "rocmfp2", "rocmfp3", "rocmfp4", "rocmfp4_fast", "rocmfp2_mix", "rocmfp3_mix"})
    Route(fast(shapeOf("f16", format, 20, 1024, 37)), 2).check();
}
// The shared expert's weights decoded once for all tokens: the bits of each token alone.
TEST(MoeRoute, TokensTogether) {
  for (const char *format : {"q8_0", "rocmfp2", "rocmfp3", "rocmfp4", "rocmfp4_fast", "rocmfp2_mix", "rocmfp3_mix"})
    for (int q : {2, 3, 8}) {
      Route route(fast(shapeOf("f16", format, 20, 1024, 137)), q);
      route.shape.fine = isOnNvidia();
      const std::vector<Operand> alone = route.run(emitKernel(route.shape), route.step());
      if (route.shape.columns = expertColumns(route.shape); isOnNvidia() && route.shape.columns == 1)
        continue; // each token alone in all steps
      ASSERT_EQ(route.shape.columns, 4);
      const std::vector<Operand> together = route.run(emitKernel(route.shape), route.step());
      for (size_t result : {5, 6, 7})
        EXPECT_EQ(together[result].bytes, alone[result].bytes) << format << ", " << q << " tokens, result " << result;
    }
}
TEST(MoeRoute, HalfPrecisionBias) {
  MoeRouteShape shape = shapeOf("f16", "f16", 64, 256, 16);
  shape.biasFormat = "f16";
  Route(shape, 1).check();
}

// The router's workgroups alone, which are the first of the grid: product and choice at the size of the real model.
TEST(MoeRoute, CostOfTheRouter) {
  for (const char *format : {"f16", "f32"})
    for (auto [q, limit] : {std::pair(1, 110'000), std::pair(4, 390'000)}) {
      const Route route(fast(shapeOf(format, "rocmfp4_fast", 256, 4096, 64)), q);
      KernelSpec spec = emitKernel(route.shape);
      spec.grid[0] = 256 * 32 / spec.block / 2; // two rows a wave
      route.run(spec, route.step());
      std::printf("router %s 256 x 4096, q = %d: %llu wave instructions\n", format, q,
                  static_cast<unsigned long long>(lastInstructions()));
      EXPECT_LE(lastInstructions(), static_cast<uint64_t>(limit));
    }
}

} // namespace ds4::test
