#include <mlir/Dialect/Func/IR/FuncOps.h>

#include "ir/Ds4Ops.h"
#include "passes/Passes.h"

namespace ds4 {

#define GEN_PASS_DEF_FUSEHEADNORM
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct FuseHeadNorm : impl::FuseHeadNormBase<FuseHeadNorm> {
  void runOnOperation() override {
    for (RopeOp rope : getOperation().getOps<RopeOp>()) {
      auto norm = rope.getX().getDefiningOp<HeadNormOp>();
      if (!norm || !norm.getResult().hasOneUse() || rope.getNormEps())
        continue;
      rope.getXMutable().assign(norm.getX());
      rope.setNormEpsAttr(norm.getEpsAttr());
      norm.erase();
    }
  }
};

} // namespace
} // namespace ds4
