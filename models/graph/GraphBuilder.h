// From a model's description and tensor table to the step function: one MLIR module of primitive ds4 ops.
//
// The module holds `func.func @step` as docs/ops.md describes it. Ops carry their place in the model as a named
// location ("blk.3.attn.q_a"), which later names launches and differing values. Only metadata is read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "models/graph/ModelTable.h"

namespace ds4 {

enum class RowElement { F16, F32 };

struct GraphOptions {
  RowElement rows = RowElement::F16; // element of window, compressed and indexer rows
  int64_t context = 32768;           // positions that the state has room for
  int maxWidth = 8;                  // greatest q; rings have this many slots beyond what attention sees
  bool taps = false;                 // return the values of TapNames too
};

// The whole decode step: tokens in; "logits" [T, V] and "next" [T] (argmax) and "sampled" [T] out.
// With taps: "blk.N.streams" [T, S, D] after every layer, "blk.N.router.ids", "blk.N.router.weights", and for layers with an
// indexer "blk.N.indexer.scores" and "blk.N.indexer.picks".
// With a DSpark drafter in the table the step also fills the drafter's rings, states "dspark.blk.N.window"; taps: "dspark.taps" [T,
// taps * D] and "dspark.m" [T, D]. With a next-token block it keeps its streams behind the last block, state "mtp.streams".
mlir::OwningOpRef<mlir::ModuleOp> buildStepGraph(mlir::MLIRContext &context, const ModelTable &model, const GraphOptions &options);

// One layer alone: input "streams" [T, S, D]; output "streams_out". Always with the layer's taps: "attn_hc.post",
// "attn_hc.comb", "attn_hc.collapsed" (and "ffn_hc.*"), "attn.out", "mlp.out", "router.ids", "router.weights", "window_row_new",
// "indexer.scores", "indexer.picks".
mlir::OwningOpRef<mlir::ModuleOp> buildLayerGraph(mlir::MLIRContext &context, const ModelTable &model, int layer,
                                                  const GraphOptions &options);

// A chunk of a prompt, of up to options.maxWidth tokens: input "ids" [T], no outputs but taps as above; the states are a step's,
// the drafter's included, and one more: "prefill.window", a ring with room for the window and the chunk, which serves all layers
// and holds nothing between chunks.
mlir::OwningOpRef<mlir::ModuleOp> buildPrefillGraph(mlir::MLIRContext &context, const ModelTable &model,
                                                    const GraphOptions &options);

// What the table's drafter drafts.
//
// DSpark, behind position pos - 1: tokens [confirmed, noise, noise ...] at pos in; "drafts" [T], each for
// the position behind its slot, and "confidence" [T, 1] (raw: its logistic is the chance that the draft holds if those before do)
// out. States: the rings. With taps: "x" [T, D] and "logits" [T, V] before the Markov bias, "dspark.blk.N.streams",
// "dspark.blk.N.router.*". `options.maxWidth` is not used: a block has the drafter's size, always.
//
// MTP, behind positions pos.. that the model processed: tokens of positions pos + 1.. in; "drafts" [T], each for the position two
// behind its row's, and "streams" [T, S*D], the block's own, out. States: "mtp.streams", which is read at the rows' positions, and
// "mtp.blk.0.window", which the step has not. With taps: "logits" [T, V], "mtp.blk.0.streams", "mtp.blk.0.router.*".
mlir::OwningOpRef<mlir::ModuleOp> buildDraftGraph(mlir::MLIRContext &context, const ModelTable &model, GraphOptions options);

} // namespace ds4
