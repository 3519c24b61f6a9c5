#include "ir/reference/Interpreter.h"

#include <algorithm>

#include <llvm/ADT/TypeSwitch.h>

#include "support/Error.h"
#include "support/RopeTable.h"

namespace ds4::reference {
namespace {

std::string nameOf(mlir::Attribute attribute) {
  auto name = llvm::dyn_cast_or_null<mlir::StringAttr>(attribute);
  if (!name)
    internalError("reference: an argument or result of the step function has no {}", llvm::StringRef(Ds4Dialect::kName).str());
  return name.str();
}

std::string argumentName(mlir::func::FuncOp step, unsigned index) { return nameOf(step.getArgAttr(index, Ds4Dialect::kName)); }

std::vector<float> frequenciesOf(RopeAttr rope) {
  if (auto folded = rope.getFrequencies())
    return folded.asArrayRef();
  return ropeFrequencies(rope.getParameters());
}

Scheme schemeOf(QuantizationScheme scheme) {
  switch (scheme) {
  case QuantizationScheme::Fp8:
    return Scheme::Fp8;
  case QuantizationScheme::Fp4:
    return Scheme::Fp4;
  case QuantizationScheme::Int8:
    return Scheme::Int8;
  }
  internalError("reference: a rounding scheme without a reference");
}

} // namespace

// The values of one step, and how each op makes its results of them.
class Interpreter::Step {
public:
  Step(Interpreter &interpreter, const StepInput &input) : interpreter_(interpreter), input_(input) {
    for (mlir::BlockArgument argument : interpreter.step_.getArguments())
      bind(argument, argumentName(interpreter.step_, argument.getArgNumber()));
  }

  std::map<std::string, Tensor> run(const Observer &observer) {
    std::map<std::string, Tensor> outputs;
    for (mlir::Operation &op : interpreter_.step_.getOps()) {
      if (auto end = llvm::dyn_cast<mlir::func::ReturnOp>(op)) {
        for (auto [index, value] : llvm::enumerate(end.getOperands()))
          if (tensors_.contains(value))
            outputs[nameOf(interpreter_.step_.getResultAttr(index, Ds4Dialect::kName))] = tensors_[value];
        continue;
      }
      evaluate(op);
      notify(op, observer);
    }
    return outputs;
  }

private:
  void bind(mlir::BlockArgument argument, const std::string &name) {
    if (argument.getType().isIndex())
      return;
    if (llvm::isa<StateType>(argument.getType())) {
      states_[argument] = &interpreter_.state(name);
    } else if (auto given = input_.tensors.find(name); given != input_.tensors.end()) {
      tensors_[argument] = given->second;
    } else if (name == "tokens" || name == Ds4Dialect::kIdsInput) {
      tensors_[argument] = Tensor({static_cast<int64_t>(input_.tokens.size())}, {input_.tokens.begin(), input_.tokens.end()});
    } else {
      internalError("reference: the step needs the input \"{}\"", name);
    }
  }

  void notify(mlir::Operation &op, const Observer &observer) {
    llvm::SmallVector<Tensor *> results;
    for (mlir::Value result : op.getResults())
      if (auto found = tensors_.find(result); found != tensors_.end())
        results.push_back(&found->second);
    if (observer && !results.empty())
      observer(&op, results);
  }

  const Tensor &tensor(mlir::Value value) const { return tensors_.find(value)->second; }
  const Weight &weight(mlir::Value value) const { return interpreter_.weights_.find(value)->second; }
  State &state(mlir::Value value) const { return *states_.lookup(value); }
  int64_t pos() const { return input_.pos; }

  void define(mlir::Value value, Tensor tensor) { tensors_[value] = std::move(tensor); }
  // In memory every version of a state is one buffer.
  void update(mlir::Value value, mlir::Value previous) { states_[value] = states_.lookup(previous); }

  void loadWeight(WeightOp op) {
    if (interpreter_.weights_.contains(op.getValue()))
      return;
    auto type = llvm::cast<QuantizedType>(op.getValue().getType());
    std::span<const float> values = interpreter_.weightSource_(op.getWeight(), type);
    Shape shape(type.getShape());
    if (static_cast<int64_t>(values.size()) != elementCount(shape))
      internalError("reference: weight \"{}\" has {} values, its type {}", op.getWeight().str(), values.size(),
                    elementCount(shape));
    interpreter_.weights_[op.getValue()] = {std::move(shape), values};
  }

  Tensor reshaped(ReshapeOp op) const {
    Tensor out = tensor(op.getX());
    auto type = llvm::cast<mlir::RankedTensorType>(op.getResult().getType());
    Shape shape{out.tokens()};
    llvm::append_range(shape, type.getShape().drop_front());
    return Tensor(std::move(shape), std::move(out.values));
  }

  template <typename Attention> AttendOptions optionsOf(Attention op) const {
    return {.scale = op.getScale(),
            .window = static_cast<int64_t>(op.getWindowSize()),
            .ratio = static_cast<int64_t>(op.getRatio()),
            .rows = op.getRows() ? &state(op.getRows()) : nullptr,
            .picks = op.getPicks() ? &tensor(op.getPicks()) : nullptr};
  }

  HcSite site(HcSiteOp op) const {
    HcSiteOptions options{.iterations = static_cast<int64_t>(op.getIterations()),
                          .deferred = static_cast<int64_t>(op.getDeferred().value_or(0)),
                          .due = static_cast<int64_t>(op.getDue().value_or(0)),
                          .eps = op.getEps(),
                          .hcEps = op.getHcEps(),
                          .normEps = op.getNormEps()};
    if (op.getY()) {
      options.y = &tensor(op.getY());
      options.post = &tensor(op.getPreviousPost());
      options.comb = &tensor(op.getPreviousComb());
    }
    return hcSite(tensor(op.getStreams()), weight(op.getFn()), weight(op.getBase()), weight(op.getScale()), weight(op.getNorm()),
                  options);
  }

  MoeRoute route(MoeRouteOp op) const {
    MoeRouteOptions options{.k = static_cast<int64_t>(op.getK()), .scale = op.getScale(), .limit = op.getLimit()};
    if (op.getBias())
      options.bias = &weight(op.getBias());
    else
      options.tokens = &tensor(op.getTokens()), options.table = &weight(op.getTable());
    return moeRoute(tensor(op.getX()), weight(op.getRouter()), weight(op.getGate()), weight(op.getUp()), options);
  }

  Tensor sampled(SampleOp op) const {
    const Tensor &logits = tensor(op.getLogits());
    std::vector<double> uniforms = input_.uniforms;
    uniforms.resize(std::max<size_t>(uniforms.size(), logits.tokens()));
    return sample(logits, input_.temperature, input_.topP, uniforms);
  }

  Tensor scaled(mlir::Value x, mlir::Value scales) { return scales ? scaledRows(tensor(x), tensor(scales)) : tensor(x); }

  void evaluate(mlir::Operation &operation) {
    llvm::TypeSwitch<mlir::Operation *>(&operation)
        .Case([&](WeightOp op) { loadWeight(op); })
        .Case([&](EmbedOp op) { define(op.getResult(), embed(tensor(op.getTokens()), weight(op.getTable()), op.getStreams())); })
        .Case([&](RmsNormOp op) { define(op.getResult(), rmsNorm(tensor(op.getX()), weight(op.getWeight()), op.getEps())); })
        .Case([&](HeadNormOp op) { define(op.getResult(), headNorm(tensor(op.getX()), op.getEps())); })
        .Case([&](ReshapeOp op) { define(op.getResult(), reshaped(op)); })
        .Case([&](LinearOp op) { define(op.getResult(), linear(scaled(op.getX(), op.getScales()), weight(op.getWeight()))); })
        .Case([&](GroupedLinearOp op) {
          define(op.getResult(), groupedLinear(scaled(op.getX(), op.getScales()), weight(op.getWeight()), op.getGroups()));
        })
        .Case([&](RopeOp op) {
          const std::optional<double> eps = op.getNormEps();
          define(op.getResult(), rope(eps ? headNorm(tensor(op.getX()), *eps) : tensor(op.getX()), pos(),
                                      frequenciesOf(op.getRope()), op.getInverse()));
        })
        .Case([&](AddOp op) { define(op.getResult(), add(tensor(op.getA()), tensor(op.getB()))); })
        .Case([&](ConcatOp op) { define(op.getResult(), concat(tensor(op.getA()), tensor(op.getB()))); })
        .Case([&](StreamMeanOp op) { define(op.getResult(), streamMean(tensor(op.getStreams()))); })
        .Case([&](ShiftTokensOp op) { define(op.getResult(), shiftTokens(tensor(op.getTokens()), tensor(op.getNext()))); })
        .Case([&](QuantizeActivationOp op) {
          define(op.getResult(), quantizeActivation(tensor(op.getX()), schemeOf(op.getScheme()), op.getBlock()));
        })
        .Case([&](ToHalfOp op) { define(op.getResult(), toHalf(tensor(op.getX()))); })
        .Case([&](ScaleToHalfOp op) {
          ScaledHalves scaled = scaleToHalf(tensor(op.getX()));
          define(op.getHalves(), std::move(scaled.halves));
          define(op.getScales(), std::move(scaled.scales));
        })
        .Case([&](ArgmaxOp op) { define(op.getResult(), argmax(tensor(op.getLogits()))); })
        .Case([&](SampleOp op) { define(op.getResult(), sampled(op)); })
        .Case([&](HcCoefficientsOp op) {
          define(op.getResult(), hcCoefficients(tensor(op.getStreams()), weight(op.getFn()), weight(op.getBase()),
                                                weight(op.getScale()), op.getEps()));
        })
        .Case([&](SinkhornOp op) {
          Sinkhorn mix = sinkhorn(tensor(op.getCoefficients()), op.getIterations(), op.getEps());
          define(op.getPre(), std::move(mix.pre));
          define(op.getPost(), std::move(mix.post));
          define(op.getComb(), std::move(mix.comb));
        })
        .Case([&](HcReadOp op) { define(op.getResult(), hcRead(tensor(op.getStreams()), tensor(op.getPre()))); })
        .Case([&](HcWriteOp op) {
          define(op.getResult(), hcWrite(tensor(op.getY()), tensor(op.getStreams()), tensor(op.getPost()), tensor(op.getComb())));
        })
        .Case([&](HcHeadOp op) {
          define(op.getResult(), hcHead(tensor(op.getStreams()), weight(op.getFn()), weight(op.getBase()), weight(op.getScale()),
                                        op.getEps(), op.getHcEps()));
        })
        .Case([&](HcSiteOp op) {
          HcSite made = site(op);
          define(op.getNewStreams(), std::move(made.streams));
          define(op.getPost(), std::move(made.post));
          define(op.getComb(), std::move(made.comb));
          define(op.getX(), std::move(made.x));
        })
        .Case([&](WindowAppendOp op) {
          windowAppend(state(op.getState()), tensor(op.getRow()), pos());
          update(op.getUpdated(), op.getState());
        })
        .Case([&](WindowCopyOp op) {
          windowCopy(state(op.getTo()), state(op.getFrom()), pos(), op.getWindowSize());
          update(op.getUpdated(), op.getTo());
        })
        .Case([&](WindowReadOp op) {
          define(op.getResult(),
                 windowRead(state(op.getRing()), pos(), static_cast<int64_t>(input_.tokens.size()), op.getFirst(), op.getCols()));
        })
        .Case([&](CompressOp op) {
          compress(state(op.getOpen()), state(op.getRows()), tensor(op.getKv()), tensor(op.getGate()), weight(op.getApe()),
                   weight(op.getNorm()), pos(), op.getRatio(), op.getEps(), frequenciesOf(op.getRope()));
          update(op.getUpdatedOpen(), op.getOpen());
          update(op.getUpdatedRows(), op.getRows());
        })
        .Case([&](IndexScoreOp op) {
          define(op.getResult(),
                 indexScore(tensor(op.getQ()), tensor(op.getWeights()), state(op.getRows()), pos(), op.getRatio(), op.getScale()));
        })
        .Case([&](SelectTopKOp op) { define(op.getResult(), selectTopK(tensor(op.getScores()), pos(), op.getK(), op.getRatio())); })
        .Case([&](AttendOp op) {
          AttendOptions options = optionsOf(op);
          options.block = op.getBlock();
          define(op.getResult(), attend(tensor(op.getQ()), state(op.getWindow()), weight(op.getSinks()), pos(), options));
        })
        .Case([&](MaskedAttentionOp op) {
          define(op.getResult(), maskedAttention(tensor(op.getQ()), state(op.getWindow()), weight(op.getSinks()), pos(),
                                                 optionsOf(op), frequenciesOf(op.getRope())));
        })
        .Case([&](RouterOp op) {
          Routing routing = router(tensor(op.getLogits()), weight(op.getBias()), op.getK(), op.getScale());
          define(op.getIds(), std::move(routing.ids));
          define(op.getWeights(), std::move(routing.weights));
        })
        .Case([&](HashRouterOp op) {
          Routing routing = hashRouter(tensor(op.getLogits()), tensor(op.getTokens()), weight(op.getTable()), op.getScale());
          define(op.getIds(), std::move(routing.ids));
          define(op.getWeights(), std::move(routing.weights));
        })
        .Case([&](ExpertLinearOp op) {
          define(op.getResult(), expertLinear(tensor(op.getX()), tensor(op.getIds()), weight(op.getWeight())));
        })
        .Case([&](GroupSlotsOp op) {
          SlotGroups groups = groupSlots(tensor(op.getIds()), op.getExperts());
          define(op.getOrder(), std::move(groups.order));
          define(op.getStarts(), std::move(groups.starts));
        })
        .Case([&](GroupedExpertLinearOp op) {
          define(op.getResult(), groupedExpertLinear(scaled(op.getX(), op.getScales()), tensor(op.getOrder()),
                                                     tensor(op.getStarts()), weight(op.getWeight())));
        })
        .Case([&](SwigluOp op) { define(op.getResult(), swiglu(tensor(op.getGate()), tensor(op.getUp()), op.getLimit())); })
        .Case([&](CombineOp op) { define(op.getResult(), combine(tensor(op.getY()), tensor(op.getWeights()))); })
        .Case([&](MoeRouteOp op) {
          MoeRoute made = route(op);
          define(op.getIds(), std::move(made.routing.ids));
          define(op.getWeights(), std::move(made.routing.weights));
          define(op.getHidden(), std::move(made.hidden));
        })
        .Case([&](MoeGateUpOp op) {
          define(op.getResult(), moeGateUp(tensor(op.getX()), tensor(op.getIds()), tensor(op.getWeights()), weight(op.getGate()),
                                           weight(op.getUp()), op.getLimit()));
        })
        .Case([&](MoeDownOp op) {
          define(op.getResult(), moeDown(tensor(op.getH()), tensor(op.getIds()), tensor(op.getWeights()), weight(op.getDown()),
                                         tensor(op.getHs()), weight(op.getShared())));
        })
        .Default([](mlir::Operation *op) { internalError("reference: no meaning for {}", op->getName().getStringRef().str()); });
  }

  Interpreter &interpreter_;
  const StepInput &input_;
  llvm::DenseMap<mlir::Value, Tensor> tensors_;
  llvm::DenseMap<mlir::Value, State *> states_;
};

Interpreter::Interpreter(mlir::func::FuncOp step, WeightSource weights) : step_(step), weightSource_(std::move(weights)) {
  for (mlir::BlockArgument argument : step_.getArguments())
    if (auto type = llvm::dyn_cast<StateType>(argument.getType()))
      states_[argumentName(step_, argument.getArgNumber())] =
          std::make_unique<State>(type.getRows(), type.getCols(), type.getElement().isF16() ? Element::F16 : Element::F32);
}

std::map<std::string, Tensor> Interpreter::run(const StepInput &input, const Observer &observer) {
  return Step(*this, input).run(observer);
}

State &Interpreter::state(const std::string &name) {
  auto found = states_.find(name);
  if (found == states_.end())
    internalError("reference: the step has no state \"{}\"", name);
  return *found->second;
}

void Interpreter::reset() {
  for (auto &[name, state] : states_)
    state->reset();
}

} // namespace ds4::reference
