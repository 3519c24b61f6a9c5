#include "tools/ds4-run/Run.h"

#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/tokenizer/StreamDecoder.h"
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

int generateText(const RunArguments &arguments, Executor &executor, const Tokenizer *tokenizer, const std::vector<int32_t> &prompt) {
  Session session(executor, arguments.sampling);
  Meter reading(executor), writing(executor);

  int width = arguments.width ? arguments.width : static_cast<int>(executor.plan().maxWidth);
  reading.start();
  for (size_t done = 0; done < prompt.size();) {
    // Steps that are not the last one run without the head; feed() sees each step alone here, for progress.
    size_t count = std::min<size_t>(static_cast<size_t>(width), prompt.size() - done);
    session.feed(std::span(prompt).subspan(done, count), width, /*more=*/done + count < prompt.size());
    done += count;
    reading.addStep(static_cast<int64_t>(count), executor.launchesOfLastStep());
    showProgress(done, prompt.size());
  }
  reading.stop();

  std::optional<StreamDecoder> decoder;
  if (tokenizer)
    decoder.emplace(*tokenizer);
  std::optional<int32_t> end;
  if (tokenizer && tokenizer->eos() >= 0 && !arguments.ignoreEos)
    end = tokenizer->eos();
  auto emit = [&](const std::string &text) {
    if (!arguments.json) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      flushOutput();
    }
    return text;
  };
  std::string text;
  writing.start();
  std::vector<int32_t> tokens = session.generate(arguments.count, end, [&](int32_t token) {
    writing.addStep(1, executor.launchesOfLastStep());
    if (decoder)
      text += emit(decoder->push(token));
    else
      emit(fmt::format("{} ", token));
    return true;
  });
  writing.stop();
  if (decoder)
    text += emit(decoder->finish());

  if (arguments.json) {
    nlohmann::ordered_json out{{"prompt_ids", prompt}, {"ids", tokens}};
    if (decoder)
      out["text"] = text;
    fmt::print("{}\n", out.dump());
  } else {
    fmt::print("\n");
  }
  if (arguments.profile) {
    std::fflush(stdout);
    fmt::print(stderr, "{}\n{}\n", reading.describe("prompt"), writing.describe("decode"));
  }
  return 0;
}

} // namespace ds4
