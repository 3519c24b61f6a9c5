#include <mlir/IR/BuiltinAttributes.h>

#include "ir/Ds4Ops.h"
#include "passes/Passes.h"
#include "passes/PlaceNames.h"

namespace ds4 {

#define GEN_PASS_DEF_FUSEMOE
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

// What makes a value that is used once; null when it is used again, or made by another op.
template <typename Op> Op onlySourceOf(Value value) { return value.hasOneUse() ? value.getDefiningOp<Op>() : Op(); }

// swiglu of the gate and up products of one input.
template <typename Product> struct Gated {
  SwigluOp join;
  Product gate, up;
};

template <typename Product> std::optional<Gated<Product>> gatedSourceOf(Value hidden) {
  Gated<Product> gated;
  if (!(gated.join = onlySourceOf<SwigluOp>(hidden)) || !(gated.gate = onlySourceOf<Product>(gated.join.getGate())) ||
      !(gated.up = onlySourceOf<Product>(gated.join.getUp())))
    return std::nullopt;
  const bool isPair = gated.gate.getX() == gated.up.getX() && gated.gate.getWeight().getType() == gated.up.getWeight().getType();
  return isPair ? std::optional(gated) : std::nullopt;
}

struct Experts {
  AddOp sum;
  CombineOp combine;
  ExpertLinearOp down;
  Gated<ExpertLinearOp> routed;
  LinearOp sharedDown;
  Gated<LinearOp> shared;
  Operation *router; // RouterOp or HashRouterOp
  LinearOp logits;

  Value ids() const { return router->getResult(0); }
  Value weights() const { return router->getResult(1); }
  // All but `sum`, users before what they use.
  SmallVector<Operation *> inner() const {
    return {combine, down, routed.join, routed.gate, routed.up, sharedDown, shared.join, shared.gate, shared.up, router, logits};
  }
};

// A MIX matrix has its levels behind its blocks, where products alone look for them: the router's rows are read another way.
bool hasLevels(TypedValue<QuantizedType> weight) {
  const WeightFormat format = weight.getType().getFormat();
  return format == WeightFormat::RocmFp2Mix || format == WeightFormat::RocmFp3Mix;
}

// Whether the routing is the routed experts' own, and whoever else uses it comes after the sum, where all will stand.
bool routes(Experts &experts) {
  const SmallVector<Operation *> inner = experts.inner();
  auto isFree = [&](Value value) {
    return llvm::all_of(value.getUsers(),
                        [&](Operation *user) { return llvm::is_contained(inner, user) || experts.sum->isBeforeInBlock(user); });
  };
  return experts.routed.gate.getIds() == experts.ids() && experts.routed.up.getIds() == experts.ids() &&
         experts.down.getIds() == experts.ids() && experts.combine.getWeights() == experts.weights() && isFree(experts.ids()) &&
         isFree(experts.weights());
}

std::optional<Experts> expertsOf(AddOp sum, Value routed, Value shared) {
  Experts experts{.sum = sum};
  if (!(experts.combine = onlySourceOf<CombineOp>(routed)) ||
      !(experts.down = onlySourceOf<ExpertLinearOp>(experts.combine.getY())) ||
      !(experts.sharedDown = onlySourceOf<LinearOp>(shared)))
    return std::nullopt;
  auto routedPair = gatedSourceOf<ExpertLinearOp>(experts.down.getX());
  auto sharedPair = gatedSourceOf<LinearOp>(experts.sharedDown.getX());
  experts.router = experts.down.getIds().getDefiningOp();
  if (!routedPair || !sharedPair || !isa_and_nonnull<RouterOp, HashRouterOp>(experts.router))
    return std::nullopt;
  experts.routed = *routedPair, experts.shared = *sharedPair;
  experts.logits = onlySourceOf<LinearOp>(experts.router->getOperand(0));
  if (!experts.logits || !routes(experts))
    return std::nullopt;
  const Value x = experts.logits.getX();
  const bool haveOneInput = experts.routed.gate.getX() == x && experts.shared.gate.getX() == x;
  return haveOneInput && !hasLevels(experts.logits.getWeight()) ? std::optional(experts) : std::nullopt;
}

void fuse(Experts &experts) {
  OpBuilder builder(experts.sum);
  Gated<ExpertLinearOp> &routed = experts.routed;
  Gated<LinearOp> &shared = experts.shared;
  Value bias, tokens, table;
  double scale = 0;
  if (auto learned = dyn_cast<RouterOp>(experts.router))
    bias = learned.getBias(), scale = learned.getScale();
  else if (auto hashed = dyn_cast<HashRouterOp>(experts.router))
    tokens = hashed.getTokens(), table = hashed.getTable(), scale = hashed.getScale();
  const int64_t used = cast<RankedTensorType>(experts.ids().getType()).getDimSize(1);

  auto route =
      MoeRouteOp::create(builder, placeBeside(experts.sum, "moe_route"), experts.logits.getX(), experts.logits.getWeight(),
                         shared.gate.getWeight(), shared.up.getWeight(), bias, tokens, table, used, scale, shared.join.getLimit());
  route->setAttr(Ds4Dialect::kNames, builder.getStrArrayAttr({placeName(experts.router), resultName(experts.router->getResult(1)),
                                                              placeName(shared.join)}));
  auto hidden = MoeGateUpOp::create(builder, routed.join.getLoc(), routed.gate.getX(), route.getIds(), route.getWeights(),
                                    routed.gate.getWeight(), routed.up.getWeight(), routed.join.getLimit());
  auto sum = MoeDownOp::create(builder, experts.sum.getLoc(), hidden.getResult(), route.getIds(), route.getWeights(),
                               experts.down.getWeight(), route.getHidden(), experts.sharedDown.getWeight());

  experts.sum.getResult().replaceAllUsesWith(sum.getResult());
  experts.ids().replaceAllUsesWith(route.getIds());
  experts.weights().replaceAllUsesWith(route.getWeights());
  experts.sum->erase();
  for (Operation *op : experts.inner())
    op->erase();
}

struct FuseMoe : impl::FuseMoeBase<FuseMoe> {
  void runOnOperation() override {
    SmallVector<AddOp> sums(getOperation().getOps<AddOp>());
    for (AddOp sum : sums) {
      std::optional<Experts> experts = expertsOf(sum, sum.getA(), sum.getB());
      if (!experts)
        experts = expertsOf(sum, sum.getB(), sum.getA());
      if (experts)
        fuse(*experts);
    }
  }
};

} // namespace
} // namespace ds4
