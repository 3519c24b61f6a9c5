#include "ir/Ds4Ops.h"
#include "passes/KernelEmission.h"
#include "passes/Passes.h"
#include "passes/PlaceNames.h"
#include "passes/ShareLaunch.h"

namespace ds4 {

#define GEN_PASS_DEF_FUSEINDEXER
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct FuseIndexer : impl::FuseIndexerBase<FuseIndexer> {
  void runOnOperation() override {
    for (SelectTopKOp select : llvm::to_vector(getOperation().getOps<SelectTopKOp>()))
      if (auto score = select.getScores().getDefiningOp<IndexScoreOp>(); score && canFuseIndexer(score))
        shareLaunch({score, select}, placeBeside(select, "pick"));
  }
};

} // namespace
} // namespace ds4
