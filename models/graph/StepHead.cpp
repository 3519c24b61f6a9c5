// The whole step, and a layer alone: embedding, blocks, head.
#include "models/graph/StepBuilder.h"

namespace ds4 {

mlir::OwningOpRef<mlir::ModuleOp> StepBuilder::buildStep() {
  startFunction();
  for (int layer = 0; layer < int(d_->blocks); ++layer)
    addStates(layer);
  Value streams = at("embed").create<EmbedOp>(tokens_, weight("token_embd.weight"), d_->streams);
  std::map<uint32_t, Value> after; // the streams, by layer
  for (int layer = 0; layer < int(d_->blocks); ++layer) {
    after[layer] = streams = buildLayer(layer, streams, path(layer, ""));
    if (options_.taps)
      output(path(layer, "streams"), streams);
  }
  buildHead(streams);
  if (model_.drafter())
    buildDrafterRows(after);
  return finish();
}

mlir::OwningOpRef<mlir::ModuleOp> StepBuilder::buildLayerAlone(int layer) {
  startFunction();
  Value streams = addArgument("streams", activation({d_->streams, d_->width}));
  addStates(layer);
  output("streams_out", buildLayer(layer, streams, ""));
  return finish();
}

mlir::Value StepBuilder::buildHeadRead(const std::string &place, Value streams) {
  return at(place + "hc_head")
      .create<HcHeadOp>(streams, ownWeightOrModels("output_hc_fn.weight"), ownWeightOrModels("output_hc_base.weight"),
                        ownWeightOrModels("output_hc_scale.weight"), d_->normEps, d_->hcEps);
}

void StepBuilder::buildDrafterRows(const std::map<uint32_t, Value> &after) {
  enterDrafter();
  if (!draftsByMtp())
    return buildDsparkRows(after);
  const Value streams = after.rbegin()->second;
  Value flat = at("streams_flat").create<ReshapeOp>(activation({int64_t{d_->streams} * d_->width}), streams);
  Value &ring = states_[mtpStreams_].value;
  ring = at("streams_append").create<WindowAppendOp>(ring, flat, pos_);
}

mlir::OwningOpRef<mlir::ModuleOp> StepBuilder::buildDraft() {
  startFunction();
  enterDrafter();
  if (draftsByMtp())
    buildMtpDraft();
  else
    buildDsparkDraft();
  return finish();
}

void StepBuilder::buildHead(Value streams) {
  Value y = buildHeadRead("head.", streams);
  Value normed = at("head.norm").create<RmsNormOp>(y, weight("output_norm.weight"), d_->normEps);
  Value logits = at("head.logits").create<LinearOp>(normed, weight("output.weight"));
  output("logits", logits);
  output("next", at("head.next").create<ArgmaxOp>(logits));
  output("sampled", at("head.sampled").create<SampleOp>(logits));
}

} // namespace ds4
