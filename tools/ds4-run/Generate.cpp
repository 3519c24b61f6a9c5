#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/ResponseDigest.h"
#include "tools/ds4-run/Generator.h"

namespace ds4 {

std::vector<int32_t> generateText(const RunArguments &arguments, Executor &executor, const Tokenizer *tokenizer,
                                  const std::vector<int32_t> &prompt, const SessionImage *image, std::unique_ptr<Drafter> drafter) {
  Generator generator(arguments, executor, tokenizer, image, std::move(drafter));
  std::vector<int32_t> sequence(generator.tokens().begin(), generator.tokens().end());
  sequence.insert(sequence.end(), prompt.begin(), prompt.end());
  generator.read(sequence);

  std::optional<StreamDecoder> decoder;
  if (tokenizer)
    decoder.emplace(*tokenizer);
  auto emit = [&](const std::string &text) {
    if (!arguments.json)
      printNow(stdout, text);
    return text;
  };
  std::string text;
  const std::vector<int32_t> tokens = generator.write([&](int32_t token) {
    if (decoder)
      text += emit(decoder->push(token));
    else
      emit(fmt::format("{} ", token));
  });
  if (decoder)
    text += emit(decoder->finish());

  if (arguments.json) {
    nlohmann::ordered_json out{{"prompt_ids", prompt}, {"ids", tokens}};
    if (decoder)
      out["text"] = text;
    out["sha256"] = responseDigest(tokens);
    fmt::print("{}\n", out.dump());
  } else {
    fmt::print("\n");
  }
  generator.warnOfEnd();
  generator.store();
  generator.showProfile();
  return tokens;
}

} // namespace ds4
