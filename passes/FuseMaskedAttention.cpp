#include "ir/Ds4Ops.h"
#include "passes/KernelShapes.h"
#include "passes/Passes.h"
#include "passes/PlaceNames.h"

namespace ds4 {

#define GEN_PASS_DEF_FUSEMASKEDATTENTION
#include "passes/Passes.h.inc"

using namespace mlir;

// The inverse rotation that alone reads an attention's result; null when there is none, and for a block of drafts, which the fused
// op does not know.
static RopeOp turnOf(AttendOp attend) {
  auto turn = attend->hasOneUse() && !attend.getBlock() ? dyn_cast<RopeOp>(*attend->user_begin()) : RopeOp();
  return turn && turn.getInverse() && turn.getPos() == attend.getPos() ? turn : RopeOp();
}

static void fuse(AttendOp attend, RopeOp turn) {
  OpBuilder builder(turn);
  auto fused = MaskedAttentionOp::create(builder, attend.getLoc(), attend.getQ(), attend.getWindow(), attend.getSinks(),
                                         attend.getPos(), attend.getRows(), attend.getPicks(), attend.getScale(),
                                         attend.getWindowSize(), attend.getRatio(), turn.getRope());
  fused->setAttr(Ds4Dialect::kNames, builder.getStrArrayAttr({placeName(turn)}));
  turn.replaceAllUsesWith(fused.getResult());
  turn->erase();
  attend->erase();
}

namespace {

struct FuseMaskedAttention : impl::FuseMaskedAttentionBase<FuseMaskedAttention> {
  void runOnOperation() override {
    for (AttendOp attend : llvm::to_vector(getOperation().getOps<AttendOp>()))
      if (RopeOp turn = turnOf(attend); turn && hasMaskedAttention(attend, turn.getRope()))
        fuse(attend, turn);
  }
};

} // namespace
} // namespace ds4
