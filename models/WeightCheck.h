// Finds weight bytes that no writer makes: scale bytes without a meaning, which would decode to zero or garbage unnoticed.
//
// A loader checks each piece of a weight as it reads it. One WeightCheck serves a whole model and any number of threads; it
// refers to the reader that it was made with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "models/MixTables.h"
#include "models/gguf/Reader.h"

namespace ds4 {

class WeightCheck {
public:
  // Reads the codebook tables of the model. Throws ds4::Error (User) when one is damaged.
  explicit WeightCheck(const gguf::Reader &file) : file_(file), codebooks_(readMixCodebooks(file)) {}

  const MixCodebooks &codebooks() const { return codebooks_; }

  // Checks `bytes`, which begin `offset` bytes into `tensor`. A block that two pieces share is checked with the second, so
  // pieces may be cut anywhere. Throws ds4::Error (User), one line with the file, the tensor and the number of the block; for
  // MIX tensors also when the tables have no codebooks for it. Formats without such bytes cost nothing.
  void check(const gguf::TensorInfo &tensor, uint64_t offset, std::span<const std::byte> bytes) const;
  // The whole tensor, read in pieces.
  void check(const gguf::TensorInfo &tensor) const;

private:
  void checkBlocks(const gguf::TensorInfo &tensor, uint64_t offset, std::span<const std::byte> blocks) const;

  const gguf::Reader &file_;
  MixCodebooks codebooks_;
};

// The MIX slices of a tensor: decoding and checking go slice by slice.
struct MixSlices {
  const MixEntry *entry;
  uint64_t bytes; // of one slice

  // Throws as requireMixEntry(), and when the tensor's rows do not divide into the slices.
  static MixSlices of(const gguf::Reader &file, const MixCodebooks &codebooks, const gguf::TensorInfo &tensor);
  const MixSlice &at(uint64_t offset) const { return entry->slices[offset / bytes]; }
  // How many of `size` bytes from `offset` on are of the same slice.
  uint64_t run(uint64_t offset, uint64_t size) const { return std::min(size, bytes - offset % bytes); }
};

} // namespace ds4
