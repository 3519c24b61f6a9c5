// Importance data: how much each input channel of a matrix was used on calibration text, so that a quantizer spends its error
// where it costs least.
//
// The file is a GGUF as llama.cpp's llama-imatrix writes it: for a matrix NAME the tensors NAME.in_sum2 [slices, cols], the
// sums of squared inputs, and NAME.counts [slices, 1], how many inputs each slice (expert) saw. All functions throw ds4::Error
// (User) for a file that holds something else.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "models/gguf/Reader.h"

namespace ds4 {

class Importance {
public:
  static Importance open(const std::string &path);

  bool covers(const std::string &canonicalName) const { return matrices_.contains(canonicalName); }
  // Mean squared inputs, [slices, cols]; 1 for slices that saw no input. Data of one slice serve all of them.
  std::vector<float> read(const std::string &canonicalName, uint64_t slices, uint64_t cols) const;

private:
  struct Matrix {
    const gguf::TensorInfo *sums = nullptr, *counts = nullptr;
  };

  explicit Importance(gguf::Reader file) : file_(std::move(file)) {}
  std::vector<float> values(const gguf::TensorInfo &tensor) const;

  gguf::Reader file_;
  std::unordered_map<std::string, Matrix> matrices_;
};

} // namespace ds4
