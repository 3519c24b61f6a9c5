// Specs as text: one symbol for one source, and shapes that cannot be run are refused with a message.
#include <map>

#include <gmock/gmock.h>

#include "codegen/emitters/Emitters.h"
#include "support/Error.h"
#include "tests/kernels/ModelKernels.h"

namespace ds4::test {

using testing::HasSubstr;

template <typename Shape> static std::string refusal(const Shape &shape) {
  try {
    emitKernel(shape);
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ExitCode::User);
    return error.what();
  }
  return "accepted";
}

TEST(Emitters, OneSymbolForOneSource) {
  std::map<std::string, KernelSpec> bySymbol;
  for (const ModelSizes &model : {kTiny, kFlash})
    for (const char *element : {"f16", "f32"})
      for (const KernelSpec &spec : modelKernels(model, element)) {
        const KernelSpec &first = bySymbol.emplace(spec.symbol, spec).first->second;
        EXPECT_EQ(first.source, spec.source) << spec.symbol;
        EXPECT_EQ(first.block, spec.block) << spec.symbol;
        EXPECT_EQ(first.grid, spec.grid) << spec.symbol;
      }
}

TEST(Emitters, SymbolsAreIdentifiers) {
  for (const KernelSpec &spec : modelKernels(kFlash))
    EXPECT_THAT(spec.symbol, testing::MatchesRegex("[a-z0-9_]+"));
}

TEST(Emitters, EveryParameterIsInTheSymbol) {
  RopeParameters yarn{.dims = 32, .base = 160000, .factor = 16, .originalContext = 65536};
  RopeParameters otherBase = yarn, otherFactor = yarn, otherContext = yarn;
  otherBase.base = 10000;
  otherFactor.factor = 8;
  otherContext.originalContext = 32768;
  for (const RopeParameters &other : {otherBase, otherFactor, otherContext})
    EXPECT_NE(emitKernel(RopeShape{8, 128, yarn}).symbol, emitKernel(RopeShape{8, 128, other}).symbol);
  EXPECT_NE(emitKernel(RopeShape{8, 128, yarn}).symbol, emitKernel(RopeShape{8, 128, yarn, true}).symbol);
  EXPECT_NE(emitKernel(RmsNormShape{"f32", 256, 1e-6f}).symbol, emitKernel(RmsNormShape{"f32", 256, 1e-5f}).symbol);
}

TEST(Emitters, SourceInstantiatesTheTemplate) {
  EXPECT_EQ(emitKernel(LinearShape{"q8_0", 1024, 4096}).source,
            "#include \"linear.h\"\n#include \"formats/q8_0.h\"\n\n"
            "DS4_KERNEL(128) ds4_linear_q8_0_n1024_k4096(const ds4::Step *step, const float *x, const void *w, float *y) {\n"
            "  const ds4::Workgroup workgroup = ds4::thisWorkgroup();\n"
            "  ds4::linear<ds4::Q8_0, 1024, 4096, 32, 4>(x, w, y, workgroup);\n}\n"
            "DS4_WAITS(ds4_linear_q8_0_n1024_k4096)\n"
            "DS4_CLUSTER_OF(ds4_linear_q8_0_n1024_k4096, 1)\n"
            "DS4_LDS_OF(ds4_linear_q8_0_n1024_k4096, 0)\n");
}

TEST(Emitters, GridsFollowTheStep) {
  KernelSpec score = emitKernel(IndexScoreShape{"f16", 8, 64, 4, 4096, 1});
  EXPECT_EQ(score.grid[1].evaluate(100, 3), 3);
  for (int pos = 0; pos < 2000; ++pos)
    EXPECT_GE(score.grid[0].evaluate(pos, 1) * score.block, (pos + 1) / 4);
  EXPECT_GE(score.grid[0].evaluate(0, 1), 1);
}

TEST(Emitters, RefusedShapes) {
  EXPECT_THAT(refusal(LinearShape{"i32", 8, 256}),
              HasSubstr("linear: format 'i32' has no device code here: use f32, f16, bf16, q8_0"));
  EXPECT_THAT(refusal(LinearShape{"q8_0", 8, 33}), HasSubstr("multiple of 32"));
  EXPECT_THAT(refusal(LinearShape{"q4_k", 8, 128}), HasSubstr("multiple of 256"));
  EXPECT_THAT(refusal(RmsNormShape{"q4_k", 256}), HasSubstr("use f32, f16, bf16, q8_0"));
  EXPECT_THAT(refusal(WindowAppendShape{"q8_0", 136, 128}), HasSubstr("use f32, f16"));
  EXPECT_THAT(refusal(RopeShape{1, 31, {.dims = 8}}), HasSubstr("pairs"));
  EXPECT_THAT(refusal(QuantizeActivationShape{"fp6", 128, 32}), HasSubstr("fp6"));
  EXPECT_THAT(refusal(QuantizeActivationShape{"fp8", 100, 32}), HasSubstr("whole blocks"));
  EXPECT_THAT(refusal(CompressShape{"f32", "f16", "f16", "f32", 4, 8, 128, 1e-6f, {}}), HasSubstr("open ring"));
  EXPECT_THAT(refusal(RouterShape{"f32", 4, 5, 1}), HasSubstr("router"));
}

} // namespace ds4::test
