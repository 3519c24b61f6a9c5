#include "runtime/Session.h"

#include <algorithm>
#include <chrono>

#include "runtime/sampling/Uniform.h"
#include "support/Error.h"

namespace ds4 {

Session::Session(Executor &executor, SamplingOptions sampling) : executor_(executor), sampling_(sampling) {
  constexpr int64_t kFewest = 2 * kMaxWidth; // a chunk reads all weights, too, but decodes them for 128 tokens
  checkSamplingOptions(sampling_);
  if (executor_.prefill()) {
    chunk_ = executor_.prefill()->plan().maxWidth;
    fewest_ = std::min(chunk_, kFewest);
  }
  reset();
}

void Session::setChunk(int64_t tokens) {
  if (tokens < 0)
    userError("a chunk of {} tokens: choose 0 (none) or more", tokens);
  chunk_ = executor_.prefill() ? std::min<int64_t>(tokens, executor_.prefill()->plan().maxWidth) : 0;
  fewest_ = 1;
}

void Session::reset() {
  executor_.reset();
  tokens_.clear();
  checkpoints_.clear();
  position_ = written_ = ahead_ = lastFirst_ = lastWidth_ = 0;
}

void Session::step(std::span<const int32_t> tokens, bool head) {
  StepInput input;
  input.pos = position_;
  input.tokens = tokens;
  input.head = head;
  input.temperature = sampling_.temperature;
  input.topP = sampling_.topP;
  std::vector<float> random;
  for (size_t t = 0; t < tokens.size(); ++t)
    random.push_back(uniformAt(sampling_.seed, static_cast<uint64_t>(position_) + t));
  input.random = random;
  executor_.step(input);
  lastFirst_ = position_;
  lastWidth_ = static_cast<int64_t>(tokens.size());
  append(tokens);
}

void Session::append(std::span<const int32_t> tokens) {
  const std::vector<int32_t> added(tokens.begin(), tokens.end()); // may lie in tokens_
  tokens_.resize(static_cast<size_t>(position_));
  tokens_.insert(tokens_.end(), added.begin(), added.end());
  position_ += static_cast<int64_t>(added.size());
  written_ = std::max(written_, position_);
  ahead_ = 0;
}

// What is left for steps: the last token, whose outputs are wanted, unless `more` follows; and a few that are no chunk.
std::span<const int32_t> Session::feedChunks(std::span<const int32_t> tokens, bool more) {
  while (chunk_ > 0) {
    const int64_t count = std::min(chunk_, static_cast<int64_t>(tokens.size()) - (more ? 0 : 1));
    if (count < std::max<int64_t>(fewest_, 1))
      break;
    const auto part = tokens.first(static_cast<size_t>(count));
    executor_.prefill()->step({.pos = position_, .tokens = part});
    lastFirst_ = lastWidth_ = 0;
    append(part);
    tokens = tokens.subspan(part.size());
  }
  return tokens;
}

void Session::feed(std::span<const int32_t> tokens, int width, bool more) {
  if (width == 0)
    tokens = feedChunks(tokens, more);
  size_t stride = width ? static_cast<size_t>(width) : executor_.plan().maxWidth;
  for (size_t done = 0; done < tokens.size(); done += stride) {
    auto part = tokens.subspan(done, std::min(stride, tokens.size() - done));
    step(part, !more && done + part.size() == tokens.size());
  }
}

void Session::feedObserved(std::span<const int32_t> tokens, int width, const StepObserver &observe) {
  size_t stride = width ? static_cast<size_t>(width) : executor_.plan().maxWidth;
  for (size_t done = 0; done < tokens.size(); done += stride) {
    int64_t first = position_;
    step(tokens.subspan(done, std::min(stride, tokens.size() - done)), true);
    observe(first, lastWidth_);
  }
}

int32_t Session::nextToken() const {
  const int64_t row = position_ - 1 - lastFirst_;
  if (row < 0 || row >= lastWidth_)
    userError("nothing to continue: {}", position_ == 0 ? "the prompt has no tokens" : "feed the sequence's last token first");
  int32_t token = executor_.outputIds(sampling_.temperature > 0 ? "sampled" : "next")[static_cast<size_t>(row)];
  if (token < 0)
    internalError("the logits at position {} are not numbers: run these tokens through `ds4c verify`, which names the first op "
                  "that goes wrong",
                  position_ - 1);
  return token;
}

std::vector<int32_t> Session::generate(int64_t count, std::optional<int32_t> endToken, const std::function<bool(int32_t)> &onToken,
                                       Speculation *speculation) {
  std::vector<int32_t> tokens;
  while (static_cast<int64_t>(tokens.size()) < count) {
    int32_t token = nextToken();
    if (token == endToken)
      break;
    tokens.push_back(token);
    const int64_t wanted = count - static_cast<int64_t>(tokens.size());
    if ((onToken && !onToken(token)) || wanted == 0)
      break;
    advance(token, wanted, speculation);
  }
  ahead_ = 0;
  return tokens;
}

// Appends the next token, which the last step may have foreseen; otherwise a step, with drafts of what follows.
void Session::advance(int32_t token, int64_t wanted, Speculation *speculation) {
  if (ahead_ > 0) {
    --ahead_;
    ++position_;
    return;
  }
  if (!speculation) {
    step(std::span(&token, 1), true);
    return;
  }
  const Plan &plan = executor_.plan();
  tokens_.resize(static_cast<size_t>(position_));
  tokens_.push_back(token);
  const int64_t most = std::min({int64_t(plan.maxWidth), wanted, plan.context - position_});
  const std::span<const int32_t> drafts = speculation->propose(tokens_, static_cast<int>(std::max<int64_t>(most, 1)));
  std::vector<int32_t> rows{token};
  rows.insert(rows.end(), drafts.begin(), drafts.end());

  const auto start = std::chrono::steady_clock::now();
  step(rows, true);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  const std::vector<int32_t> next = executor_.outputIds(sampling_.temperature > 0 ? "sampled" : "next");
  const auto wrong = std::mismatch(drafts.begin(), drafts.end(), next.begin()).first;
  ahead_ = wrong - drafts.begin();
  position_ = lastFirst_ + 1; // generate() takes the accepted drafts one by one; rejected ones are overwritten
  speculation->settle(static_cast<int>(ahead_), time.count());
}

} // namespace ds4
