// Text to token ids and back: byte-level BPE as DeepSeek-V4 files describe it.
//
// Encoding: added tokens are taken out literally (leftmost, longest first), the rest is pre-tokenised and merged.
// There is no normalisation and no implicit BOS: a caller that wants one puts bos() in front. Every byte string can be
// encoded, valid UTF-8 or not, and decodes to itself. A Tokenizer does not change after construction and may be used
// from several threads at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/tokenizer/AddedTokens.h"
#include "runtime/tokenizer/BytePairEncoder.h"
#include "runtime/tokenizer/PreTokenizer.h"

namespace ds4 {

// As in the GGUF key tokenizer.ggml.token_type.
enum class TokenType : int32_t { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

// A vocabulary as a model file holds it; the keys in comments are GGUF's.
struct TokenizerData {
  std::string preTokenizer;        // tokenizer.ggml.pre
  std::vector<std::string> tokens; // tokenizer.ggml.tokens; normal ones in the byte alphabet, added ones literally
  std::vector<int32_t> types;      // tokenizer.ggml.token_type, one a token; empty: all normal
  std::vector<std::string> merges; // tokenizer.ggml.merges, "left right", best first
  int32_t bos = -1, eos = -1, pad = -1; // -1: the file names none
};

enum class ControlTokens { Visible, Hidden };

class Tokenizer {
public:
  // Throws ds4::Error (User) when the data contradict themselves or the pre-tokenizer is unknown.
  explicit Tokenizer(const TokenizerData &data);

  // With parseAddedTokens = false the text of an added token is ordinary text, as it must be for what a user typed.
  std::vector<int32_t> encode(std::string_view text, bool parseAddedTokens = true) const;

  // Puts bos() in front, unless it is there or the file names none.
  std::vector<int32_t> withBos(std::vector<int32_t> ids) const;

  // The bytes of one token, in general not whole characters: StreamDecoder makes text of a sequence. Hidden leaves control
  // tokens (BOS, "<｜User｜>") out. Throws ds4::Error (User) when the id is outside the vocabulary.
  std::string_view decode(int32_t id, ControlTokens control = ControlTokens::Visible) const;
  std::string decode(std::span<const int32_t> ids, ControlTokens control = ControlTokens::Visible) const;

  bool isControl(int32_t id) const;
  // The id of a token by its decoded text: "<think>", " the".
  std::optional<int32_t> find(std::string_view text) const;

  size_t size() const { return tokens_.size(); }
  int32_t bos() const { return bos_; }
  int32_t eos() const { return eos_; }
  int32_t pad() const { return pad_; }

private:
  struct Token {
    std::string bytes;
    TokenType type;
  };
  const Token &tokenAt(int32_t id) const;

  std::vector<Token> tokens_;
  std::unordered_map<std::string_view, int32_t> idOfBytes_; // points into tokens_
  int32_t bos_, eos_, pad_;
  AddedTokens added_;
  PreTokenizer preTokenizer_;
  BytePairEncoder encoder_;
};

} // namespace ds4
