#include <llvm/ADT/DenseMap.h>

#include "ir/Ds4Ops.h"
#include "passes/KernelEmission.h"
#include "passes/Passes.h"
#include "passes/PlaceNames.h"

namespace ds4 {

#define GEN_PASS_DEF_GROUPEXPERTS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct GroupExperts : impl::GroupExpertsBase<GroupExperts> {
  void runOnOperation() override {
    llvm::DenseMap<Value, GroupSlotsOp> groups; // by ids
    for (ExpertLinearOp product : llvm::to_vector(getOperation().getOps<ExpertLinearOp>())) {
      if (!canGroupExperts(product))
        continue;
      OpBuilder builder(product);
      GroupSlotsOp &group = groups[product.getIds()];
      if (!group)
        group = GroupSlotsOp::create(builder, placeBeside(product, "group"), product.getIds(),
                                     product.getWeight().getType().getShape()[0]);
      auto grouped = GroupedExpertLinearOp::create(builder, product.getLoc(), product.getX(), group.getOrder(), group.getStarts(),
                                                   product.getWeight(), /*scales=*/Value());
      product.replaceAllUsesWith(grouped.getResult());
      product.erase();
    }
  }
};

} // namespace
} // namespace ds4
