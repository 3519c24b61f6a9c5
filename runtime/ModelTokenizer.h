// The tokenizer that a model file carries.
#pragma once

#include "models/gguf/Reader.h"
#include "runtime/tokenizer/Tokenizer.h"

namespace ds4 {

// Throws ds4::Error (User) when the file has no tokenizer, one that ds4c does not know, or one that lacks tokens of the model's
// `vocabulary`, any of which the model may generate.
Tokenizer readTokenizer(const gguf::Reader &file, int64_t vocabulary);

} // namespace ds4
