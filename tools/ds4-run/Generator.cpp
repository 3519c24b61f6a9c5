#include "tools/ds4-run/Generator.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

#include "runtime/ResponseDigest.h"
#include "support/Error.h"

namespace ds4 {

namespace {

// "prompt 40/123" on stderr while it is a terminal.
void showProgress(size_t done, size_t total) {
  static const bool terminal = ::isatty(STDERR_FILENO);
  if (terminal)
    fmt::print(stderr, "\rprompt {}/{}{}", done, total, done == total ? "\r\033[K" : "");
}

} // namespace

int readingWidth(const RunArguments &arguments) {
  int width = 0;
  std::from_chars(arguments.width.data(), arguments.width.data() + arguments.width.size(), width);
  return width;
}

bool wantsPlanDrafter(const RunArguments &arguments) { return arguments.speculate == "dspark" || arguments.speculate == "mtp"; }

std::unique_ptr<WidthControl> widthControl(const RunArguments &arguments, const Plan &plan) {
  return makeWidthControl(arguments.width, static_cast<int>(plan.maxWidth), /*confidences=*/arguments.speculate == "dspark");
}

void printNow(std::FILE *file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  if (file == stdout)
    flushOutput();
}

Generator::Generator(const RunArguments &arguments, Executor &executor, const Tokenizer *tokenizer, const SessionImage *image,
                     std::unique_ptr<Drafter> drafter)
    : arguments_(arguments), executor_(executor), session_(executor, arguments.sampling), reading_(executor), writing_(executor) {
  if (tokenizer && tokenizer->eos() >= 0 && !arguments.ignoreEos)
    end_ = tokenizer->eos();
  if (drafter)
    speculation_ = std::make_unique<Speculation>(std::move(drafter), widthControl(arguments, executor.plan()));
  if (readingWidth(arguments))
    session_.setChunk(0); // a number of tokens a step holds for the prompt, too
  else if (arguments.prefillChunk)
    session_.setChunk(*arguments.prefillChunk);
  if (image)
    session_.restore(*image);
}

int64_t Generator::read(std::span<const int32_t> sequence) {
  const int64_t kept = session_.reuse(sequence);
  const auto prompt = sequence.subspan(static_cast<size_t>(kept));
  const bool chunks = session_.chunk() > 0;
  const int width = readingWidth(arguments_) ? readingWidth(arguments_) : static_cast<int>(executor_.plan().maxWidth);
  const int64_t most = std::max<int64_t>(session_.chunk(), width);
  reading_.start();
  for (size_t done = 0; done < prompt.size();) {
    // Steps that are not the last one run without the head; feed() sees each step alone here, for progress.
    size_t count = std::min<size_t>(static_cast<size_t>(most), prompt.size() - done);
    session_.feed(prompt.subspan(done, count), chunks ? 0 : width, /*more=*/done + count < prompt.size());
    done += count;
    reading_.addStep(static_cast<int64_t>(count), executor_.launchesOfLastStep());
    showProgress(done, prompt.size());
  }
  reading_.stop();
  if (!arguments_.sessionFile.empty() || arguments_.chat)
    session_.checkpoint();
  return kept;
}

std::vector<int32_t> Generator::write(const OnToken &onToken) {
  const int64_t before = session_.position();
  int64_t steps = -1; // of the model, at the last token: tokens that a step foresaw have no launches of their own
  writing_.start();
  // The last token needs no position: nothing is read behind it.
  const int64_t room = executor_.plan().context - session_.position() + 1;
  std::vector<int32_t> tokens = session_.generate(
      std::min(arguments_.count, room), end_,
      [&](int32_t token) {
        const int64_t now = speculation_ ? speculation_->counts().steps : session_.position();
        writing_.addStep(1, now == steps ? 0 : executor_.launchesOfLastStep());
        steps = now;
        onToken(token);
        return true;
      },
      speculation_.get());
  writing_.stop();
  cut_ = arguments_.count > room && static_cast<int64_t>(tokens.size()) == room;
  response_.insert(response_.end(), tokens.begin(), tokens.end());
  pending_ = session_.position() < before + static_cast<int64_t>(tokens.size()) ? std::optional(tokens.back()) : std::nullopt;
  return tokens;
}

void Generator::warnOfEnd() const {
  if (!cut_)
    return;
  std::fflush(stdout); // the text's last line
  fmt::print(stderr, "ds4-run: warning: the text ends at this plan's context of {}: compile with a larger --context\n",
             executor_.plan().context);
}

void Generator::store(const std::string &note) {
  if (arguments_.sessionFile.empty())
    return;
  if (pending_ && session_.position() < executor_.plan().context)
    session_.feed(std::span(&*pending_, 1), 0, /*more=*/true);
  pending_.reset();
  SessionImage image = session_.image();
  image.note = note;
  writeSessionFile(arguments_.sessionFile, image);
}

void Generator::showProfile() const {
  if (!arguments_.profile.summary)
    return;
  std::fflush(stdout);
  fmt::print(stderr, "{}\n{}\n", reading_.describe("prompt"), writing_.describe("decode"));
  if (speculation_)
    fmt::print(stderr, "{}\n", speculation_->describe());
  fmt::print(stderr, "response: sha256 {}\n", responseDigest(response_));
}

} // namespace ds4
