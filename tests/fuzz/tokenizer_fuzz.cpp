// Texts of any bytes through a small vocabulary, and vocabularies of any content.
#include <fuzzer/FuzzedDataProvider.h>

#include "runtime/tokenizer/StreamDecoder.h"
#include "tests/fuzz/Fuzz.h"
#include "tests/unit/tokenizer/SmallVocabulary.h"

using namespace ds4;

namespace {

// Every byte string decodes to itself.
void roundTrip(const Tokenizer &tokenizer, std::string_view text, bool addedTokens) {
  const std::vector<int32_t> ids = tokenizer.encode(text, addedTokens);
  fuzz::require(tokenizer.decode(ids) == text, "a text that decodes to another one");
  StreamDecoder decoder(tokenizer, ControlTokens::Visible);
  for (const int32_t id : ids)
    decoder.push(id);
  decoder.finish();
}

TokenizerData vocabularyOf(FuzzedDataProvider &input) {
  TokenizerData data = smallVocabulary();
  for (int tokens = input.ConsumeIntegralInRange(0, 8); tokens > 0; --tokens) {
    data.tokens.push_back(input.ConsumeRandomLengthString(16));
    data.types.push_back(input.ConsumeIntegral<int8_t>());
  }
  for (int merges = input.ConsumeIntegralInRange(0, 8); merges > 0; --merges)
    data.merges.push_back(input.ConsumeRandomLengthString(16));
  data.bos = input.ConsumeIntegral<int16_t>();
  data.eos = input.ConsumeIntegral<int16_t>();
  return data;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Tokenizer small(smallVocabulary());
  const std::string_view text = fuzz::textOf(data, size);
  roundTrip(small, text, true);
  roundTrip(small, text, false);
  FuzzedDataProvider input(data, size);
  return fuzz::read(ExitCode::User, [&] {
    const Tokenizer tokenizer(vocabularyOf(input));
    const std::string rest = input.ConsumeRemainingBytesAsString();
    tokenizer.decode(tokenizer.encode(rest));
  });
}
