// What shapes alone do not say of an op's operands and attributes. Shapes and result types: ir/Signature.h.
#include "ir/Ds4Ops.h"

#include "codegen/kernels/step.h"
#include "ir/StepExprAffine.h"

#include "ir/Ds4Interfaces.cpp.inc"

namespace ds4 {

using namespace mlir;

// custom<Real>: a double as its shortest digits.
static ParseResult parseReal(OpAsmParser &parser, FloatAttr &attribute) {
  FailureOr<Real> real = parseReal(static_cast<AsmParser &>(parser));
  if (succeeded(real))
    attribute = parser.getBuilder().getF64FloatAttr(*real);
  return failure(failed(real));
}

static void printReal(OpAsmPrinter &printer, Operation *, FloatAttr attribute) { printReal(printer, attribute.getValueAsDouble()); }

// custom<Variants>: a variant that is for all steps and has no name as "@kernel grid(...) scratch(...)", several as they are.
static bool isPlain(ArrayAttr variants) {
  if (variants.size() != 1)
    return false;
  auto variant = cast<VariantAttr>(variants[0]);
  return !variant.getGuard() && !variant.getName() && !variant.getReason() && !variant.getReassociating();
}

static ParseResult parseVariants(OpAsmParser &parser, ArrayAttr &variants) {
  if (succeeded(parser.parseOptionalKeyword("variants"))) {
    const SMLoc begin = parser.getCurrentLocation();
    if (parser.parseAttribute(variants))
      return failure();
    if (!llvm::all_of(variants, llvm::IsaPred<VariantAttr>))
      return parser.emitError(begin) << "expected an array of #ds4.variant, got " << variants;
    return success();
  }
  FlatSymbolRefAttr kernel;
  AffineMapAttr grid;
  int64_t scratch = 0;
  const SMLoc begin = parser.getCurrentLocation();
  if (parser.parseAttribute(kernel) || parser.parseKeyword("grid") || parser.parseLParen() || parser.parseAttribute(grid) ||
      parser.parseRParen())
    return failure();
  if (succeeded(parser.parseOptionalKeyword("scratch")) &&
      (parser.parseLParen() || parser.parseInteger(scratch) || parser.parseRParen()))
    return failure();
  auto variant = VariantAttr::getChecked([&] { return parser.emitError(begin); }, parser.getContext(), kernel, grid, scratch,
                                         IntegerSetAttr(), StringAttr(), StringAttr(), false);
  if (!variant)
    return failure();
  variants = parser.getBuilder().getArrayAttr({variant});
  return success();
}

static void printVariants(OpAsmPrinter &printer, Operation *, ArrayAttr variants) {
  if (!isPlain(variants)) {
    printer << "variants " << variants;
    return;
  }
  auto variant = cast<VariantAttr>(variants[0]);
  printer << variant.getKernel() << " grid(" << variant.getGrid() << ")";
  if (variant.getScratch())
    printer << " scratch(" << variant.getScratch() << ")";
}

} // namespace ds4

#define GET_OP_CLASSES
#include "ir/Ds4Ops.cpp.inc"

namespace ds4 {

static int64_t lastSize(Value value) { return shapeOf(value.getType())->back(); }

static LogicalResult verifyRopeFits(Operation *op, RopeAttr rope, int64_t channels) {
  if (rope.getDims() > channels)
    return op->emitOpError() << "rope turns " << rope.getDims() << " channels of rows that have " << channels;
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getX().getType()), to = cast<RankedTensorType>(getResult().getType());
  auto isPerToken = [](RankedTensorType type) {
    return type.getRank() > 0 && llvm::none_of(type.getShape().drop_front(), ShapedType::isDynamic);
  };
  auto elements = [](RankedTensorType type) { return ShapedType::getNumElements(type.getShape().drop_front()); };
  if (isPerToken(from) && isPerToken(to) && from.getDimSize(0) == to.getDimSize(0) && elements(from) == elements(to) &&
      from.getElementType() == to.getElementType())
    return success();
  return emitOpError() << "must keep the tokens, the elements of a token and their type, got " << from << " -> " << to;
}

LogicalResult RopeOp::verifyDetails() {
  const int64_t rank = shapeOf(getX().getType())->size();
  if (rank > 3)
    return emitOpError() << "operand 'x' must have shape [T,d] or [T,H,d], got rank " << rank;
  return verifyRopeFits(*this, getRope(), lastSize(getX()));
}

LogicalResult QuantizeActivationOp::verifyDetails() {
  if (lastSize(getX()) % getBlock())
    return emitOpError() << "rows of " << lastSize(getX()) << " values are not whole blocks of " << getBlock();
  return success();
}

LogicalResult WindowCopyOp::verifyDetails() {
  const StateType to = getTo().getType(), from = getFrom().getType();
  if (to.getElement() != from.getElement())
    return emitOpError() << "operands must have one element, got " << to.getElement() << " and " << from.getElement();
  for (StateType ring : {to, from})
    if (ring.getRows() < static_cast<int64_t>(getWindowSize()))
      return emitOpError() << "rings must have a slot for each of the window's " << getWindowSize() << " positions, got "
                           << ring.getRows();
  return success();
}

LogicalResult WindowReadOp::verifyDetails() {
  const int64_t width = getRing().getType().getCols(), end = static_cast<int64_t>(getFirst() + getCols());
  if (end > width)
    return emitOpError() << "the ring's rows have " << width << " channels, fewer than " << end;
  return success();
}

LogicalResult CompressOp::verifyDetails() {
  const int64_t ratio = getRatio(), d = lastSize(getNorm()), width = lastSize(getKv());
  if (ratio != 4 && ratio != 128)
    return emitOpError() << "ratio must be 4 or 128, got " << ratio;
  const bool overlapping = ratio == 4;
  if (width != (overlapping ? 2 * d : d))
    return emitOpError() << "operand 'kv' must have " << (overlapping ? 2 * d : d) << " columns for ratio " << ratio
                         << " and rows of " << d << " channels, got " << width;
  const int64_t pooled = overlapping ? 2 * ratio : ratio, slots = getOpen().getType().getRows();
  if (slots <= pooled)
    return emitOpError() << "operand 'open' must have more slots than the " << pooled << " tokens that are pooled, got " << slots;
  return verifyRopeFits(*this, getRope(), d);
}

template <typename Attention> static LogicalResult verifyCandidates(Attention op) {
  const int64_t slots = op.getWindow().getType().getRows();
  if (slots <= static_cast<int64_t>(op.getWindowSize()))
    return op.emitOpError() << "operand 'window' must have more slots than the window's " << op.getWindowSize()
                            << " positions, got " << slots;
  if (static_cast<bool>(op.getRows()) != (op.getRatio() > 0))
    return op.emitOpError() << "ratio must be positive exactly when compressed rows are given, got " << op.getRatio()
                            << (op.getRows() ? " with rows" : " without rows");
  if (op.getPicks() && !op.getRows())
    return op.emitOpError() << "picks need compressed rows to pick from";
  return success();
}

LogicalResult AttendOp::verifyDetails() {
  if (failed(verifyCandidates(*this)))
    return failure();
  const auto slots = getWindow().getType().getRows(), needed = static_cast<int64_t>(getWindowSize()) + kMaxWidth;
  if (getBlock() && getRows())
    return emitOpError() << "a block sees window rows alone";
  if (getBlock() && slots < needed)
    return emitOpError() << "a block needs a window of " << needed << " slots, got " << slots;
  return success();
}

LogicalResult MaskedAttentionOp::verifyDetails() {
  if (failed(verifyCandidates(*this)))
    return failure();
  return verifyRopeFits(*this, getRope(), lastSize(getQ()));
}

LogicalResult HcSiteOp::verifyDetails() {
  if (static_cast<bool>(getY()) != static_cast<bool>(getPreviousPost()) ||
      static_cast<bool>(getY()) != static_cast<bool>(getPreviousComb()))
    return emitOpError() << "operands 'y', 'previous_post' and 'previous_comb' are given together or not at all";
  if (getDeferred().value_or(0) >= getIterations())
    return emitOpError() << "of " << getIterations() << " iterations all but the first can be deferred, got " << *getDeferred();
  if (getDue() && !getPreviousComb())
    return emitOpError() << "rounds are due of operand 'previous_comb', which is not given";
  return success();
}

LogicalResult RouterOp::verifyDetails() {
  if (static_cast<int64_t>(getK()) > lastSize(getLogits()))
    return emitOpError() << "k must be at most the number of experts " << lastSize(getLogits()) << ", got " << getK();
  return success();
}

LogicalResult MoeRouteOp::verifyDetails() {
  if (static_cast<bool>(getTokens()) != static_cast<bool>(getTable()) ||
      static_cast<bool>(getBias()) == static_cast<bool>(getTable()))
    return emitOpError() << "experts are chosen either by 'bias' or by 'tokens' and 'table'";
  const int64_t experts = shapeOf(getRouter().getType())->front();
  if (static_cast<int64_t>(getK()) > experts)
    return emitOpError() << "k must be at most the number of experts " << experts << ", got " << getK();
  return success();
}

// x has one row a token, or one a slot.
static LogicalResult verifyInputs(Operation *op, Value x, int64_t slots) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(x.getType()).getShape();
  if (shape.size() == 2 || (shape.size() == 3 && shape[1] == slots))
    return success();
  return op->emitOpError() << "operand 'x' must have shape [T,K] or [T,U,K] with U = " << slots << ", got " << x.getType();
}

// Chunks' products read halves with their scales; other fast products read halves without, and floats have no scales.
static LogicalResult verifyScales(Operation *op, Value x, Value scales, bool isChunk) {
  const bool halves = cast<RankedTensorType>(x.getType()).getElementType().isF16();
  if (scales && !halves)
    return op->emitOpError() << "scales are for operand 'x' of halves, got " << x.getType();
  if (isChunk && halves && !scales)
    return op->emitOpError() << "operand 'x' of halves needs scales";
  return success();
}
LogicalResult LinearOp::verifyDetails() { return verifyScales(*this, getX(), getScales(), /*isChunk=*/false); }
LogicalResult GroupedLinearOp::verifyDetails() { return verifyScales(*this, getX(), getScales(), /*isChunk=*/true); }

LogicalResult ExpertLinearOp::verifyDetails() { return verifyInputs(*this, getX(), getIds().getType().getShape()[1]); }

LogicalResult GroupedExpertLinearOp::verifyDetails() {
  const int64_t experts = getWeight().getType().getShape()[0], starts = getStarts().getType().getShape()[0];
  if (starts != experts + 1)
    return emitOpError() << "operand 'starts' must have " << experts + 1 << " elements for " << experts << " experts, got "
                         << starts;
  if (failed(verifyScales(*this, getX(), getScales(), /*isChunk=*/true)))
    return failure();
  return verifyInputs(*this, getX(), getOrder().getType().getShape()[1]);
}

LogicalResult KernelOp::verify() {
  constexpr int64_t kWave = 32, kMaxBlock = 1024, kMaxVgprs = 256, kMaxLds = 65536;
  if (getBlock() % kWave || getBlock() > kMaxBlock)
    return emitOpError() << "block must be a multiple of " << kWave << " up to " << kMaxBlock << ", got " << getBlock();
  if (getVgprs() > kMaxVgprs)
    return emitOpError() << "a budget has at most " << kMaxVgprs << " VGPRs, got " << getVgprs();
  if (getLdsBytes() > kMaxLds)
    return emitOpError() << "a budget has at most " << kMaxLds << " bytes of LDS, got " << getLdsBytes();
  return success();
}

SmallVector<Operation *> SharedLaunchOp::getParts() {
  SmallVector<Operation *> parts;
  for (Operation &op : getBody().front().without_terminator())
    if (!isa<ReshapeOp>(op))
      parts.push_back(&op);
  return parts;
}

OpResult SharedLaunchOp::getYielded(unsigned result) {
  return cast<OpResult>(getBody().front().getTerminator()->getOperand(result));
}

LogicalResult SharedLaunchOp::verify() {
  SmallVector<Value> results;
  for (Operation &op : getBody().front().without_terminator()) {
    if (isa<ReshapeOp>(op))
      continue;
    if (!isa<PrimitiveOpInterface>(op))
      return op.emitOpError() << "cannot share a launch: expected primitive ops and reshapes";
    llvm::append_range(results, op.getResults());
  }
  if (!llvm::equal(results, getBody().front().getTerminator()->getOperands()))
    return emitOpError() << "must yield the results of its ops, all of them and in order";
  if (ValueRange(results).getTypes() != getResultTypes())
    return emitOpError() << "must have the types of the values that it yields";
  return success();
}

LogicalResult LaunchOp::verify() {
  if (getVariants().empty())
    return emitOpError() << "must have a variant";
  if (getUpdates().size() != getNumResults())
    return emitOpError() << "updates must have one entry for each of the " << getNumResults() << " results, got "
                         << getUpdates().size();
  for (auto [update, result] : llvm::zip_equal(getUpdates(), getResults())) {
    const bool isState = isa<StateType>(result.getType());
    if (!isState && update != -1)
      return emitOpError() << "result #" << result.getResultNumber() << " is no state and updates nothing: expected -1, got "
                           << update;
    if (!isState)
      continue;
    if (update < 0 || update >= static_cast<int64_t>(getInputs().size()))
      return emitOpError() << "result #" << result.getResultNumber() << " must update one of the " << getInputs().size()
                           << " operands, got " << update;
    if (getInputs()[update].getType() != result.getType())
      return emitOpError() << "result #" << result.getResultNumber() << " must have the type " << getInputs()[update].getType()
                           << " of the operand that it updates, got " << result.getType();
  }
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto variant : getVariants().getAsRange<VariantAttr>())
    if (!symbols.lookupNearestSymbolFrom<KernelOp>(*this, variant.getKernel()))
      return emitOpError() << "no ds4.kernel named " << variant.getKernel();
  return success();
}

int64_t LaunchOp::getScratchBytes() {
  int64_t bytes = 0;
  for (auto variant : getVariants().getAsRange<VariantAttr>())
    bytes = std::max(bytes, variant.getScratch());
  return bytes;
}

} // namespace ds4
