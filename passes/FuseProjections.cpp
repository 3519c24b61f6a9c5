#include <llvm/ADT/MapVector.h>

#include "ir/Ds4Ops.h"
#include "passes/Passes.h"
#include "passes/PlaceNames.h"
#include "passes/ShareLaunch.h"
#include "passes/StepMemory.h"

namespace ds4 {

#define GEN_PASS_DEF_FUSEPROJECTIONS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

// The products of one input, in the order of the step, and what rides along.
struct Group {
  SmallVector<Operation *> roots, tails;

  bool makes(Value value) const {
    Operation *maker = memoryOwner(value).getDefiningOp();
    return maker && (llvm::is_contained(roots, maker) || llvm::is_contained(tails, maker));
  }
};

bool updatesState(Operation *op) {
  return llvm::any_of(op->getResults(), [](OpResult result) { return static_cast<bool>(updatedState(result)); });
}

// Whether a value is there where the launch will stand, which is where the first root stands. Weights can be moved.
bool isThere(Value value, const Group &group) {
  Operation *maker = memoryOwner(value).getDefiningOp();
  return !maker || isa<WeightOp>(maker) || maker->isBeforeInBlock(group.roots.front());
}

bool isTail(Operation *op, const Group &group) {
  if (!isa<RmsNormOp, HeadNormOp, RopeOp, WindowAppendOp, CompressOp>(op))
    return false;
  return llvm::any_of(op->getOperands(), [&](Value operand) { return group.makes(operand); }) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return group.makes(operand) || isThere(operand, group); });
}

// Ops stand in the order of the step, so a tail's tails are found behind it.
void findTails(Group &group) {
  for (Operation *op = group.roots.front()->getNextNode(); op; op = op->getNextNode())
    if (isTail(op, group))
      group.tails.push_back(op);
}

// Whether a tail that updates state waits for the root.
bool feedsState(Operation *root, const Group &group) {
  Group own{{root}, {}};
  for (Operation *tail : group.tails)
    if (llvm::any_of(tail->getOperands(), [&](Value operand) { return own.makes(operand); })) {
      if (updatesState(tail))
        return true;
      own.tails.push_back(tail);
    }
  return false;
}

void fuse(const Group &group) {
  SmallVector<Operation *> parts;
  for (bool urgent : {true, false})
    llvm::copy_if(group.roots, std::back_inserter(parts), [&](Operation *root) { return feedsState(root, group) == urgent; });
  llvm::append_range(parts, group.tails);
  shareLaunch(parts, placeBeside(group.roots.front(), "projections"));
}

struct FuseProjections : impl::FuseProjectionsBase<FuseProjections> {
  void runOnOperation() override {
    llvm::MapVector<Value, Group> groups;
    for (auto linear : getOperation().getOps<LinearOp>())
      groups[linear.getX()].roots.push_back(linear);
    for (auto &[input, group] : groups) {
      findTails(group);
      if (group.roots.size() + group.tails.size() > 1)
        fuse(group);
    }
  }
};

} // namespace
} // namespace ds4
