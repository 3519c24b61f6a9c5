// Every case of tests/goldens/tokenizer: texts and ids by Hugging Face tokenizers, for the published DeepSeek vocabulary
// and for the tiny model's.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/gguf/Reader.h"
#include "runtime/tokenizer/StreamDecoder.h"
#include "runtime/tokenizer/Tokenizer.h"

using namespace ds4;

namespace {

const std::string kShared = DS4C_SHARED_DIR "/models/";

Tokenizer readTokenizer(const std::string &path) {
  const gguf::Reader file = gguf::Reader::open(path);
  TokenizerData data;
  data.preTokenizer = file.readString("tokenizer.ggml.pre");
  data.tokens = file.readStringArray("tokenizer.ggml.tokens");
  data.merges = file.readStringArray("tokenizer.ggml.merges");
  for (uint64_t type : file.readUnsignedArray("tokenizer.ggml.token_type"))
    data.types.push_back(static_cast<int32_t>(type));
  data.bos = static_cast<int32_t>(file.readUnsigned("tokenizer.ggml.bos_token_id"));
  data.eos = static_cast<int32_t>(file.readUnsigned("tokenizer.ggml.eos_token_id"));
  return Tokenizer(data);
}

void checkGoldens(const std::string &model, const std::string &goldens) {
  const Tokenizer tokenizer = readTokenizer(model);
  std::ifstream stream(DS4C_SOURCE_DIR "/tests/goldens/tokenizer/" + goldens);
  const nlohmann::json cases = nlohmann::json::parse(stream).at("cases");
  EXPECT_GE(cases.size(), 40u);
  for (const nlohmann::json &golden : cases) {
    const auto text = golden.at("text").get<std::string>();
    const auto ids = golden.at("ids").get<std::vector<int32_t>>();
    EXPECT_EQ(tokenizer.encode(text), ids) << '"' << text << '"';
    EXPECT_EQ(tokenizer.decode(ids), text);
    StreamDecoder decoder(tokenizer, ControlTokens::Visible);
    std::string streamed;
    for (int32_t id : ids)
      streamed += decoder.push(id);
    EXPECT_EQ(streamed + decoder.finish(), text);
  }
}

} // namespace

TEST(TokenizerGoldens, DeepSeekVocabulary) {
  if (!std::filesystem::exists(kShared + "deepseek-vocab.gguf"))
    GTEST_SKIP() << "no " << kShared << "deepseek-vocab.gguf (5 MB, kept outside the repository)";
  checkGoldens(kShared + "deepseek-vocab.gguf", "deepseek.json");
}

TEST(TokenizerGoldens, TinyVocabulary) {
  checkGoldens(DS4C_SOURCE_DIR "/models/tiny/ds4-tiny-mixed.gguf", "tiny.json");
}
