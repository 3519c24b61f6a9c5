// The header of one GGUF file, walked and checked, nothing more: Reader puts shards together and reads values.
#pragma once

#include <cstdint>
#include <vector>

#include "models/gguf/Reader.h"

namespace ds4::gguf {

struct Header {
  uint32_t version = 0;
  uint32_t alignment = kDefaultAlignment;
  std::vector<Entry> entries;
  std::vector<TensorInfo> tensors; // offsets count from the start of the file; shard is 0

  const Entry *find(std::string_view key) const;
};

// Afterwards holds: names are non-empty printable UTF-8 and unique; every value lies inside the file; every tensor is of a
// supported format with whole rows, starts at a multiple of the alignment, lies inside the file and overlaps no other.
// Throws ds4::Error (User) otherwise.
Header readHeader(const File &file);

// A non-negative integer of any integer type. Throws ds4::Error (User) naming key and type otherwise.
uint64_t readUnsigned(const File &file, const Entry &entry);
// The same from the bytes of one value, or of one element of an array.
uint64_t decodeUnsigned(const File &file, const Entry &entry, ValueType type, const std::byte *bytes);

} // namespace ds4::gguf
