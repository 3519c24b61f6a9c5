#include "runtime/Session.h"

#include <algorithm>

#include "runtime/sampling/Uniform.h"
#include "support/Error.h"

namespace ds4 {

Session::Session(Executor &executor, SamplingOptions sampling) : executor_(executor), sampling_(sampling) {
  checkSamplingOptions(sampling_);
  reset();
}

void Session::reset() {
  executor_.reset();
  position_ = lastWidth_ = 0;
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
  position_ += static_cast<int64_t>(tokens.size());
  lastWidth_ = static_cast<int64_t>(tokens.size());
}

void Session::feed(std::span<const int32_t> tokens, int width, bool more) {
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
  if (lastWidth_ == 0)
    userError("nothing to continue: the prompt has no tokens");
  int32_t token = executor_.outputIds(sampling_.temperature > 0 ? "sampled" : "next")[lastWidth_ - 1];
  if (token < 0)
    internalError("the logits at position {} are not numbers: run these tokens through `ds4c verify`, which names the first op that goes wrong",
                  position_ - 1);
  return token;
}

std::vector<int32_t> Session::generate(int64_t count, std::optional<int32_t> endToken, const std::function<bool(int32_t)> &onToken) {
  std::vector<int32_t> tokens;
  while (static_cast<int64_t>(tokens.size()) < count) {
    int32_t token = nextToken();
    if (token == endToken)
      break;
    tokens.push_back(token);
    if ((onToken && !onToken(token)) || static_cast<int64_t>(tokens.size()) == count)
      break;
    feed(std::span(&token, 1));
  }
  return tokens;
}

} // namespace ds4
