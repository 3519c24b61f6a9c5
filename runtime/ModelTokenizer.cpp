#include "runtime/ModelTokenizer.h"

#include "support/Error.h"
#include "support/Printable.h"

namespace ds4 {

Tokenizer readTokenizer(const gguf::Reader &file, int64_t vocabulary) {
  if (!file.find("tokenizer.ggml.tokens"))
    userError("'{}' carries no tokenizer: use --ids, or a file with tokenizer.ggml.* keys", file.path());
  if (std::string model = file.readString("tokenizer.ggml.model"); model != "gpt2")
    userError("'{}' has a tokenizer of model {}: only byte-level BPE ('gpt2') is supported", file.path(), quoteName(model));
  auto id = [&](const char *key) { return file.find(key) ? static_cast<int32_t>(file.readUnsigned(key)) : -1; };
  TokenizerData data;
  data.preTokenizer = file.readString("tokenizer.ggml.pre");
  data.tokens = file.readStringArray("tokenizer.ggml.tokens");
  if (static_cast<int64_t>(data.tokens.size()) < vocabulary)
    userError("'{}' has a tokenizer of {} tokens, the model's vocabulary is {}: convert the model again", file.path(),
              data.tokens.size(), vocabulary);
  data.merges = file.readStringArray("tokenizer.ggml.merges");
  if (file.find("tokenizer.ggml.token_type"))
    for (uint64_t type : file.readUnsignedArray("tokenizer.ggml.token_type"))
      data.types.push_back(static_cast<int32_t>(type));
  data.bos = id("tokenizer.ggml.bos_token_id");
  data.eos = id("tokenizer.ggml.eos_token_id");
  data.pad = id("tokenizer.ggml.padding_token_id");
  return Tokenizer(data);
}

} // namespace ds4
