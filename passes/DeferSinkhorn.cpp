#include <mlir/Dialect/Func/IR/FuncOps.h>

#include "codegen/emitters/Emitters.h"
#include "ir/Ds4Ops.h"
#include "passes/Passes.h"

namespace ds4 {

#define GEN_PASS_DEF_DEFERSINKHORN
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

bool hasCluster(HcSiteOp site) {
  return HcSiteShape::suitsClusters(static_cast<int>(cast<RankedTensorType>(site.getStreams().getType()).getDimSize(2)));
}

// Another site that can make what this one leaves to it.
bool isTakenBySites(Value comb) {
  return !comb.use_empty() && llvm::all_of(comb.getUses(), [&](OpOperand &use) {
    auto site = dyn_cast<HcSiteOp>(use.getOwner());
    return site && site.getPreviousComb() == use.get() && hasCluster(site);
  });
}

struct DeferSinkhorn : impl::DeferSinkhornBase<DeferSinkhorn> {
  void runOnOperation() override {
    for (HcSiteOp site : getOperation().getOps<HcSiteOp>()) {
      const uint64_t half = site.getIterations() / 2;
      if (half == 0 || !hasCluster(site) || !isTakenBySites(site.getComb()))
        continue;
      site.setDeferred(half);
      for (Operation *user : site.getComb().getUsers())
        cast<HcSiteOp>(user).setDue(half);
    }
  }
};

} // namespace
} // namespace ds4
