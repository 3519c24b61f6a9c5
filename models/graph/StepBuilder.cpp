#include "models/graph/StepBuilder.h"

#include "mlir/IR/Verifier.h"

#include "codegen/kernels/step.h"
#include "support/Error.h"

namespace ds4 {

constexpr int64_t kOpenSlots4 = 8 + kMaxWidth; // eight pooled tokens and a whole step

StepBuilder::StepBuilder(mlir::MLIRContext &context, const ModelTable &model, const GraphOptions &options)
    : model_(model), d_(&model.description()), options_(options), b_(&context),
      module_(mlir::ModuleOp::create(b_.getUnknownLoc())) {
  context.getOrLoadDialect<Ds4Dialect>();
  context.getOrLoadDialect<mlir::func::FuncDialect>();
  if (options.context < 1)
    userError("context {}: choose at least one position", options.context);
  rowType_ = options.rows == RowElement::F16 ? Type(b_.getF16Type()) : Type(b_.getF32Type());
}

void StepBuilder::enterDrafter() {
  d_ = &model_.drafter()->blocks;
  prefix_ = prefixOf(model_.drafter()->kind);
  addDrafterStates();
}

void StepBuilder::startFunction() {
  b_.setInsertionPointToEnd(module_->getBody());
  Type ids = mlir::RankedTensorType::get({mlir::ShapedType::kDynamic}, b_.getI32Type());
  function_ = mlir::func::FuncOp::create(b_, b_.getUnknownLoc(), "step", b_.getFunctionType({}, {}));
  mlir::Block *body = b_.createBlock(&function_.getBody());
  b_.setInsertionPointToEnd(body);
  tokens_ = addArgument("tokens", ids);
  pos_ = addArgument("pos", b_.getIndexType());
}

mlir::Value StepBuilder::addArgument(const std::string &name, Type type) {
  argumentNames_.push_back(name);
  return function_.getBody().front().addArgument(type, mlir::NameLoc::get(b_.getStringAttr(name)));
}

int StepBuilder::addState(const std::string &name, StateKind kind, int64_t rows, int64_t cols, Type element) {
  Value value = addArgument(name, StateType::get(b_.getContext(), kind, {rows, cols}, element));
  states_.push_back({name, value});
  return static_cast<int>(states_.size()) - 1;
}

void StepBuilder::addStates(int layer) {
  int64_t ratio = d_->ratios[layer];
  LayerStates states;
  states.window = addState(prefix_ + path(layer, "window"), StateKind::Window, d_->window + kMaxWidth, d_->headWidth, rowType_);
  if (ratio > 0) {
    int64_t slots = ratio == 4 ? kOpenSlots4 : ratio + kMaxWidth;
    int64_t capacity = std::max<int64_t>(options_.context / ratio, 1);
    int64_t factor = ratio == 4 ? 2 : 1; // ratio 4 pools overlapping windows: projections of double width
    states.open = addState(prefix_ + path(layer, "open"), StateKind::Open, slots, 2 * factor * d_->headWidth, b_.getF32Type());
    states.compressed = addState(prefix_ + path(layer, "compressed"), StateKind::Compressed, capacity, d_->headWidth, rowType_);
    if (ratio == 4) {
      states.indexerOpen =
          addState(prefix_ + path(layer, "indexer_open"), StateKind::Open, slots, 2 * factor * d_->indexerWidth, b_.getF32Type());
      states.indexer = addState(prefix_ + path(layer, "indexer"), StateKind::Indexer, capacity, d_->indexerWidth, rowType_);
    }
  }
  layerStates_[prefix_ + path(layer, "")] = states;
}

// What the model's step keeps for the drafter: rings of its rows, or the ring of streams that a next-token block makes its rows of.
void StepBuilder::addDrafterStates() {
  if (draftsByMtp())
    mtpStreams_ =
        addState(prefix_ + "streams", StateKind::Window, drafterSlots(), int64_t{d_->streams} * d_->width, b_.getF32Type());
  else
    addDrafterRings();
}

void StepBuilder::addDrafterRings() {
  for (int layer = 0; layer < int(d_->blocks); ++layer)
    layerStates_[prefix_ + path(layer, "")].window =
        addState(prefix_ + path(layer, "window"), StateKind::Window, drafterSlots(), d_->headWidth, rowType_);
}

mlir::OwningOpRef<mlir::ModuleOp> StepBuilder::finish() {
  mlir::SmallVector<Value> results;
  mlir::SmallVector<Type> types;
  mlir::SmallVector<mlir::Attribute> resultNames;
  auto addResult = [&](const std::string &name, Value value) {
    results.push_back(value);
    types.push_back(value.getType());
    resultNames.push_back(named(name));
  };
  for (const auto &[name, value] : outputs_)
    addResult(name, value);
  for (const State &state : states_)
    addResult(state.name, state.value);
  mlir::func::ReturnOp::create(b_, b_.getUnknownLoc(), results);
  function_.setType(b_.getFunctionType(function_.getBody().front().getArgumentTypes(), types));
  for (size_t i = 0; i < argumentNames_.size(); ++i)
    function_.setArgAttr(i, "ds4.name", b_.getStringAttr(argumentNames_[i]));
  function_.setResAttrsAttr(b_.getArrayAttr(resultNames));
  if (failed(mlir::verify(*module_)))
    internalError("the graph of model '{}' is not well formed", d_->name);
  return std::move(module_);
}

mlir::Attribute StepBuilder::named(const std::string &name) {
  return b_.getDictionaryAttr(b_.getNamedAttr("ds4.name", b_.getStringAttr(name)));
}

mlir::Type StepBuilder::activation(std::initializer_list<int64_t> trailing) {
  mlir::SmallVector<int64_t> shape{mlir::ShapedType::kDynamic};
  shape.append(trailing);
  return mlir::RankedTensorType::get(shape, b_.getF32Type());
}

mlir::Value StepBuilder::sharedWeight(const std::string &name) {
  auto &known = weights_[name];
  if (!known) {
    const Weight &tensor = model_.weight(name);
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(&function_.getBody().front());
    Type type = QuantizedType::get(b_.getContext(), tensor.shape, tensor.format->id);
    known =
        WeightOp::create(b_, mlir::NameLoc::get(b_.getStringAttr(name)), type, mlir::FlatSymbolRefAttr::get(b_.getContext(), name));
  }
  return known;
}
RopeAttr StepBuilder::rope(int layer) {
  bool compressed = d_->ratios[layer] > 0;
  return RopeAttr::get(b_.getContext(), d_->ropeWidth, Real{compressed ? d_->compressRopeBase : d_->ropeBase},
                       Real{compressed ? d_->yarnFactor : 1.0}, compressed ? d_->yarnOriginalContext : 0,
                       Real{compressed ? d_->yarnBetaFast : 0.0}, Real{compressed ? d_->yarnBetaSlow : 0.0},
                       mlir::DenseF32ArrayAttr());
}

} // namespace ds4
