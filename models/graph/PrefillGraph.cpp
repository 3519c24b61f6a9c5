// The function that reads a chunk of a prompt: the blocks of a step, for as many tokens as the chunk has, and no head.
#include "models/graph/StepBuilder.h"

namespace ds4 {

mlir::OwningOpRef<mlir::ModuleOp> StepBuilder::buildPrefill() {
  startFunction();
  tokens_ = addArgument(Ds4Dialect::kIdsInput.str(), tokens_.getType()); // the step block has no room for them
  for (int layer = 0; layer < int(d_->blocks); ++layer)
    addStates(layer);
  chunkWindow_ = addState("prefill.window", StateKind::Window, d_->window + options_.maxWidth, d_->headWidth, rowType_);
  Value streams = at("embed").create<EmbedOp>(tokens_, weight("token_embd.weight"), d_->streams);
  std::map<uint32_t, Value> after;
  for (int layer = 0; layer < int(d_->blocks); ++layer) {
    after[layer] = streams = buildLayer(layer, streams, path(layer, ""));
    if (options_.taps)
      output(path(layer, "streams"), streams);
  }
  if (model_.drafter())
    buildDrafterRows(after);
  return finish();
}

// The ring that a chunk's queries see: the window's rows before the chunk, then the chunk's own.
mlir::Value StepBuilder::buildChunkWindow(mlir::Value window, mlir::Value row, const std::string &place) {
  Value &ring = states_[chunkWindow_].value;
  ring = at(place + ".window_copy").create<WindowCopyOp>(ring, window, pos_, d_->window);
  return ring = at(place + ".chunk_append").create<WindowAppendOp>(ring, row, pos_);
}

} // namespace ds4
