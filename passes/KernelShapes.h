// The shapes that specialise kernels, read off the ops: one function an op. `waves`: of the workgroup of a shared launch; 0: the
// kernel's own number. A shape or format that no kernel has is refused when the kernel is emitted.
#pragma once

#include "codegen/emitters/Emitters.h"
#include "codegen/kernels/step.h"
#include "ir/Ds4Ops.h"
#include "passes/KernelChoice.h"

namespace ds4 {

EmbedShape shapeFor(EmbedOp op, const KernelChoice &choice);
ConcatShape shapeFor(ConcatOp op, const KernelChoice &choice);
StreamMeanShape shapeFor(StreamMeanOp op, const KernelChoice &choice);
ShiftTokensShape shapeFor(ShiftTokensOp op, const KernelChoice &choice);
AddShape shapeFor(AddOp op, const KernelChoice &choice);
QuantizeActivationShape shapeFor(QuantizeActivationOp op, const KernelChoice &choice);
LinearShape shapeFor(LinearOp op, const KernelChoice &choice, int waves = 0);
ToHalfShape shapeFor(ToHalfOp op, const KernelChoice &choice);
ScaleToHalfShape shapeFor(ScaleToHalfOp op, const KernelChoice &choice);
GroupedLinearShape shapeFor(GroupedLinearOp op, const KernelChoice &choice);
ExpertLinearShape shapeFor(ExpertLinearOp op, const KernelChoice &choice);
GroupedExpertLinearShape shapeFor(GroupedExpertLinearOp op, const KernelChoice &choice);
GroupSlotsShape shapeFor(GroupSlotsOp op, const KernelChoice &choice);
RmsNormShape shapeFor(RmsNormOp op, const KernelChoice &choice);
HeadNormShape shapeFor(HeadNormOp op, const KernelChoice &choice);
RopeShape shapeFor(RopeOp op, const KernelChoice &choice);
HcCoefficientsShape shapeFor(HcCoefficientsOp op, const KernelChoice &choice);
SinkhornShape shapeFor(SinkhornOp op, const KernelChoice &choice);
HcReadShape shapeFor(HcReadOp op, const KernelChoice &choice);
HcWriteShape shapeFor(HcWriteOp op, const KernelChoice &choice);
HcHeadShape shapeFor(HcHeadOp op, const KernelChoice &choice);
HcSiteShape shapeFor(HcSiteOp op, const KernelChoice &choice);
WindowAppendShape shapeFor(WindowAppendOp op, const KernelChoice &choice);
CompressShape shapeFor(CompressOp op, const KernelChoice &choice);
WindowCopyShape shapeFor(WindowCopyOp op, const KernelChoice &choice);
WindowReadShape shapeFor(WindowReadOp op, const KernelChoice &choice);
IndexScoreShape shapeFor(IndexScoreOp op, const KernelChoice &choice);
SelectTopKShape shapeFor(SelectTopKOp op, const KernelChoice &choice);
AttendShape shapeFor(AttendOp op, const KernelChoice &choice);
MaskedAttentionShape shapeFor(MaskedAttentionOp op, const KernelChoice &choice);
RouterShape shapeFor(RouterOp op, const KernelChoice &choice);
HashRouterShape shapeFor(HashRouterOp op, const KernelChoice &choice);
SwigluShape shapeFor(SwigluOp op, const KernelChoice &choice);
CombineShape shapeFor(CombineOp op, const KernelChoice &choice);
MoeRouteShape shapeFor(MoeRouteOp op, const KernelChoice &choice);
MoeGateUpShape shapeFor(MoeGateUpOp op, const KernelChoice &choice);
MoeDownShape shapeFor(MoeDownOp op, const KernelChoice &choice);
ArgmaxShape shapeFor(ArgmaxOp op, const KernelChoice &choice);
SampleShape shapeFor(SampleOp op, const KernelChoice &choice);

// Whether a fast kernel exists for the products of a weight.
bool hasFastKernel(mlir::TypedValue<QuantizedType> weight);
// Most of `wanted` tokens that can share a decoded weight, in a workgroup of `waves` where those are given; 0: the product is
// exact.
int mostColumns(mlir::TypedValue<QuantizedType> weight, Products products, int waves = 0, int wanted = kMaxWidth);

// Whether there is a kernel of ds4.masked_attention for an attention whose result is turned backwards by `rope`.
bool hasMaskedAttention(AttendOp attend, RopeAttr rope);

} // namespace ds4
