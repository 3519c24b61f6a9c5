#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {
namespace {

constexpr double kHalfTolerance = 4e-4, kExactTolerance = 1e-6;

struct Down {
  MoeDownShape shape;
  int q;
  std::vector<float> h, weights, hs;
  std::vector<int> ids;
  WeightData down, shared;

  Down(MoeDownShape given, int tokens, std::vector<int> slots)
      : shape(given), q(tokens), h(normals(q * shape.used * shape.k, 1)), weights(uniforms(q * shape.used, 2, 0.1, 1)),
        hs(normals(q * shape.sharedK, 3)), ids(std::move(slots)),
        down(randomWeight(shape.format, {shape.experts, shape.n, shape.k}, 4)),
        shared(randomWeight(shape.sharedFormat, {shape.n, shape.sharedK}, 5)) {}

  std::vector<float> run() const {
    return launch(emitKernel(shape), makeStep(5, q),
                  {input(h), input(ids), input(weights), weight(down), input(hs), weight(shared), output(q * shape.n)})[6]
        .as<float>();
  }
  reference::Tensor expected() const {
    return reference::moeDown(tensor({q, shape.used, shape.k}, h), tensor({q, shape.used}, ids), tensor({q, shape.used}, weights),
                              down.weight(), tensor({q, shape.sharedK}, hs), shared.weight());
  }
  void check() const {
    if (shape.fast)
      expectSmallError(run(), expected(), kHalfTolerance);
    else
      expectClose(run(), expected(), kExactTolerance);
  }
};

MoeDownShape fastShape(const std::string &format, const std::string &sharedFormat, int n = 70, int k = 1024, int sharedK = 1024) {
  return {format, sharedFormat, 3, 6, n, k, sharedK, true};
}
const std::vector<int> kSlots{0, 1, 2, 1, 0, 2};

class MoeDownFast : public testing::TestWithParam<const char *> {};

struct FormatLimit {
  const char *format;
  double dense; // wave instructions per 1,024 weights of a dense product
};
class MoeDownOfModels : public testing::TestWithParam<FormatLimit> {};

double costOf(const Down &down) {
  down.run();
  return static_cast<double>(lastInstructions()) /
         (static_cast<double>(down.shape.used * down.shape.k + down.shape.sharedK) * down.shape.n / 1024);
}

} // namespace

TEST(MoeDown, Tiny) { Down({"q8_0", "q8_0", 16, 6, 256, 128, 128}, 2, {3, 15, 0, 7, 7, 1, 2, 4, 6, 8, 10, 12}).check(); }
TEST(MoeDown, OtherFormatsAndWidths) {
  Down({"f16", "q8_0", 4, 2, 33, 40, 64}, 1, {3, 0}).check();
  Down({"f32", "f16", 3, 1, 5, 64, 512}, 8, {0, 1, 2, 0, 1, 2, 0, 1}).check();
  Down({"q4_k", "f32", 2, 2, 37, 512, 24}, 1, {1, 0}).check();
}
TEST(MoeDown, FormatsMix) {
  Down(fastShape("rocmfp3", "rocmfp4_fast"), 1, kSlots).check();
  Down(fastShape("rocmfp2", "q8_0", 37, 512), 1, kSlots).check();
  Down(fastShape("q8_0", "rocmfp2", 40, 512, 4096), 1, kSlots).check();
  Down(fastShape("rocmfp3", "f16", 40, 1024, 96), 1, kSlots).check();
  Down(fastShape("f16", "q8_0", 40, 96, 1024), 1, kSlots).check();
}
TEST_P(MoeDownFast, RowsOfAnyNumber) {
  for (int n : {37, 130})
    Down(fastShape(GetParam(), GetParam(), n), 2, {0, 1, 2, 1, 0, 2, 2, 2, 2, 2, 1, 0}).check();
}
TEST_P(MoeDownFast, Flash) { Down(fastShape(GetParam(), GetParam(), 70, 2048, 2048), 1, kSlots).check(); }
// What an unused slot holds, NaN too, has no influence.
TEST_P(MoeDownFast, SlotsThatAreNotUsedAreNotRead) {
  Down slots(fastShape(GetParam(), GetParam()), 1, {0, -1, 1 << 30, 3, 2, 1});
  slots.weights[4] = 0;
  const std::vector<float> expected = slots.run();
  expectSmallError(expected, slots.expected(), kHalfTolerance);
  for (int slot : {1, 2, 3, 4})
    std::fill_n(slots.h.begin() + slot * 1024, 1024, std::nanf(""));
  EXPECT_EQ(slots.run(), expected);
}
TEST_P(MoeDownFast, TinyAndHugeSlotsStandSideBySide) {
  Down slots(fastShape(GetParam(), GetParam()), 1, kSlots);
  for (int i = 0; i < 1024; ++i) {
    slots.h[i] *= 1e-8f;
    slots.h[1024 + i] *= 1e8f;
  }
  slots.weights[0] = 1e8f, slots.weights[1] = 1e-8f;
  slots.check();
}
TEST_P(MoeDownFast, EqualsTheOpsThatItReplaces) {
  const Step step = makeStep(5, 2);
  auto last = [&](const KernelSpec &spec, const std::vector<Operand> &operands) {
    return launch(spec, step, operands).back().as<float>();
  };
  for (int n : {1, 70}) {
    const Down fused(fastShape(GetParam(), GetParam(), n), 2, {0, 1, 2, 1, 0, 2, 2, 2, 2, 2, 1, 0});
    const std::vector<float> slots = last(emitKernel(ExpertLinearShape{GetParam(), 3, 6, n, 1024, true, true}),
                                          {input(fused.h), input(fused.ids), weight(fused.down), output(2 * 6 * n)});
    const std::vector<float> routed = last(emitKernel(CombineShape{6, n}), {input(slots), input(fused.weights), output(2 * n)});
    const std::vector<float> shared =
        last(emitKernel(LinearShape{GetParam(), n, 1024, 1}), {input(fused.hs), weight(fused.shared), output(2 * n)});
    EXPECT_EQ(fused.run(), last(emitKernel(AddShape{n}), {input(routed), input(shared), output(2 * n)}));
  }
}

// Tokens that share experts: the bits of each slot alone, whoever chose what; unused slots are not read.
TEST_P(MoeDownFast, SlotsOfOneExpertTogether) {
  struct Choice {
    int q;
    std::vector<int> ids;
  };
  for (const auto &[q, ids] :
       {Choice{2, {0, 1, 2, 1, 0, 2, 2, 2, 2, 2, 1, 0}}, Choice{3, {0, 1, 2, 0, 1, 2, 1, 2, 0, 1 << 30, -1, 3, 1, 0, 2, 0, 0, 0}},
        Choice{8, std::vector<int>(48, 1)}})
    for (const auto &[n, k, sharedK] : {std::tuple(37, 1024, 1024), std::tuple(300, 512, 2048), std::tuple(70, 2048, 2048)}) {
      Down slots(fastShape(GetParam(), GetParam(), n, k, sharedK), q, ids);
      slots.shape.fine = isOnNvidia();
      slots.weights[4] = 0;
      std::fill_n(slots.h.begin() + 4 * k, k, std::nanf(""));
      const std::vector<float> alone = slots.run();
      if (slots.shape.columns = expertColumns(slots.shape); isOnNvidia() && slots.shape.columns == 1)
        continue; // each slot alone in all steps
      ASSERT_GE(slots.shape.columns, 2);
      EXPECT_EQ(slots.run(), alone) << q << " tokens, " << n << " x " << k;
    }
}
TEST(MoeDown, FormatsMixInSharedExperts) {
  for (const auto &[format, shared] :
       {std::pair("rocmfp3", "rocmfp4_fast"), std::pair("rocmfp2", "q8_0"), std::pair("q8_0", "rocmfp2_mix")}) {
    Down slots(fastShape(format, shared), 4, {0, 1, 2, 1, 0, 2, 2, 2, 2, 2, 1, 0, 0, 1, 2, 1, 0, 2, 2, 2, 2, 2, 1, 0});
    slots.shape.fine = isOnNvidia();
    const std::vector<float> alone = slots.run();
    slots.shape.columns = expertColumns(slots.shape);
    EXPECT_EQ(slots.run(), alone);
  }
  EXPECT_EQ(expertColumns(fastShape("rocmfp3", "f16", 40, 1024, 96)), 1); // an exact product shares nothing
  EXPECT_EQ(expertColumns(fastShape("q8_0", "q8_0", 40, 512, 4096)), 1);  // LDS holds no four such rows and the results
}
// Where the matrix unit makes the products of one token, its order of sums is that of all steps.
TEST(MoeDown, FineShapesOfQuadsShareNothing) {
  MoeDownShape shape = fastShape("q4_k", "q4_k", 70, 2048, 2048);
  shape.fine = true;
  EXPECT_GE(expertColumns(shape), 2);
  shape.sharedFormat = "q8_0";
  EXPECT_EQ(expertColumns(shape), 1);
  shape.fine = false;
  EXPECT_GE(expertColumns(shape), 2);
}
TEST_P(MoeDownFast, FineGridsAreTheSame) {
  const int k = isOnNvidia() ? 2048 : 1024; // the simulator's LDS has no room for more
  MoeDownShape shape = fastShape(GetParam(), "rocmfp4_fast", 70, k, k);
  const Down coarse(shape, 2, {0, 1, 2, 1, 0, 2, 2, -1, 2, 2, 1, 0});
  shape.fine = true;
  EXPECT_EQ(Down(shape, 2, {0, 1, 2, 1, 0, 2, 2, -1, 2, 2, 1, 0}).run(), coarse.run());
}

// At the width of the real model: wave instructions per 1,024 weights, within 15 % of those of a dense product.
TEST_P(MoeDownFast, Cost) {
  const std::map<std::string, double> dense{{"q8_0", 90},          {"rocmfp2", 70},      {"rocmfp3", 108},    {"rocmfp4", 108},
                                            {"rocmfp4_fast", 105}, {"rocmfp2_mix", 108}, {"rocmfp3_mix", 140}};
  const double cost = costOf(Down(fastShape(GetParam(), GetParam(), 128, 2048, 2048), 1, kSlots));
  std::printf("moe_down %s: %.1f wave instructions per 1,024 weights\n", GetParam(), cost);
  EXPECT_LE(cost, 1.15 * dense.at(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, MoeDownFast,
                         testing::Values("q8_0", "rocmfp2", "rocmfp3", "rocmfp4", "rocmfp4_fast", "rocmfp2_mix", "rocmfp3_mix"),
                         [](const auto &info) { return std::string(info.param); });

// The other formats of published models, whose inputs and weights fill LDS with fewer waves.
TEST_P(MoeDownOfModels, FlashWidths) {
  const auto &[format, dense] = GetParam();
  for (const char *shared : {format, "q8_0", "q6_k"})
    Down(fastShape(format, shared, 70, 2048, 2048), 1, {0, 1, 2, -1, 0, 2}).check();
  const double cost = costOf(Down(fastShape(format, format, 384, 2048, 2048), 1, kSlots));
  std::printf("moe_down %s: %.1f wave instructions per 1,024 weights\n", format, cost);
  EXPECT_LE(cost, 1.15 * dense);
  Down slots(fastShape(format, format, 37, 2048, 2048), 3, {0, 1, 2, 0, 1, 2, 1, 2, 0, 1 << 30, -1, 3, 1, 0, 2, 0, 0, 0});
  slots.shape.fine = isOnNvidia();
  const std::vector<float> alone = slots.run();
  slots.shape.columns = expertColumns(slots.shape);
  EXPECT_EQ(slots.run(), alone);
}
INSTANTIATE_TEST_SUITE_P(All, MoeDownOfModels,
                         testing::Values(FormatLimit{"rocmfp6", 150}, FormatLimit{"rocmfp8", 112}, FormatLimit{"mxfp4", 108},
                                         FormatLimit{"q4_0", 78}, FormatLimit{"q2_k", 85}, FormatLimit{"q3_k", 138},
                                         FormatLimit{"q4_k", 85}, FormatLimit{"q5_k", 140}, FormatLimit{"q6_k", 132},
                                         FormatLimit{"iq2_xxs", 89}, FormatLimit{"iq3_xxs", 105}, FormatLimit{"iq4_xs", 140}),
                         [](const auto &info) { return std::string(info.param.format); });
// More experts than LDS has room for: one token's products are exact, and so are those of several.
TEST(MoeDown, ManyExpertsShareNothing) {
  MoeDownShape shape = fastShape("q6_k", "q6_k", 70, 2048, 2048);
  EXPECT_GE(expertColumns(shape), 2);
  shape.used = 8;
  EXPECT_EQ(expertColumns(shape), 1);
  EXPECT_EQ(emitKernel(shape).source.find("FastRows<ds4::Q6_KFragment, 8,"), std::string::npos);
}

} // namespace ds4::test
