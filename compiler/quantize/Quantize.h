// Writes a model file again with other weight formats.
//
// Weights are streamed: read, decoded and encoded in pieces of a few rows, so that memory stays small however large the model.
// The result depends on the input, the recipe and the importance data alone, not on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/Recipe.h"

namespace ds4 {

struct QuantizeOptions {
  std::string importance;              // file of importance data; empty: none
  unsigned jobs = 0;                   // threads; 0: one a core
  std::optional<WeightFormat> rocmFp2; // what type 107 means in the input; without it the usual meaning, with a warning
  // Called as the output grows: bytes done, bytes in all, the tensor at work. From one thread at a time.
  std::function<void(uint64_t done, uint64_t total, std::string_view tensor)> progress;
};

struct QuantizeSummary {
  size_t tensors = 0, encoded = 0; // encoded: those whose format changed
  uint64_t bytesBefore = 0, bytesAfter = 0;
  std::vector<std::string> warnings; // one line each
};

// `input` is a file or any shard of a split model; `output` appears whole or not at all, always as one file. Metadata are
// carried over, except general.file_type, which follows the new formats, and the keys of splitting. Throws ds4::Error (User)
// for a damaged input, a recipe that does not fit, a format that ds4c cannot write, and an output that is one of the inputs.
QuantizeSummary quantizeModel(const std::string &input, const std::string &output, const Recipe &recipe,
                              const QuantizeOptions &options = {});

} // namespace ds4
