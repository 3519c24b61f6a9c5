// The tokenizer that a model file carries.
#pragma once

#include "models/gguf/Reader.h"
#include "runtime/tokenizer/Tokenizer.h"

namespace ds4 {

// Throws ds4::Error (User) when the file has no tokenizer, or one that ds4c does not know.
Tokenizer readTokenizer(const gguf::Reader &file);

} // namespace ds4
