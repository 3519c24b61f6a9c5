// Splits text into the pieces that byte-pair encoding never merges across.
//
// A pre-tokenizer is a sequence of regular expressions (PCRE2, Unicode properties). Each is applied to every piece that
// the one before left: its matches become pieces, and so does the text between them. A piece is matched as a text of
// its own, so "end of text" in an expression is the end of the piece.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ds4 {

class PreTokenizer {
public:
  // `name` as in the GGUF key tokenizer.ggml.pre: "joyai-llm". Throws ds4::Error (User) naming an unknown one.
  explicit PreTokenizer(std::string_view name);

  // The pieces in order; together they are `text`, into which they point. Bytes that are no UTF-8 form pieces of their
  // own. Safe from several threads at once.
  std::vector<std::string_view> split(std::string_view text) const;

private:
  class Expression;
  static const std::vector<Expression> &joyAiLlm(); // compiled once, at the first use

  const std::vector<Expression> *expressions_ = nullptr;
};

} // namespace ds4
