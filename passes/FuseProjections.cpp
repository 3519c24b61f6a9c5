#include <llvm/ADT/MapVector.h>
#include <mlir/IR/IRMapping.h>

#include "ir/Ds4Ops.h"
#include "passes/KernelEmission.h"
#include "passes/Passes.h"
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
  if (!canShareLaunch(op) || isa<LinearOp>(op))
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

Value copyInto(Value value, const Group &group, OpBuilder &builder, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (auto view = value.getDefiningOp<ReshapeOp>(); view && group.makes(value)) {
    copyInto(view.getX(), group, builder, mapping);
    return builder.clone(*view, mapping)->getResult(0);
  }
  return value;
}

std::string placeOf(Operation *op) {
  auto named = dyn_cast<NameLoc>(op->getLoc());
  return named ? named.getName().str() : "";
}

// "blk.3.attn.q_a" and "blk.3.attn.projections" are places of one sub-layer.
Location launchLocation(Operation *root) {
  const std::string place = placeOf(root);
  return NameLoc::get(StringAttr::get(root->getContext(), place.substr(0, place.rfind('.') + 1) + "projections"));
}

void fuse(Group &group) {
  Operation *first = group.roots.front();
  SmallVector<Operation *> parts;
  for (bool urgent : {true, false})
    llvm::copy_if(group.roots, std::back_inserter(parts), [&](Operation *root) { return feedsState(root, group) == urgent; });
  llvm::append_range(parts, group.tails);

  SmallVector<Type> types;
  SmallVector<std::string> places;
  for (Operation *part : parts) {
    llvm::append_range(types, part->getResultTypes());
    for (OpResult result : part->getResults())
      places.push_back(placeOf(part) + (result.getResultNumber() ? "#" + std::to_string(result.getResultNumber()) : ""));
    for (Value operand : part->getOperands())
      if (auto weight = operand.getDefiningOp<WeightOp>(); weight && first->isBeforeInBlock(weight))
        weight->moveBefore(first);
  }

  OpBuilder builder(first);
  auto launch = SharedLaunchOp::create(builder, launchLocation(first), types);
  launch->setAttr(Ds4Dialect::kNames, builder.getStrArrayAttr(SmallVector<StringRef>(places.begin(), places.end())));
  builder.createBlock(&launch.getBody());
  IRMapping mapping;
  SmallVector<Value> made;
  for (Operation *part : parts) {
    for (Value operand : part->getOperands())
      copyInto(operand, group, builder, mapping);
    llvm::append_range(made, builder.clone(*part, mapping)->getResults());
  }
  YieldOp::create(builder, launch.getLoc(), made);

  auto results = launch.getOutputs().begin();
  for (Operation *part : parts)
    for (OpResult result : part->getResults())
      result.replaceAllUsesWith(*results++);
  for (Operation *part : llvm::reverse(parts))
    part->erase();
  for (Operation *user : llvm::make_early_inc_range(launch->getUsers()))
    if (isa<ReshapeOp>(user) && user->use_empty())
      user->erase();
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
