// Turns the rows of one tensor of a file from the format that they have into another.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "models/WeightCheck.h"

namespace ds4 {

class RowEncoder {
public:
  // `importance` is empty, or [slices, cols] for a tensor of dims [cols, rows, slices]. Keeps references to `file`, `check` and
  // `tensor`. Throws ds4::Error (User) for a MIX tensor without codebooks.
  RowEncoder(const gguf::Reader &file, const WeightCheck &check, const gguf::TensorInfo &tensor, const Format &format,
             std::vector<float> importance);

  // Fills `out` with the encoded rows from byte `offset` of the result on; both are whole rows. Works on `jobs` threads, the
  // result is the same for every number. Memory: about 1 MB a thread. Throws ds4::Error (User) for damaged weights
  // and those that are no numbers.
  void encode(uint64_t offset, std::span<std::byte> out, unsigned jobs) const;

private:
  void encodeRows(uint64_t firstRow, uint64_t rows, std::byte *out) const;
  void decode(uint64_t offset, std::span<const std::byte> bytes, std::span<float> weights) const;

  const gguf::Reader &file_;
  const WeightCheck &check_;
  const gguf::TensorInfo &tensor_;
  const Format &format_;
  std::vector<float> importance_;
  std::optional<MixSlices> mix_;
  uint64_t cols_, rowsPerSlice_;
};

} // namespace ds4
