#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/TypeSwitch.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/Source.h"
#include "ir/Ds4Ops.h"
#include "passes/KernelEmission.h"
#include "passes/Passes.h"
#include "passes/PlaceNames.h"

namespace ds4 {

#define GEN_PASS_DEF_PLACEACTIVATIONQUANTIZATION
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

bool isProduct(Operation *op) { return isa<LinearOp, GroupedLinearOp, ExpertLinearOp, MoeRouteOp, MoeGateUpOp, MoeDownOp>(op); }

// The norm of a shared launch that makes a value; null when something else does.
RmsNormOp sharedNorm(Value value) {
  auto launch = value.getDefiningOp<SharedLaunchOp>();
  return launch ? launch.getYielded(cast<OpResult>(value).getResultNumber()).getDefiningOp<RmsNormOp>() : RmsNormOp();
}

// Products that read what a norm makes, with kernels that can read halves, and what that would save.
struct Readers {
  SmallVector<LinearOp> products;
  double saved = 0;
};

// A to_half of a norm's result, the last tail of its launch; the launch is replaced by one that yields it, too.
Value addToHalf(RmsNormOp norm) {
  auto launch = norm->getParentOfType<SharedLaunchOp>();
  Operation *yield = launch.getBody().front().getTerminator();
  OpBuilder builder(yield);
  auto half = ToHalfOp::create(builder, NameLoc::get(builder.getStringAttr(placeName(norm) + ".half")), norm.getResult());
  yield->insertOperands(yield->getNumOperands(), half.getResult());

  builder.setInsertionPoint(launch);
  auto wider = SharedLaunchOp::create(builder, launch.getLoc(), yield->getOperandTypes());
  wider->setDiscardableAttrs(llvm::to_vector(launch->getDiscardableAttrs()));
  if (auto names = launch->getAttrOfType<ArrayAttr>(Ds4Dialect::kNames)) {
    SmallVector<Attribute> all(names.getValue());
    all.push_back(builder.getStringAttr(placeName(half)));
    wider->setAttr(Ds4Dialect::kNames, builder.getArrayAttr(all));
  }
  wider.getBody().takeBody(launch.getBody());
  launch->replaceAllUsesWith(wider.getOutputs().drop_back());
  launch->erase();
  return wider.getOutputs().back();
}

// Whether products of a chunk with such a weight read halves with scales.
bool readsScaledHalves(TypedValue<QuantizedType> weight) {
  const int64_t width = weight.getType().getShape().back();
  return width <= ScaleToHalfShape::kMostWidth &&
         chunkHalves(formatOf(weight.getType().getFormat()).name, static_cast<int>(width)) == 1;
}

struct PlaceActivationQuantization : impl::PlaceActivationQuantizationBase<PlaceActivationQuantization> {
  using PlaceActivationQuantizationBase::PlaceActivationQuantizationBase;

  void runOnOperation() override {
    if (chunk)
      return convertForChunk();
    const Products products = exactProducts ? Products::Exact : Products::Fast;
    llvm::MapVector<Operation *, Readers> sets; // by norm: launches are replaced
    getOperation().walk([&](Operation *op) {
      if (!isProduct(op))
        return;
      place(op, roundsActivations(op, products) ? "workgroup" : "single");
      auto linear = dyn_cast<LinearOp>(op);
      RmsNormOp norm = linear ? sharedNorm(linear.getX()) : RmsNormOp();
      if (!norm)
        return;
      if (std::optional<ActivationReader> reader = activationReader(linear, products)) {
        Readers &readers = sets[norm];
        readers.products.push_back(linear);
        readers.saved += ActivationCost::saved(*reader);
      }
    });
    for (auto &[op, readers] : sets) {
      auto norm = cast<RmsNormOp>(op);
      const int width = static_cast<int>(cast<RankedTensorType>(norm.getResult().getType()).getDimSize(1));
      if (readers.saved > ActivationCost::serial(width, kSharedWaves) * ActivationCost::kSpread)
        convertOnce(norm, readers.products);
    }
  }

private:
  // All products of a chunk: a workgroup reads its tokens' rows once for finding their scales, and twice as many bytes.
  void convertForChunk() {
    llvm::DenseMap<std::pair<Value, int64_t>, ScaleToHalfOp> made; // by activations and width of a row
    const auto convert = [&](auto product) {
      Value x = product.getX();
      if (!readsScaledHalves(product.getWeight()) || !cast<RankedTensorType>(x.getType()).getElementType().isF32())
        return;
      const int64_t width = product.getWeight().getType().getShape().back();
      ScaleToHalfOp &scaled = made[{x, width}];
      if (!scaled)
        scaled = scaledRows(product, x, width);
      product.getXMutable().assign(reshaped(product, scaled.getHalves(), x.getType()));
      product.getScalesMutable().assign(scaled.getScales());
      place(product, "producer");
    };
    for (Operation *op : llvm::to_vector(llvm::make_pointer_range(getOperation().getOps())))
      llvm::TypeSwitch<Operation *>(op).Case<LinearOp, GroupedLinearOp, GroupedExpertLinearOp>(convert);
  }

  // Before the op, its first reader.
  static ScaleToHalfOp scaledRows(Operation *op, Value x, int64_t width) {
    const auto type = cast<RankedTensorType>(x.getType());
    if (type.getShape().back() != width) // groups of columns
      x = reshaped(op, x,
                   RankedTensorType::get({type.getDimSize(0), type.getShape().back() / width, width}, type.getElementType()));
    OpBuilder builder(op);
    return ScaleToHalfOp::create(builder, NameLoc::get(builder.getStringAttr(placeName(op) + ".halves")), x);
  }

  // In the shape of `like`.
  static Value reshaped(Operation *op, Value x, Type like) {
    const auto from = cast<RankedTensorType>(x.getType());
    const Type to = RankedTensorType::get(cast<RankedTensorType>(like).getShape(), from.getElementType());
    if (from == to)
      return x;
    OpBuilder builder(op);
    return ReshapeOp::create(builder, op->getLoc(), to, x);
  }

  static void place(Operation *op, StringRef where) {
    op->setAttr(Ds4Dialect::kActivations, StringAttr::get(op->getContext(), where));
  }

  static void convertOnce(RmsNormOp norm, ArrayRef<LinearOp> readers) {
    Value half = addToHalf(norm);
    for (LinearOp reader : readers) {
      reader.getXMutable().assign(half);
      place(reader, "producer");
    }
  }
};

} // namespace
} // namespace ds4
