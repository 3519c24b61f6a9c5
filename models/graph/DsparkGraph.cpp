// The DSpark drafter (spec section 10.2): what the target's step keeps for it, and the function that drafts a block.
#include "models/graph/StepBuilder.h"

namespace ds4 {

// Behind the target's blocks: their mean streams make one vector m a token, and that a row in every stage's ring.
void StepBuilder::buildDsparkRows(const std::map<uint32_t, Value> &after) {
  Value taps;
  for (uint32_t tap : model_.drafter()->taps) {
    const std::string place = "tap." + std::to_string(tap);
    Value mean = at(place + ".stream_mean").create<StreamMeanOp>(after.at(tap));
    taps = taps ? Value(at(place + ".concat").create<ConcatOp>(taps, mean)) : mean;
  }
  Value projected = at("main_proj").create<LinearOp>(taps, weight("main_proj.weight"));
  Value m = at("main_norm").create<RmsNormOp>(projected, weight("main_norm.weight"), d_->normEps);
  if (options_.taps) {
    output("dspark.taps", taps);
    output("dspark.m", m);
  }
  for (int stage = 0; stage < int(d_->blocks); ++stage) {
    const std::string place = path(stage, "main");
    appendRow(stage, buildKeyValueRow(stage, m, place), place);
  }
}

void StepBuilder::buildDsparkDraft() {
  block_ = true;
  Value streams = at("embed").create<EmbedOp>(tokens_, sharedWeight("token_embd.weight"), d_->streams);
  for (int stage = 0; stage < int(d_->blocks); ++stage) {
    streams = buildLayer(stage, streams, prefix_ + path(stage, ""));
    if (options_.taps)
      output(prefix_ + path(stage, "streams"), streams);
  }
  Value x = buildHeadRead("", streams);
  Value normed = at("norm").create<RmsNormOp>(x, weight("output_norm.weight"), d_->normEps);
  Value logits = at("logits").create<LinearOp>(normed, sharedWeight("output.weight"));
  if (options_.taps) {
    output("x", x);
    output("logits", logits);
  }
  buildMarkovHead(x, logits);
}

// Each slot's logits depend on the token before it, which is the slot before's argmax. All slots are computed in every round: after
// round i those up to i are final, and the last round has the values of a walk from left to right, by the same kernels.
void StepBuilder::buildMarkovHead(Value x, Value logits) {
  Value before = tokens_, embedded, next;
  for (uint32_t round = 0; round < model_.drafter()->blockSize; ++round) {
    const std::string place = "markov." + std::to_string(round) + ".";
    if (round > 0)
      before = at(place + "before").create<ShiftTokensOp>(tokens_, next);
    Value row = at(place + "w1").create<EmbedOp>(before, weight("markov_w1.weight"), 1);
    embedded = at(place + "w1_flat").create<ReshapeOp>(activation({model_.drafter()->markovRank}), row);
    Value bias = at(place + "w2").create<LinearOp>(embedded, weight("markov_w2.weight"));
    next = at(place + "next").create<ArgmaxOp>(at(place + "add").create<AddOp>(logits, bias));
  }
  output("drafts", next);
  Value features = at("confidence.features").create<ConcatOp>(x, embedded);
  output("confidence", at("confidence").create<LinearOp>(features, weight("confidence.weight")));
}

} // namespace ds4
