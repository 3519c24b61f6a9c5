// A block: two sub-layers, each between a read and a write of the streams.
#include <cmath>

#include "models/graph/StepBuilder.h"

namespace ds4 {

mlir::Value StepBuilder::buildLayer(int layer, Value streams, const std::string &taps) {
  auto attention = [&](Value x, const std::string &place) { return buildAttention(layer, x, place, taps); };
  auto experts = [&](Value x, const std::string &place) { return buildExperts(layer, x, place, taps); };
  streams = buildSubLayer(layer, "attn", streams, taps, "attn.out", attention);
  return buildSubLayer(layer, "ffn", streams, taps, "mlp.out", experts);
}

// Read of the streams, norm, the body, write back.
template <typename Body>
mlir::Value StepBuilder::buildSubLayer(int layer, const std::string &kind, Value streams, const std::string &taps,
                                       const std::string &outTap, Body body) {
  std::string place = path(layer, kind), hc = "hc_" + kind;
  Value coefficients =
      at(place + ".hc_coefficients")
          .create<HcCoefficientsOp>(streams, layerWeight(layer, hc + "_fn.weight"), layerWeight(layer, hc + "_base.weight"),
                                    layerWeight(layer, hc + "_scale.weight"), d_->normEps);
  auto mix = at(place + ".sinkhorn").create<SinkhornOp>(coefficients, d_->sinkhornIterations, d_->hcEps);
  Value x = at(place + ".hc_read").create<HcReadOp>(streams, mix.getPre());
  Value normed = at(place + ".norm").create<RmsNormOp>(x, layerWeight(layer, kind + "_norm.weight"), d_->normEps);
  Value y = body(normed, place);
  if (detailedTaps(taps)) {
    output(kind + "_hc.post", mix.getPost());
    output(kind + "_hc.comb", mix.getComb());
    output(kind + "_hc.collapsed", x);
    output(outTap, y);
  }
  return at(place + ".hc_write").create<HcWriteOp>(y, streams, mix.getPost(), mix.getComb());
}

mlir::Value StepBuilder::buildAttention(int layer, Value x, const std::string &place, const std::string &taps) {
  LayerStates states = layerStates_[prefix_ + path(layer, "")];
  int64_t ratio = d_->ratios[layer];
  RopeAttr rotation = rope(layer);

  Value qa = at(place + ".q_a").create<LinearOp>(x, layerWeight(layer, "attn_q_a.weight"));
  Value qr = at(place + ".q_a_norm").create<RmsNormOp>(qa, layerWeight(layer, "attn_q_a_norm.weight"), d_->normEps);
  Value qb = at(place + ".q_b").create<LinearOp>(qr, layerWeight(layer, "attn_q_b.weight"));
  Value heads = at(place + ".q_heads").create<ReshapeOp>(activation({d_->heads, d_->headWidth}), qb);
  Value normed = at(place + ".q_norm").create<HeadNormOp>(heads, d_->normEps);
  Value q = at(place + ".q_rope").create<RopeOp>(normed, pos_, rotation, /*inverse=*/false);

  Value kv = buildKeyValueRow(layer, x, place);
  if (detailedTaps(taps))
    output("window_row_new", kv);
  Value seen;
  if (chunkWindow_ >= 0)
    seen = buildChunkWindow(states_[states.window].value, kv, place);
  Value window = appendRow(layer, kv, place);
  if (!seen)
    seen = window;

  Value rows, picks;
  if (ratio > 0)
    rows = buildCompressor(layer, x, "attn_compressor", place + ".compressor", states.open, states.compressed);
  if (ratio == 4)
    picks = buildIndexer(layer, x, qr, place + ".indexer", taps);

  Value attended = at(place + ".attend")
                       .create<AttendOp>(q, seen, layerWeight(layer, "attn_sinks.weight"), pos_, rows, picks,
                                         1.0 / std::sqrt(double(d_->headWidth)), d_->window, ratio, block_);
  Value unrotated = at(place + ".out_rope").create<RopeOp>(attended, pos_, rotation, /*inverse=*/true);
  Value flat = at(place + ".out_flat").create<ReshapeOp>(activation({d_->heads * d_->headWidth}), unrotated);
  Value u = at(place + ".out_a").create<GroupedLinearOp>(flat, layerWeight(layer, "attn_output_a.weight"), d_->outputGroups);
  return at(place + ".out_b").create<LinearOp>(u, layerWeight(layer, "attn_output_b.weight"));
}

// The row that a token's queries meet, [T, d].
mlir::Value StepBuilder::buildKeyValueRow(int layer, Value x, const std::string &place) {
  Value kvRaw = at(place + ".kv").create<LinearOp>(x, layerWeight(layer, "attn_kv.weight"));
  Value kvNormed = at(place + ".kv_norm").create<RmsNormOp>(kvRaw, layerWeight(layer, "attn_kv_a_norm.weight"), d_->normEps);
  return at(place + ".kv_rope").create<RopeOp>(kvNormed, pos_, rope(layer), /*inverse=*/false);
}

mlir::Value StepBuilder::appendRow(int layer, Value row, const std::string &place) {
  Value &window = states_[layerStates_[prefix_ + path(layer, "")].window].value;
  return window = at(place + ".window_append").create<WindowAppendOp>(window, row, pos_);
}

// Projections of the open window, and the pooled rows that this step completes. Returns the rows' new version.
mlir::Value StepBuilder::buildCompressor(int layer, Value x, const std::string &prefix, const std::string &place, int open,
                                         int rows) {
  Value kv = at(place + ".kv").create<LinearOp>(x, layerWeight(layer, prefix + "_kv.weight"));
  Value gate = at(place + ".gate").create<LinearOp>(x, layerWeight(layer, prefix + "_gate.weight"));
  auto compress =
      at(place + ".compress")
          .create<CompressOp>(states_[open].value, states_[rows].value, kv, gate, layerWeight(layer, prefix + "_ape.weight"),
                              layerWeight(layer, prefix + "_norm.weight"), pos_, d_->ratios[layer], d_->normEps, rope(layer));
  states_[open].value = compress.getUpdatedOpen();
  return states_[rows].value = compress.getUpdatedRows();
}

mlir::Value StepBuilder::buildIndexer(int layer, Value x, Value qr, const std::string &place, const std::string &taps) {
  LayerStates states = layerStates_[prefix_ + path(layer, "")];
  Value rows = buildCompressor(layer, x, "indexer_compressor", place, states.indexerOpen, states.indexer);
  Value flat = at(place + ".q_b").create<LinearOp>(qr, layerWeight(layer, "indexer.attn_q_b.weight"));
  Value heads = at(place + ".q_heads").create<ReshapeOp>(activation({d_->indexerHeads, d_->indexerWidth}), flat);
  Value q = at(place + ".q_rope").create<RopeOp>(heads, pos_, rope(layer), /*inverse=*/false);
  Value weights = at(place + ".weights").create<LinearOp>(x, layerWeight(layer, "indexer.proj.weight"));
  double scale = 1.0 / std::sqrt(double(d_->indexerWidth) * double(d_->indexerHeads));
  Value scores = at(place + ".score").create<IndexScoreOp>(q, weights, rows, pos_, 4, scale);
  Value picks = at(place + ".select").create<SelectTopKOp>(scores, pos_, d_->indexerTopK, 4);
  if (anyTaps(taps)) {
    output(taps + "indexer.scores", scores);
    output(taps + "indexer.picks", picks);
  }
  return picks;
}

mlir::Value StepBuilder::buildExperts(int layer, Value x, const std::string &place, const std::string &taps) {
  Value logits = at(place + ".router_logits").create<LinearOp>(x, layerWeight(layer, "ffn_gate_inp.weight"));
  Value ids, weights;
  if (layer < int(d_->hashLayers)) {
    auto route =
        at(place + ".router").create<HashRouterOp>(logits, tokens_, layerWeight(layer, "ffn_gate_tid2eid.weight"), d_->expertScale);
    ids = route.getIds(), weights = route.getWeights();
  } else {
    auto route =
        at(place + ".router").create<RouterOp>(logits, layerWeight(layer, "exp_probs_b.bias"), d_->expertsUsed, d_->expertScale);
    ids = route.getIds(), weights = route.getWeights();
  }
  if (anyTaps(taps)) {
    output(taps + "router.ids", ids);
    output(taps + "router.weights", weights);
  }
  Value gate = at(place + ".gate_exps").create<ExpertLinearOp>(x, ids, layerWeight(layer, "ffn_gate_exps.weight"));
  Value up = at(place + ".up_exps").create<ExpertLinearOp>(x, ids, layerWeight(layer, "ffn_up_exps.weight"));
  Value hidden = at(place + ".swiglu_exps").create<SwigluOp>(gate, up, d_->clamps[layer]);
  Value down = at(place + ".down_exps").create<ExpertLinearOp>(hidden, ids, layerWeight(layer, "ffn_down_exps.weight"));
  Value routed = at(place + ".combine").create<CombineOp>(down, weights);

  Value sharedGate = at(place + ".gate_shexp").create<LinearOp>(x, layerWeight(layer, "ffn_gate_shexp.weight"));
  Value sharedUp = at(place + ".up_shexp").create<LinearOp>(x, layerWeight(layer, "ffn_up_shexp.weight"));
  Value sharedHidden = at(place + ".swiglu_shexp").create<SwigluOp>(sharedGate, sharedUp, d_->sharedClamps[layer]);
  Value shared = at(place + ".down_shexp").create<LinearOp>(sharedHidden, layerWeight(layer, "ffn_down_shexp.weight"));
  return at(place + ".add").create<AddOp>(routed, shared);
}

} // namespace ds4
