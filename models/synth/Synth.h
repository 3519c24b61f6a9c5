// Makes model files out of a description and a recipe, with generated weights or with none.
//
// Such a file has every key and tensor of a real model, so that the real shape can be compiled, planned, inspected and run
// without the real weights. It follows from description, recipe and seed alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "recipes/Recipe.h"

namespace ds4 {

struct SynthOptions {
  bool nextTokenBlock = false; // with one (MTP) behind the blocks, models/MtpBlock.h
  bool sparse = false;         // no data: the file has its full size on paper, holes on disk (zeros when read)
  uint64_t seed = 1;
  std::string tokenizer; // GGUF file whose tokenizer is copied; empty: the model has none
  unsigned jobs = 0;     // threads; 0: one a core. The file is the same for every number
  // Called as the output grows: bytes done, bytes in all, the tensor at work. From one thread at a time.
  std::function<void(uint64_t done, uint64_t total, std::string_view tensor)> progress;
};

struct SynthSummary {
  size_t tensors = 0;
  uint64_t bytes = 0; // of weights
};

// Tensors that no rule names are f16 (matrices), f32 (norms, biases, scales) or i32 (tables). Memory: some megabytes. The
// output appears whole or not at all. Throws ds4::Error (User) for a recipe that does not fit the description, a format that
// cannot be generated, or a tokenizer with more tokens than the model's vocabulary.
SynthSummary synthesizeModel(const ModelDescription &description, const Recipe &recipe, const std::string &output,
                             const SynthOptions &options = {});

} // namespace ds4
