// The classic next-token block (MTP, spec section 10.1) as a drafter. Row p joins what the model made of token p, its streams
// behind the last block, with token p + 1, and gives token p + 2; so the model's step leaves its streams in a ring ("mtp.streams"),
// and the draft function runs once the next token is known. Its own result stands in for streams of the model where more than one
// token is drafted: MtpDrafter puts it into the ring.
#include "models/graph/StepBuilder.h"

namespace ds4 {

void StepBuilder::buildMtpDraft() {
  addDrafterRings(); // the block's own: what it holds depends on what was drafted, so it is no part of the sequence's state
  Value streams = buildLayer(0, buildMtpStreams(), prefix_ + path(0, ""));
  if (options_.taps)
    output(prefix_ + path(0, "streams"), streams);
  output("streams", at("streams_flat").create<ReshapeOp>(activation({int64_t{d_->streams} * d_->width}), streams));
  Value x = buildHeadRead("head.", streams);
  Value normed = at("head.norm").create<RmsNormOp>(x, ownWeightOrModels("output_norm.weight"), d_->normEps);
  Value logits = at("head.logits").create<LinearOp>(normed, sharedWeight("output.weight"));
  if (options_.taps)
    output("logits", logits);
  output("drafts", at("head.next").create<ArgmaxOp>(logits));
}

// Stream by stream: h_proj(norm of the model's stream) + e_proj(norm of the next token's embedding).
mlir::Value StepBuilder::buildMtpStreams() {
  const int64_t width = d_->width;
  const bool joined = model_.has(prefix_ + "eh_proj.weight");
  Value row = at("embed").create<EmbedOp>(tokens_, sharedWeight("token_embd.weight"), 1);
  Value embedding = at("embed_flat").create<ReshapeOp>(activation({width}), row);
  Value e = at("enorm").create<RmsNormOp>(embedding, weight("enorm.weight"), d_->normEps);
  if (!joined)
    e = at("e_proj").create<LinearOp>(e, weight("e_proj.weight"));
  Value all;
  for (int64_t stream = 0; stream < d_->streams; ++stream) {
    const std::string place = "stream." + std::to_string(stream);
    Value x = at(place + ".read").create<WindowReadOp>(states_[mtpStreams_].value, pos_, stream * width, width);
    Value h = at(place + ".hnorm").create<RmsNormOp>(x, weight("hnorm.weight"), d_->normEps);
    Value y;
    if (joined) {
      Value both = at(place + ".both").create<ConcatOp>(e, h);
      y = at(place + ".eh_proj").create<LinearOp>(both, weight("eh_proj.weight"));
    } else {
      Value projected = at(place + ".h_proj").create<LinearOp>(h, weight("h_proj.weight"));
      y = at(place + ".add").create<AddOp>(projected, e);
    }
    all = all ? Value(at(place + ".concat").create<ConcatOp>(all, y)) : y;
  }
  return at("streams_made").create<ReshapeOp>(activation({int64_t{d_->streams}, width}), all);
}

} // namespace ds4
