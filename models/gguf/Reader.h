// Reads GGUF files: one file, or all shards of a split one ("model-00001-of-00003.gguf").
//
// Opening walks the header and keeps where each value lies; values and tensor data are read from the file when asked for,
// by position, so a model larger than memory opens in milliseconds. Nothing read from the file is trusted: every count,
// length, offset and product is checked before it is used, and a file that fails is refused with one line that names it.
//
// All functions throw ds4::Error (User) for a file that is damaged or holds something else than was asked for. A Reader may
// be used from several threads once it is open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/formats/Format.h"
#include "models/gguf/Types.h"
#include "support/File.h"

namespace ds4::gguf {

// Where a metadata value lies. For arrays `bytes` covers the elements alone.
struct Entry {
  std::string key;
  ValueType type = ValueType::U8;
  ValueType elementType = ValueType::U8; // of arrays
  uint64_t count = 1;                    // elements of an array, otherwise 1
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct TensorInfo {
  std::string name;
  const Format *format = nullptr;
  std::vector<uint64_t> dims; // as in the file: the fastest dimension (a row's length) first
  uint32_t shard = 0;         // index into shards()
  uint64_t offset = 0;        // of the first byte, from the start of that shard's file
  uint64_t bytes = 0;
};

class Reader {
public:
  // `path` names a file or any one of its shards; the others are looked for beside it. `rocmFp2` is what type 107 means
  // (models/TypeMeaning.h).
  static Reader open(const std::string &path, WeightFormat rocmFp2 = WeightFormat::RocmFp2);

  // The file that was asked for: the subject of messages.
  const std::string &path() const { return path_; }
  const std::vector<File> &shards() const { return shards_; }
  uint32_t version() const { return version_; }

  // Metadata of a split file is that of its first shard.
  const std::vector<Entry> &entries() const { return entries_; }
  const Entry *find(std::string_view key) const;

  // An integer of any width and signedness. Floats widen from integers. Throw when the key is absent, of another type, or
  // (readUnsigned) negative.
  uint64_t readUnsigned(std::string_view key) const;
  double readFloat(std::string_view key) const;
  bool readBool(std::string_view key) const;
  std::string readString(std::string_view key) const;
  std::vector<uint64_t> readUnsignedArray(std::string_view key) const;
  std::vector<double> readFloatArray(std::string_view key) const;
  std::vector<std::string> readStringArray(std::string_view key) const;
  // The value as it lies in the file, for writers that carry it over.
  std::vector<std::byte> readRaw(const Entry &entry) const;

  const std::vector<TensorInfo> &tensors() const { return tensors_; }
  const TensorInfo *findTensor(std::string_view name) const;
  // Bytes [offset, offset + out.size()) of a tensor's data.
  void readTensor(const TensorInfo &tensor, uint64_t offset, std::span<std::byte> out) const;

private:
  Reader() = default;
  void addShard(File file, uint32_t index, uint32_t count);
  const Entry &require(std::string_view key, bool array) const;

  std::string path_;
  WeightFormat rocmFp2_ = WeightFormat::RocmFp2;
  uint32_t version_ = 0;
  std::vector<File> shards_;
  std::vector<Entry> entries_;
  std::vector<TensorInfo> tensors_;
  std::unordered_map<std::string, size_t> entryOf_, tensorOf_;
};

} // namespace ds4::gguf
