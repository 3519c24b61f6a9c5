#include "runtime/speculation/MtpDrafter.h"

#include <algorithm>

namespace ds4 {

static constexpr std::string_view kStreams = "mtp.streams";

MtpDrafter::MtpDrafter(Executor &target, WeightSource &weights, ExecutorOptions options)
    : executor_(target, weights, std::move(options)), streams_(*executor_.plan().findState(kStreams)) {}

Draft MtpDrafter::draft(std::span<const int32_t> context, int count) {
  const int64_t last = static_cast<int64_t>(context.size()) - 2; // the last row whose next token is known
  const auto most = static_cast<size_t>(std::min<int64_t>({count, executor_.plan().maxWidth, executor_.plan().context - last}));
  Draft draft;
  if (last < 0 || count < 1 || last >= executor_.plan().context)
    return draft;
  catchUp(context);
  for (int64_t pos = last;; ++pos) {
    const int32_t token = executor_.outputIds("drafts").back();
    if (token < 0) // logits that are no numbers
      break;
    draft.tokens.push_back(token);
    if (draft.tokens.size() == most)
      break;
    standIn(pos + 1); // the model's next step overwrites it
    executor_.step({.pos = pos + 1, .tokens = std::span(&token, 1)});
  }
  return draft;
}

// The last row is always computed: the draft is behind it.
void MtpDrafter::catchUp(std::span<const int32_t> context) {
  const auto last = static_cast<int64_t>(context.size()) - 2;
  const bool continues = seen_.size() <= context.size() && std::equal(seen_.begin(), seen_.end(), context.begin());
  const int64_t done = continues ? std::max<int64_t>(static_cast<int64_t>(seen_.size()) - 1, 0) : 0;
  const int64_t window = executor_.plan().sizes.window;
  for (int64_t next = std::max(std::min(done, last), last + 1 - window); next <= last;) {
    const int64_t count = std::min<int64_t>(executor_.plan().maxWidth, last + 1 - next);
    const auto tokens = context.subspan(static_cast<size_t>(next) + 1, static_cast<size_t>(count));
    executor_.step({.pos = next, .tokens = tokens, .head = next + count > last});
    next += count;
  }
  seen_.assign(context.begin(), context.end());
}

void MtpDrafter::standIn(int64_t pos) {
  const std::vector<float> made = executor_.output("streams");
  executor_.writeState(kStreams, pos % streams_.rows, std::span(made).last(static_cast<size_t>(streams_.cols)));
}

} // namespace ds4
