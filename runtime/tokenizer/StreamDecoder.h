// Turns tokens, as they are generated, into text that can be shown at once.
//
// A token may end inside a character; its bytes are held until the character is whole. What comes out is always valid
// UTF-8: bytes that no continuation can mend become U+FFFD, as early as that is certain.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/tokenizer/Tokenizer.h"

namespace ds4 {

class StreamDecoder {
public:
  // Keeps a reference to the tokenizer, which must live longer.
  explicit StreamDecoder(const Tokenizer &tokenizer, ControlTokens control = ControlTokens::Hidden)
      : tokenizer_(tokenizer), control_(control) {}

  // The text that this token completes; may be empty. A control token ends a character, hidden or not.
  std::string push(int32_t id);
  // What is still held, at the end of the sequence: U+FFFD if a character is incomplete, else nothing.
  std::string finish();

private:
  const Tokenizer &tokenizer_;
  ControlTokens control_;
  std::string held_; // an incomplete character, at most 3 bytes between calls
};

} // namespace ds4
