#include "models/graph/GraphBuilder.h"

#include <cmath>
#include <map>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

#include "ir/Ds4Dialect.h"
#include "ir/Ds4Ops.h"
#include "codegen/kernels/step.h"
#include "support/Error.h"

namespace ds4 {

namespace {

using mlir::Type;
using mlir::Value;

constexpr int64_t kOpenSlots4 = 8 + kMaxWidth; // eight pooled tokens and a whole step

// Creates an op at a named place of the model.
struct Place {
  mlir::OpBuilder &builder;
  mlir::Location location;
  template <typename Op, typename... Args> auto create(Args &&...args) {
    return Op::create(builder, location, std::forward<Args>(args)...);
  }
};

// Writes ops one after another; every method returns the value it made.
class Builder {
public:
  Builder(mlir::MLIRContext &context, const ModelTable &model, const GraphOptions &options)
      : model_(model), d_(model.description()), options_(options), b_(&context), module_(mlir::ModuleOp::create(b_.getUnknownLoc())) {
    context.getOrLoadDialect<Ds4Dialect>();
    context.getOrLoadDialect<mlir::func::FuncDialect>();
    if (options.maxWidth < 1 || options.maxWidth > 8)
      userError("width {}: choose 1 to 8", options.maxWidth);
    if (options.context < 1)
      userError("context {}: choose at least one position", options.context);
    rowType_ = options.rows == RowElement::F16 ? Type(b_.getF16Type()) : Type(b_.getF32Type());
  }

  mlir::OwningOpRef<mlir::ModuleOp> buildStep() {
    startFunction();
    for (int layer = 0; layer < int(d_.blocks); ++layer)
      addStates(layer);
    Value streams = at("embed").create<EmbedOp>(tokens_, weight("token_embd.weight"), d_.streams);
    for (int layer = 0; layer < int(d_.blocks); ++layer) {
      streams = buildLayer(layer, streams, path(layer, ""));
      if (options_.taps)
        output(path(layer, "streams"), streams);
    }
    buildHead(streams);
    return finish();
  }

  mlir::OwningOpRef<mlir::ModuleOp> buildLayerAlone(int layer) {
    startFunction();
    Value streams = addArgument("streams", activation({d_.streams, d_.width}));
    addStates(layer);
    output("streams_out", buildLayer(layer, streams, ""));
    return finish();
  }

private:
  Place at(const std::string &name) { return {b_, mlir::NameLoc::get(b_.getStringAttr(name))}; }

  struct LayerStates {
    int window = -1, open = -1, compressed = -1, indexerOpen = -1, indexer = -1; // indices into states_
  };
  struct State {
    std::string name;
    Value value; // newest version
  };

  // --- The function's frame ---

  void startFunction() {
    b_.setInsertionPointToEnd(module_->getBody());
    Type ids = mlir::RankedTensorType::get({mlir::ShapedType::kDynamic}, b_.getI32Type());
    function_ = mlir::func::FuncOp::create(b_, b_.getUnknownLoc(), "step", b_.getFunctionType({}, {}));
    mlir::Block *body = b_.createBlock(&function_.getBody());
    b_.setInsertionPointToEnd(body);
    tokens_ = addArgument("tokens", ids);
    pos_ = addArgument("pos", b_.getIndexType());
  }

  Value addArgument(const std::string &name, Type type) {
    argumentNames_.push_back(name);
    return function_.getBody().front().addArgument(type, mlir::NameLoc::get(b_.getStringAttr(name)));
  }

  int addState(const std::string &name, StateKind kind, int64_t rows, int64_t cols, Type element) {
    Value value = addArgument(name, StateType::get(b_.getContext(), kind, {rows, cols}, element));
    states_.push_back({name, value});
    return static_cast<int>(states_.size()) - 1;
  }

  void addStates(int layer) {
    int64_t ratio = d_.ratios[layer];
    LayerStates states;
    states.window = addState(path(layer, "window"), StateKind::Window, d_.window + kMaxWidth, d_.headWidth, rowType_);
    if (ratio > 0) {
      int64_t slots = ratio == 4 ? kOpenSlots4 : ratio + kMaxWidth;
      int64_t capacity = std::max<int64_t>(options_.context / ratio, 1);
      int64_t factor = ratio == 4 ? 2 : 1; // ratio 4 pools overlapping windows: projections of double width
      states.open = addState(path(layer, "open"), StateKind::Open, slots, 2 * factor * d_.headWidth, b_.getF32Type());
      states.compressed = addState(path(layer, "compressed"), StateKind::Compressed, capacity, d_.headWidth, rowType_);
      if (ratio == 4) {
        states.indexerOpen = addState(path(layer, "indexer_open"), StateKind::Open, slots, 2 * factor * d_.indexerWidth, b_.getF32Type());
        states.indexer = addState(path(layer, "indexer"), StateKind::Indexer, capacity, d_.indexerWidth, rowType_);
      }
    }
    layerStates_[layer] = states;
  }

  void output(const std::string &name, Value value) { outputs_.push_back({name, value}); }

  mlir::OwningOpRef<mlir::ModuleOp> finish() {
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
      internalError("the graph of model '{}' is not well formed", d_.name);
    return std::move(module_);
  }

  mlir::Attribute named(const std::string &name) {
    return b_.getDictionaryAttr(b_.getNamedAttr("ds4.name", b_.getStringAttr(name)));
  }

  // --- Small pieces ---

  static std::string path(int layer, const std::string &rest) { return "blk." + std::to_string(layer) + "." + rest; }

  Type activation(std::initializer_list<int64_t> trailing) {
    mlir::SmallVector<int64_t> shape{mlir::ShapedType::kDynamic};
    shape.append(trailing);
    return mlir::RankedTensorType::get(shape, b_.getF32Type());
  }

  Value weight(const std::string &name) {
    auto &known = weights_[name];
    if (!known) {
      const Weight &tensor = model_.weight(name);
      mlir::OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(&function_.getBody().front());
      Type type = QuantizedType::get(b_.getContext(), tensor.shape, tensor.format->id);
      known = at(name).create<WeightOp>(type, mlir::FlatSymbolRefAttr::get(b_.getContext(), name));
    }
    return known;
  }
  Value layerWeight(int layer, const std::string &name) { return weight(path(layer, name)); }

  RopeAttr rope(int layer) {
    bool compressed = d_.ratios[layer] > 0;
    return RopeAttr::get(b_.getContext(), d_.ropeWidth, Real{compressed ? d_.compressRopeBase : d_.ropeBase},
                         Real{compressed ? d_.yarnFactor : 1.0}, compressed ? d_.yarnOriginalContext : 0,
                         Real{compressed ? d_.yarnBetaFast : 0.0}, Real{compressed ? d_.yarnBetaSlow : 0.0}, mlir::DenseF32ArrayAttr());
  }

  // --- Layers ---

  Value buildLayer(int layer, Value streams, const std::string &taps) {
    auto attention = [&](Value x, const std::string &place) { return buildAttention(layer, x, place, taps); };
    auto experts = [&](Value x, const std::string &place) { return buildExperts(layer, x, place, taps); };
    streams = buildSubLayer(layer, "attn", streams, taps, "attn.out", attention);
    return buildSubLayer(layer, "ffn", streams, taps, "mlp.out", experts);
  }

  // Read of the streams, norm, the body, write back.
  template <typename Body>
  Value buildSubLayer(int layer, const std::string &kind, Value streams, const std::string &taps, const std::string &outTap, Body body) {
    std::string place = path(layer, kind), hc = "hc_" + kind;
    Value coefficients = at(place + ".hc_coefficients")
                             .create<HcCoefficientsOp>(streams, layerWeight(layer, hc + "_fn.weight"), layerWeight(layer, hc + "_base.weight"),
                                                       layerWeight(layer, hc + "_scale.weight"), d_.normEps);
    auto mix = at(place + ".sinkhorn").create<SinkhornOp>(coefficients, d_.sinkhornIterations, d_.hcEps);
    Value x = at(place + ".hc_read").create<HcReadOp>(streams, mix.getPre());
    Value normed = at(place + ".norm").create<RmsNormOp>(x, layerWeight(layer, kind + "_norm.weight"), d_.normEps);
    Value y = body(normed, place);
    if (detailedTaps(taps)) {
      output(kind + "_hc.post", mix.getPost());
      output(kind + "_hc.comb", mix.getComb());
      output(kind + "_hc.collapsed", x);
      output(outTap, y);
    }
    return at(place + ".hc_write").create<HcWriteOp>(y, streams, mix.getPost(), mix.getComb());
  }

  // A layer alone returns everything; the whole model only what its goldens hold.
  bool detailedTaps(const std::string &taps) const { return taps.empty(); }
  bool anyTaps(const std::string &taps) const { return taps.empty() || options_.taps; }

  Value buildAttention(int layer, Value x, const std::string &place, const std::string &taps) {
    LayerStates states = layerStates_[layer];
    int64_t ratio = d_.ratios[layer];
    RopeAttr rotation = rope(layer);

    Value qa = at(place + ".q_a").create<LinearOp>(x, layerWeight(layer, "attn_q_a.weight"));
    Value qr = at(place + ".q_a_norm").create<RmsNormOp>(qa, layerWeight(layer, "attn_q_a_norm.weight"), d_.normEps);
    Value qb = at(place + ".q_b").create<LinearOp>(qr, layerWeight(layer, "attn_q_b.weight"));
    Value heads = at(place + ".q_heads").create<ReshapeOp>(activation({d_.heads, d_.headWidth}), qb);
    Value normed = at(place + ".q_norm").create<HeadNormOp>(heads, d_.normEps);
    Value q = at(place + ".q_rope").create<RopeOp>(normed, pos_, rotation, /*inverse=*/false);

    Value kvRaw = at(place + ".kv").create<LinearOp>(x, layerWeight(layer, "attn_kv.weight"));
    Value kvNormed = at(place + ".kv_norm").create<RmsNormOp>(kvRaw, layerWeight(layer, "attn_kv_a_norm.weight"), d_.normEps);
    Value kv = at(place + ".kv_rope").create<RopeOp>(kvNormed, pos_, rotation, /*inverse=*/false);
    if (detailedTaps(taps))
      output("window_row_new", kv);
    Value window = states_[states.window].value = at(place + ".window_append").create<WindowAppendOp>(states_[states.window].value, kv, pos_);

    Value rows, picks;
    if (ratio > 0)
      rows = buildCompressor(layer, x, "attn_compressor", place + ".compressor", states.open, states.compressed);
    if (ratio == 4)
      picks = buildIndexer(layer, x, qr, place + ".indexer", taps);

    Value attended = at(place + ".attend")
                         .create<AttendOp>(q, window, layerWeight(layer, "attn_sinks.weight"), pos_, rows, picks,
                                           1.0 / std::sqrt(double(d_.headWidth)), d_.window, ratio);
    Value unrotated = at(place + ".out_rope").create<RopeOp>(attended, pos_, rotation, /*inverse=*/true);
    Value flat = at(place + ".out_flat").create<ReshapeOp>(activation({d_.heads * d_.headWidth}), unrotated);
    Value u = at(place + ".out_a").create<GroupedLinearOp>(flat, layerWeight(layer, "attn_output_a.weight"), d_.outputGroups);
    return at(place + ".out_b").create<LinearOp>(u, layerWeight(layer, "attn_output_b.weight"));
  }

  // Projections of the open window, and the pooled rows that this step completes. Returns the rows' new version.
  Value buildCompressor(int layer, Value x, const std::string &prefix, const std::string &place, int open, int rows) {
    Value kv = at(place + ".kv").create<LinearOp>(x, layerWeight(layer, prefix + "_kv.weight"));
    Value gate = at(place + ".gate").create<LinearOp>(x, layerWeight(layer, prefix + "_gate.weight"));
    auto compress = at(place + ".compress")
                        .create<CompressOp>(states_[open].value, states_[rows].value, kv, gate, layerWeight(layer, prefix + "_ape.weight"),
                                            layerWeight(layer, prefix + "_norm.weight"), pos_, d_.ratios[layer], d_.normEps,
                                            rope(layer));
    states_[open].value = compress.getUpdatedOpen();
    return states_[rows].value = compress.getUpdatedRows();
  }

  Value buildIndexer(int layer, Value x, Value qr, const std::string &place, const std::string &taps) {
    LayerStates states = layerStates_[layer];
    Value rows = buildCompressor(layer, x, "indexer_compressor", place, states.indexerOpen, states.indexer);
    Value flat = at(place + ".q_b").create<LinearOp>(qr, layerWeight(layer, "indexer.attn_q_b.weight"));
    Value heads = at(place + ".q_heads").create<ReshapeOp>(activation({d_.indexerHeads, d_.indexerWidth}), flat);
    Value q = at(place + ".q_rope").create<RopeOp>(heads, pos_, rope(layer), /*inverse=*/false);
    Value weights = at(place + ".weights").create<LinearOp>(x, layerWeight(layer, "indexer.proj.weight"));
    double scale = 1.0 / std::sqrt(double(d_.indexerWidth) * double(d_.indexerHeads));
    Value scores = at(place + ".score").create<IndexScoreOp>(q, weights, rows, pos_, 4, scale);
    Value picks = at(place + ".select").create<SelectTopKOp>(scores, pos_, d_.indexerTopK, 4);
    if (anyTaps(taps)) {
      output(taps + "indexer.scores", scores);
      output(taps + "indexer.picks", picks);
    }
    return picks;
  }

  Value buildExperts(int layer, Value x, const std::string &place, const std::string &taps) {
    Value logits = at(place + ".router_logits").create<LinearOp>(x, layerWeight(layer, "ffn_gate_inp.weight"));
    Value ids, weights;
    if (layer < int(d_.hashLayers)) {
      auto route = at(place + ".router").create<HashRouterOp>(logits, tokens_, layerWeight(layer, "ffn_gate_tid2eid.weight"), d_.expertScale);
      ids = route.getIds(), weights = route.getWeights();
    } else {
      auto route =
          at(place + ".router").create<RouterOp>(logits, layerWeight(layer, "exp_probs_b.bias"), d_.expertsUsed, d_.expertScale);
      ids = route.getIds(), weights = route.getWeights();
    }
    if (anyTaps(taps)) {
      output(taps + "router.ids", ids);
      output(taps + "router.weights", weights);
    }
    Value gate = at(place + ".gate_exps").create<ExpertLinearOp>(x, ids, layerWeight(layer, "ffn_gate_exps.weight"));
    Value up = at(place + ".up_exps").create<ExpertLinearOp>(x, ids, layerWeight(layer, "ffn_up_exps.weight"));
    Value hidden = at(place + ".swiglu_exps").create<SwigluOp>(gate, up, d_.clamps[layer]);
    Value down = at(place + ".down_exps").create<ExpertLinearOp>(hidden, ids, layerWeight(layer, "ffn_down_exps.weight"));
    Value routed = at(place + ".combine").create<CombineOp>(down, weights);

    Value sharedGate = at(place + ".gate_shexp").create<LinearOp>(x, layerWeight(layer, "ffn_gate_shexp.weight"));
    Value sharedUp = at(place + ".up_shexp").create<LinearOp>(x, layerWeight(layer, "ffn_up_shexp.weight"));
    Value sharedHidden = at(place + ".swiglu_shexp").create<SwigluOp>(sharedGate, sharedUp, d_.sharedClamps[layer]);
    Value shared = at(place + ".down_shexp").create<LinearOp>(sharedHidden, layerWeight(layer, "ffn_down_shexp.weight"));
    return at(place + ".add").create<AddOp>(routed, shared);
  }

  void buildHead(Value streams) {
    Value y = at("head.hc_head").create<HcHeadOp>(streams, weight("output_hc_fn.weight"), weight("output_hc_base.weight"),
                                                  weight("output_hc_scale.weight"), d_.normEps, d_.hcEps);
    Value normed = at("head.norm").create<RmsNormOp>(y, weight("output_norm.weight"), d_.normEps);
    Value logits = at("head.logits").create<LinearOp>(normed, weight("output.weight"));
    output("logits", logits);
    output("next", at("head.next").create<ArgmaxOp>(logits));
    output("sampled", at("head.sampled").create<SampleOp>(logits));
  }

  const ModelTable &model_;
  const ModelDescription &d_;
  GraphOptions options_;
  mlir::OpBuilder b_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp function_;
  Type rowType_;
  Value tokens_, pos_;
  std::vector<std::string> argumentNames_;
  std::vector<State> states_;
  std::map<int, LayerStates> layerStates_;
  std::map<std::string, Value> weights_;
  std::vector<std::pair<std::string, Value>> outputs_;
};

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> buildStepGraph(mlir::MLIRContext &context, const ModelTable &model, const GraphOptions &options) {
  return Builder(context, model, options).buildStep();
}

mlir::OwningOpRef<mlir::ModuleOp> buildLayerGraph(mlir::MLIRContext &context, const ModelTable &model, int layer, const GraphOptions &options) {
  return Builder(context, model, options).buildLayerAlone(layer);
}

} // namespace ds4
