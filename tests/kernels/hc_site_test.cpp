#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {
namespace {

constexpr double kTolerance = 5e-6; // of pre, post and comb; the rest follows from them

struct Site {
  HcSiteShape shape;
  int q;
  std::vector<float> streams, y, post, comb;
  WeightData fn, base, scale, norm;

  Site(HcSiteShape given, int tokens, double fnScale = 0.05)
      : shape(given), q(tokens), streams(normals(q * 4 * shape.width, 1)), y(normals(q * shape.width, 2)),
        post(uniforms(q * 4, 3, 0, 2)), comb(uniforms(q * 16, 4, 0, 0.5)),
        fn(randomWeight(shape.fnFormat, {24, 4 * shape.width}, 5, fnScale)), base(randomWeight(shape.baseFormat, {24}, 6)),
        scale(randomWeight(shape.scaleFormat, {3}, 7)), norm(randomWeight(shape.normFormat, {shape.width}, 8)) {}

  std::vector<Operand> run() const {
    std::vector<Operand> operands{input(streams), weight(fn), weight(base), weight(scale), weight(norm)};
    if (shape.writes)
      operands.insert(operands.end(), {input(y), input(post), input(comb)});
    const size_t first = operands.size();
    operands.insert(operands.end(), {output(streams.size()), output(q * 4), output(q * 16), output(q * shape.width)});
    std::vector<Operand> results = launch(emitKernel(shape), makeStep(0, q), operands);
    return {results.begin() + static_cast<ptrdiff_t>(first), results.end()};
  }

  reference::HcSite expected() const {
    const reference::Tensor yTensor = tensor({q, shape.width}, y), postTensor = tensor({q, 4}, post);
    const reference::Tensor combTensor = tensor({q, 4, 4}, comb);
    reference::HcSiteOptions options{.iterations = shape.iterations,
                                     .deferred = shape.deferred,
                                     .due = shape.due,
                                     .eps = shape.eps,
                                     .hcEps = shape.hcEps,
                                     .normEps = shape.normEps};
    if (shape.writes)
      options.y = &yTensor, options.post = &postTensor, options.comb = &combTensor;
    return reference::hcSite(tensor({q, 4, shape.width}, streams), fn.weight(), base.weight(), scale.weight(), norm.weight(),
                             options);
  }

  // Where there are clusters, with and without.
  void check() {
    const reference::HcSite want = expected();
    for (const bool clusters : {false, true}) {
      shape.clusters = clusters;
      if (clusters ? isOnNvidia() : !shape.deferred && !shape.due)
        compare(want);
    }
  }

private:
  void compare(const reference::HcSite &want) const {
    std::vector<Operand> results = run();
    expectClose(results[0].as<float>(), want.streams, 1e-6);
    expectClose(results[1].as<float>(), want.post, kTolerance);
    expectClose(results[2].as<float>(), want.comb, kTolerance);
    expectClose(results[3].as<float>(), want.x, kTolerance);
  }
};

HcSiteShape shapeOf(int width, const std::string &fnFormat = "f16") { return {.fnFormat = fnFormat, .width = width}; }

} // namespace

TEST(HcSite, Tiny) {
  for (int q : {1, 3, 8})
    Site(shapeOf(256), q).check();
}
TEST(HcSite, Flash) {
  for (int q : {1, 3, 8})
    Site(shapeOf(4096), q).check();
}
TEST(HcSite, SinglePrecision) {
  Site(shapeOf(256, "f32"), 3).check();
  Site(shapeOf(4096, "f32"), 1).check();
}
TEST(HcSite, WithoutAWrite) {
  for (int width : {256, 4096}) {
    HcSiteShape shape = shapeOf(width);
    shape.writes = false;
    Site(shape, 3).check();
  }
}
// One workgroup, which is first and last; a last step in which threads have nothing to do.
TEST(HcSite, OtherWidths) {
  for (int width : {128, 384, 1408})
    Site(shapeOf(width), 2).check();
}
TEST(HcSite, OtherFormatsOfSmallWeights) {
  Site({.fnFormat = "f16", .baseFormat = "f16", .scaleFormat = "f16", .normFormat = "f16", .width = 256}, 2).check();
}
TEST(HcSite, DeferredIterations) {
  if (!isOnNvidia())
    GTEST_SKIP() << "clusters alone defer iterations: --device cuda";
  for (const auto [deferred, due] : {std::pair(10, 0), std::pair(0, 10), std::pair(19, 3)}) {
    HcSiteShape shape = shapeOf(4096);
    shape.deferred = deferred;
    shape.due = due;
    Site(shape, 2).check();
  }
}
TEST(HcSite, SteepLogits) { Site(shapeOf(256), 8, 2).check(); }
TEST(HcSite, EpsilonsAreAllUsed) {
  Site({.fnFormat = "f16", .width = 256, .iterations = 3, .eps = 0.5f, .hcEps = 0.125f, .normEps = 2}, 2).check();
}

// The fused op and the five that it stands for, one after the other on the device.
TEST(HcSite, EqualsTheOpsThatItReplaces) {
  for (int width : {256, 4096}) {
    const Site site(shapeOf(width), 3);
    const int q = site.q;
    const Step step = makeStep(0, q);
    auto last = [&](const KernelSpec &spec, const std::vector<Operand> &operands) {
      return launch(spec, step, operands).back().as<float>();
    };
    std::vector<float> streams = last(emitKernel(HcWriteShape{width}), {input(site.y), input(site.streams), input(site.post),
                                                                        input(site.comb), output(site.streams.size())});
    std::vector<float> c = last(emitKernel(HcCoefficientsShape{.fnFormat = "f16", .width = width}),
                                {input(streams), weight(site.fn), weight(site.base), weight(site.scale), output(q * 24)});
    std::vector<Operand> mix = launch(emitKernel(SinkhornShape{}), step, {input(c), output(q * 4), output(q * 4), output(q * 16)});
    std::vector<float> read = last(emitKernel(HcReadShape{width}), {input(streams), input(mix[1].as<float>()), output(q * width)});
    std::vector<float> x = last(emitKernel(RmsNormShape{"f32", width}), {input(read), weight(site.norm), output(q * width)});

    std::vector<Operand> fused = site.run();
    expectClose(fused[0].as<float>(), tensor({q, 4, width}, streams), 1e-6);
    expectClose(fused[1].as<float>(), tensor({q, 4}, mix[2].as<float>()), kTolerance);
    expectClose(fused[2].as<float>(), tensor({q, 4, 4}, mix[3].as<float>()), kTolerance);
    expectClose(fused[3].as<float>(), tensor({q, width}, x), kTolerance);
  }
}

} // namespace ds4::test
