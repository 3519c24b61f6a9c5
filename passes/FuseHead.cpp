#include <mlir/Dialect/Func/IR/FuncOps.h>

#include "ir/Ds4Ops.h"
#include "passes/Passes.h"
#include "passes/PlaceNames.h"
#include "passes/ShareLaunch.h"

namespace ds4 {

#define GEN_PASS_DEF_FUSEHEAD
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

// Whether an op besides the head reads the streams.
bool isReadBeside(HcWriteOp write, HcHeadOp head) {
  return llvm::any_of(write.getResult().getUsers(), [&](Operation *user) { return user != head && !isa<func::ReturnOp>(user); });
}

// The last write of the streams, their head and its norm. A write that something else waits for, too, would be late, and a step
// that leaves out the head would leave it out.
void fuseRead(RmsNormOp norm) {
  auto head = norm.getX().getDefiningOp<HcHeadOp>();
  auto write = head ? head.getStreams().getDefiningOp<HcWriteOp>() : HcWriteOp();
  if (write && head.getResult().hasOneUse() && !isReadBeside(write, head))
    shareLaunch({write, head, norm}, placeBeside(norm, "read"));
}

// All ways to choose a token from the same logits.
void fuseChoice(ArgmaxOp argmax) {
  for (Operation *user : argmax.getLogits().getUsers())
    if (auto sample = dyn_cast<SampleOp>(user)) {
      shareLaunch({argmax, sample}, placeBeside(argmax, "choice"));
      return;
    }
}

struct FuseHead : impl::FuseHeadBase<FuseHead> {
  void runOnOperation() override {
    SmallVector<RmsNormOp> norms(getOperation().getOps<RmsNormOp>());
    llvm::for_each(norms, fuseRead);
    SmallVector<ArgmaxOp> choices(getOperation().getOps<ArgmaxOp>());
    llvm::for_each(choices, fuseChoice);
  }
};

} // namespace
} // namespace ds4
