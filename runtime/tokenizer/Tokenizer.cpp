#include "runtime/tokenizer/Tokenizer.h"

#include "runtime/tokenizer/ByteAlphabet.h"
#include "support/Error.h"

namespace ds4 {

namespace {

BytePairEncoder makeEncoder(const TokenizerData &data) {
  std::unordered_map<std::string_view, int32_t> idOfEntry;
  idOfEntry.reserve(data.tokens.size());
  for (size_t id = 0; id < data.tokens.size(); ++id)
    idOfEntry.try_emplace(data.tokens[id], static_cast<int32_t>(id));
  return BytePairEncoder(data.merges, [&](std::string_view entry) -> std::optional<int32_t> {
    const auto found = idOfEntry.find(entry);
    return found == idOfEntry.end() ? std::nullopt : std::optional(found->second);
  });
}

bool isAdded(TokenType type) { return type == TokenType::Control || type == TokenType::UserDefined; }

} // namespace

Tokenizer::Tokenizer(const TokenizerData &data)
    : bos_(data.bos), eos_(data.eos), pad_(data.pad), preTokenizer_(data.preTokenizer), encoder_(makeEncoder(data)) {
  const auto count = static_cast<int64_t>(data.tokens.size());
  if (!data.types.empty() && data.types.size() != data.tokens.size())
    userError("tokenizer: {} tokens but {} token types (tokenizer.ggml.token_type): the file is damaged", count, data.types.size());
  for (auto [name, id] : {std::pair("bos", bos_), std::pair("eos", eos_), std::pair("padding", pad_)})
    if (id < -1 || id >= count)
      userError("tokenizer: {} token id {} is outside the vocabulary of {} tokens: the file is damaged", name, id, count);

  tokens_.reserve(data.tokens.size());
  for (size_t id = 0; id < data.tokens.size(); ++id) {
    const TokenType type = data.types.empty() ? TokenType::Normal : static_cast<TokenType>(data.types[id]);
    const std::string &entry = data.tokens[id];
    if (isAdded(type))
      added_.add(entry, static_cast<int32_t>(id));
    tokens_.push_back({type == TokenType::Normal ? alphabetToBytes(entry) : entry, type});
  }
  idOfBytes_.reserve(tokens_.size());
  for (size_t id = 0; id < tokens_.size(); ++id)
    idOfBytes_.try_emplace(tokens_[id].bytes, static_cast<int32_t>(id));
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, bool parseAddedTokens) const {
  std::vector<int32_t> ids;
  const auto encodePlain = [&](std::string_view plain) {
    for (std::string_view piece : preTokenizer_.split(plain))
      encoder_.encode(piece, ids);
  };
  size_t begin = 0;
  if (parseAddedTokens) {
    for (auto match = added_.find(text, 0); match.length; match = added_.find(text, begin)) {
      encodePlain(text.substr(begin, match.begin - begin));
      ids.push_back(match.token);
      begin = match.begin + match.length;
    }
  }
  encodePlain(text.substr(begin));
  return ids;
}

const Tokenizer::Token &Tokenizer::tokenAt(int32_t id) const {
  if (id < 0 || static_cast<size_t>(id) >= tokens_.size())
    userError("token id {} is outside the vocabulary: ids are 0..{}", id, static_cast<int64_t>(tokens_.size()) - 1);
  return tokens_[static_cast<size_t>(id)];
}

bool Tokenizer::isControl(int32_t id) const { return tokenAt(id).type == TokenType::Control; }

std::vector<int32_t> Tokenizer::withBos(std::vector<int32_t> ids) const {
  if (bos_ >= 0 && (ids.empty() || ids.front() != bos_))
    ids.insert(ids.begin(), bos_);
  return ids;
}

std::string_view Tokenizer::decode(int32_t id, ControlTokens control) const {
  const Token &token = tokenAt(id);
  return control == ControlTokens::Hidden && token.type == TokenType::Control ? std::string_view() : token.bytes;
}

std::string Tokenizer::decode(std::span<const int32_t> ids, ControlTokens control) const {
  std::string bytes;
  for (int32_t id : ids)
    bytes += decode(id, control);
  return bytes;
}

std::optional<int32_t> Tokenizer::find(std::string_view text) const {
  const auto found = idOfBytes_.find(text);
  return found == idOfBytes_.end() ? std::nullopt : std::optional(found->second);
}

} // namespace ds4
