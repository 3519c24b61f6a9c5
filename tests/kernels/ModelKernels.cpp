#include "tests/kernels/ModelKernels.h"

#include <cmath>
#include <tuple>

#include "codegen/emitters/Emitters.h"

namespace ds4::test {

std::vector<KernelSpec> modelKernels(const ModelSizes &m, const std::string &rowElement) {
  const RopeParameters plain{.dims = m.ropeDims, .base = 10000};
  const RopeParameters yarn{.dims = m.ropeDims, .base = 160000, .factor = 16, .originalContext = 65536};
  const std::string q8 = "q8_0", f16 = "f16", f32 = "f32";
  const float scale = 1 / std::sqrt(static_cast<float>(m.head));
  const float indexScale = 1 / std::sqrt(static_cast<float>(m.indexHead * m.indexHeads));
  std::vector<KernelSpec> all;
  auto add = [&](const auto &shape) { all.push_back(emitKernel(shape)); };

  add(EmbedShape{f16, m.width});
  add(HcCoefficientsShape{.fnFormat = f16, .width = m.width});
  add(SinkhornShape{});
  add(HcReadShape{m.width});
  add(HcWriteShape{m.width});
  add(HcHeadShape{.fnFormat = f16, .width = m.width});
  add(HcSiteShape{.fnFormat = f16, .width = m.width});
  add(HcSiteShape{.fnFormat = f16, .width = m.width, .writes = false});
  add(RmsNormShape{f32, m.width});
  add(RmsNormShape{f32, m.queryRank});
  add(RmsNormShape{f32, m.head});
  add(HeadNormShape{m.heads, m.head});
  for (const RopeParameters &rope : {plain, yarn}) {
    add(RopeShape{m.heads, m.head, rope});
    add(RopeShape{m.heads, m.head, rope, true});
    add(RopeShape{1, m.head, rope});
  }
  add(RopeShape{m.indexHeads, m.indexHead, yarn});

  add(LinearShape{q8, m.queryRank, m.width});
  add(LinearShape{q8, m.heads * m.head, m.queryRank});
  add(LinearShape{q8, m.head, m.width});
  add(GroupedLinearShape{q8, m.groups, m.outputRank, m.heads * m.head / m.groups});
  add(LinearShape{q8, m.width, m.groups * m.outputRank});
  add(LinearShape{f16, 2 * m.head, m.width});
  add(LinearShape{f16, m.head, m.width});
  add(LinearShape{f16, 2 * m.indexHead, m.width});
  add(LinearShape{q8, m.indexHeads * m.indexHead, m.queryRank});
  add(LinearShape{f16, m.indexHeads, m.width});
  add(LinearShape{q8, m.expertWidth, m.width});
  add(LinearShape{q8, m.width, m.expertWidth});
  add(LinearShape{q8, m.vocabulary, m.width});

  add(WindowAppendShape{rowElement, 136, m.head});
  add(CompressShape{f32, rowElement, f16, f32, 4, 16, m.head, 1e-6f, yarn});
  add(CompressShape{f32, rowElement, f16, f32, 128, 136, m.head, 1e-6f, yarn});
  add(CompressShape{f32, rowElement, f16, f32, 4, 16, m.indexHead, 1e-6f, yarn});
  add(IndexScoreShape{rowElement, m.indexHeads, m.indexHead, 4, m.context / 4, indexScale});
  add(SelectTopKShape{m.topK, 4, m.context / 4});
  add(AttendShape{.element = rowElement, .rowElement = rowElement, .heads = m.heads, .width = m.head, .scale = scale});
  add(AttendShape{
      .element = rowElement, .rowElement = rowElement, .heads = m.heads, .width = m.head, .ratio = 128, .scale = scale});
  add(AttendShape{.element = rowElement,
                  .rowElement = rowElement,
                  .heads = m.heads,
                  .width = m.head,
                  .ratio = 4,
                  .picks = m.topK,
                  .scale = scale});

  if (rowElement == f16) {
    MaskedAttentionShape shape{.heads = m.heads, .width = m.head, .scale = scale};
    for (auto [ratio, picks, rope] : {std::tuple(0, 0, plain), std::tuple(128, 0, yarn), std::tuple(4, m.topK, yarn)}) {
      shape.ratio = ratio;
      shape.picks = picks;
      shape.rope = rope;
      shape.visibility = Visibility::Masked;
      add(shape);
    }
    shape.visibility = Visibility::Selected;
    add(shape);
    shape.visibility = Visibility::DirectVisible;
    add(shape);
    shape.halves = 1;
    shape.groupHeads = m.head > 128 ? 32 : 16;
    add(shape);
  }

  add(LinearShape{f16, m.experts, m.width});
  add(RouterShape{f32, m.experts, m.used, 1.5f});
  add(HashRouterShape{m.experts, m.used, 1.5f});
  add(ExpertLinearShape{q8, m.experts, m.used, m.expertWidth, m.width});
  add(ExpertLinearShape{q8, m.experts, m.used, m.width, m.expertWidth, true});
  add(SwigluShape{m.used * m.expertWidth});
  add(SwigluShape{m.expertWidth});
  add(CombineShape{m.used, m.width});
  for (bool fast : {false, true}) {
    for (bool hashed : {false, true})
      add(MoeRouteShape{.routerFormat = f16,
                        .format = q8,
                        .experts = m.experts,
                        .used = m.used,
                        .width = m.width,
                        .hidden = m.expertWidth,
                        .hashed = hashed,
                        .scale = 1.5f,
                        .fast = fast});
    add(MoeGateUpShape{q8, m.experts, m.used, m.expertWidth, m.width, 10, fast});
    add(MoeDownShape{q8, q8, m.experts, m.used, m.width, m.expertWidth, m.expertWidth, fast});
  }
  add(AddShape{m.width});
  add(StreamMeanShape{m.width});
  add(ConcatShape{2 * m.width, m.width});
  add(EmbedShape{.format = f16, .width = 64, .streams = 1, .idsOfStep = false});
  add(ShiftTokensShape{});
  add(AttendShape{.element = rowElement, .heads = m.heads, .width = m.head, .slots = 141, .scale = scale, .block = true});
  add(WindowReadShape{"f32", 144, 4 * m.width, m.width, m.width});
  // Of a chunk.
  add(LinearShape{.format = q8, .n = m.queryRank, .k = m.width, .chunk = true});
  add(LinearShape{.format = f16, .n = 2 * m.head, .k = m.width, .chunk = true});
  add(GroupedLinearShape{.format = q8, .groups = m.groups, .n = m.outputRank, .k = m.heads * m.head / m.groups, .chunk = true});
  add(HcCoefficientsShape{.fnFormat = f16, .width = m.width, .chunk = true});
  add(WindowAppendShape{rowElement, 136, m.head, true});
  add(WindowCopyShape{rowElement, 640, 136, 128, m.head});
  add(CompressShape{f32, rowElement, f16, f32, 4, 16, m.head, 1e-6f, yarn, true});
  add(CompressShape{f32, rowElement, f16, f32, 128, 136, m.head, 1e-6f, yarn, true});
  add(HashRouterShape{m.experts, m.used, 1.5f, false});
  add(GroupSlotsShape{m.experts, m.used});
  add(GroupedExpertLinearShape{q8, m.experts, m.used, m.expertWidth, m.width});
  add(GroupedExpertLinearShape{q8, m.experts, m.used, m.width, m.expertWidth, true});
  add(QuantizeActivationShape{"fp8", m.width, 128});
  add(QuantizeActivationShape{"int8", m.width, 32});
  add(QuantizeActivationShape{"fp4", m.indexHeads * m.indexHead, 32});
  add(ArgmaxShape{m.vocabulary});
  add(SampleShape{m.vocabulary});
  return all;
}

} // namespace ds4::test
