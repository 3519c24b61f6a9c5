#include "runtime/tokenizer/PreTokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "runtime/tokenizer/Utf8.h"
#include "support/Error.h"
#include "support/Printable.h"

namespace ds4 {

namespace {

// \p{White_Space} rather than \s: PCRE2's \s also takes U+180E, which Unicode no longer counts as a space.
constexpr const char *kJoyAiLlm[] = {
    R"(\p{N}{1,3})",
    R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)",
    R"([!-/:-@\[-`{-~][A-Za-z]+)"
    R"(|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+[\r\n]*)"
    R"(|\p{White_Space}*[\r\n]+)"
    R"(|\p{White_Space}+(?!\P{White_Space}))"
    R"(|\p{White_Space}+)",
};

std::string pcreMessage(int code) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(code, text, sizeof(text));
  return reinterpret_cast<const char *>(text);
}

} // namespace

class PreTokenizer::Expression {
public:
  explicit Expression(const char *pattern) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern), PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP, &error, &offset,
                              nullptr));
    if (!code_)
      internalError("pre-tokenizer expression \"{}\", offset {}: {}", pattern, offset, pcreMessage(error));
    pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE); // where there is no JIT, PCRE2 interprets: slower, same result
    context_.reset(pcre2_match_context_create(nullptr));
    pcre2_set_match_limit(context_.get(), UINT32_MAX); // the expressions are ours and linear; only the text is long
  }

  // Appends the pieces of `text`, which is valid UTF-8, to `pieces`.
  void split(std::string_view text, std::vector<std::string_view> &pieces) const {
    std::unique_ptr<pcre2_match_data, Free> match(pcre2_match_data_create(1, nullptr));
    size_t begin = 0;
    while (begin < text.size()) {
      const auto subject = reinterpret_cast<PCRE2_SPTR>(text.data());
      const int found = pcre2_match(code_.get(), subject, text.size(), begin, PCRE2_NO_UTF_CHECK, match.get(), context_.get());
      if (found == PCRE2_ERROR_NOMATCH)
        break;
      if (found < 0)
        environmentError("splitting a text of {} bytes for the tokenizer: {}: shorten it", text.size(), pcreMessage(found));
      const PCRE2_SIZE *range = pcre2_get_ovector_pointer(match.get());
      if (range[0] > begin)
        pieces.push_back(text.substr(begin, range[0] - begin));
      pieces.push_back(text.substr(range[0], range[1] - range[0]));
      begin = range[1];
    }
    if (begin < text.size())
      pieces.push_back(text.substr(begin));
  }

private:
  struct Free {
    void operator()(pcre2_code *code) const { pcre2_code_free(code); }
    void operator()(pcre2_match_data *data) const { pcre2_match_data_free(data); }
    void operator()(pcre2_match_context *context) const { pcre2_match_context_free(context); }
  };
  std::unique_ptr<pcre2_code, Free> code_;
  std::unique_ptr<pcre2_match_context, Free> context_;
};

const std::vector<PreTokenizer::Expression> &PreTokenizer::joyAiLlm() {
  static const std::vector<Expression> expressions(std::begin(kJoyAiLlm), std::end(kJoyAiLlm));
  return expressions;
}

PreTokenizer::PreTokenizer(std::string_view name) {
  if (name != "joyai-llm")
    userError("pre-tokenizer {} (key tokenizer.ggml.pre) is not known: DeepSeek-V4 files, which ds4c reads, say 'joyai-llm'",
              quoteName(name));
  expressions_ = &joyAiLlm();
}

std::vector<std::string_view> PreTokenizer::split(std::string_view text) const {
  std::vector<std::string_view> result;
  std::vector<std::string_view> pieces, next;
  while (!text.empty()) {
    const size_t valid = validUtf8Length(text);
    pieces.clear();
    if (valid)
      pieces.push_back(text.substr(0, valid));
    for (const Expression &expression : *expressions_) {
      next.clear();
      for (std::string_view piece : pieces)
        expression.split(piece, next);
      pieces.swap(next);
    }
    result.insert(result.end(), pieces.begin(), pieces.end());
    text.remove_prefix(valid);

    size_t invalid = 0;
    while (invalid < text.size()) {
      const Utf8Prefix prefix = firstUtf8(text.substr(invalid));
      if (prefix.kind == Utf8Kind::Complete)
        break;
      invalid += prefix.length;
    }
    if (invalid)
      result.push_back(text.substr(0, invalid));
    text.remove_prefix(invalid);
  }
  return result;
}

} // namespace ds4
