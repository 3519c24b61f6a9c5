#include "compiler/quantize/Importance.h"

#include <algorithm>
#include <cmath>

#include "models/Names.h"
#include "support/Error.h"

namespace ds4 {

Importance Importance::open(const std::string &path) {
  Importance importance(gguf::Reader::open(path));
  constexpr std::string_view kSums = ".in_sum2", kCounts = ".counts";
  for (const gguf::TensorInfo &tensor : importance.file_.tensors()) {
    const std::string_view name = tensor.name;
    if (name.ends_with(kSums))
      importance.matrices_[canonicalTensorName(name.substr(0, name.size() - kSums.size()))].sums = &tensor;
    else if (name.ends_with(kCounts))
      importance.matrices_[canonicalTensorName(name.substr(0, name.size() - kCounts.size()))].counts = &tensor;
  }
  if (importance.matrices_.empty())
    userError("'{}' holds no importance data: name a GGUF file that llama-imatrix has written", path);
  for (const auto &[name, matrix] : importance.matrices_)
    if (!matrix.sums || !matrix.counts)
      userError("'{}': '{}' has sums or counts, but not both: make the importance data again", path, name);
  return importance;
}

std::vector<float> Importance::values(const gguf::TensorInfo &tensor) const {
  std::vector<std::byte> bytes(tensor.bytes);
  file_.readTensor(tensor, 0, bytes);
  std::vector<float> values(tensor.bytes / tensor.format->blockBytes * tensor.format->blockWeights);
  tensor.format->decode(bytes, values);
  return values;
}

std::vector<float> Importance::read(const std::string &canonicalName, uint64_t slices, uint64_t cols) const {
  const Matrix &matrix = matrices_.at(canonicalName);
  const std::vector<float> sums = values(*matrix.sums), counts = values(*matrix.counts);
  if (sums.size() != counts.size() * cols || (counts.size() != 1 && counts.size() != slices))
    userError("'{}': '{}' has {} sums and {} counts, {} x {} and {} are wanted: the importance data belong to another model",
              file_.path(), canonicalName, sums.size(), counts.size(), slices, cols, slices);
  if (!std::ranges::all_of(sums, [](float sum) { return std::isfinite(sum) && sum >= 0; }) ||
      !std::ranges::all_of(counts, [](float count) { return std::isfinite(count); }))
    userError("'{}': '{}' has sums of squares that are negative or no numbers: make the importance data again", file_.path(),
              canonicalName);
  std::vector<float> means(slices * cols, 1.0f);
  for (uint64_t slice = 0; slice < slices; ++slice) {
    const uint64_t from = counts.size() == 1 ? 0 : slice;
    if (counts[from] > 0.0f)
      for (uint64_t i = 0; i < cols; ++i)
        means[slice * cols + i] = sums[from * cols + i] / counts[from];
  }
  return means;
}

} // namespace ds4
