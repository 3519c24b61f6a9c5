#include "passes/ShareLaunch.h"

#include <mlir/IR/IRMapping.h>

#include "ir/Ds4Ops.h"
#include "passes/PlaceNames.h"
#include "passes/StepMemory.h"

namespace ds4 {

using namespace mlir;

// A view of what a part makes comes along.
static void copyViews(Value value, ArrayRef<Operation *> parts, OpBuilder &builder, IRMapping &mapping) {
  auto view = value.getDefiningOp<ReshapeOp>();
  if (!view || mapping.contains(value) || !llvm::is_contained(parts, memoryOwner(value).getDefiningOp()))
    return;
  copyViews(view.getX(), parts, builder, mapping);
  builder.clone(*view, mapping);
}

void shareLaunch(ArrayRef<Operation *> parts, Location location) {
  Operation *first = *llvm::min_element(parts, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  SmallVector<Type> types;
  SmallVector<std::string> places;
  for (Operation *part : parts) {
    llvm::append_range(types, part->getResultTypes());
    for (OpResult result : part->getResults())
      places.push_back(resultName(result));
    for (Value operand : part->getOperands())
      if (auto weight = operand.getDefiningOp<WeightOp>(); weight && first->isBeforeInBlock(weight))
        weight->moveBefore(first);
  }

  OpBuilder builder(first);
  auto launch = SharedLaunchOp::create(builder, location, types);
  launch->setAttr(Ds4Dialect::kNames, builder.getStrArrayAttr(SmallVector<StringRef>(places.begin(), places.end())));
  builder.createBlock(&launch.getBody());
  IRMapping mapping;
  SmallVector<Value> made;
  for (Operation *part : parts) {
    for (Value operand : part->getOperands())
      copyViews(operand, parts, builder, mapping);
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

} // namespace ds4
