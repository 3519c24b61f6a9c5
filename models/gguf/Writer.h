// Writes GGUF version 3 files: metadata, tensor table, aligned data. Used by the quantizer, the model synthesizer and tests.
//
// Keys and tensors appear in the order of the calls. The file comes into being whole: to a temporary, then renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "models/gguf/Reader.h"

namespace ds4::gguf {

class Writer {
public:
  // Fills `chunk` with the tensor's bytes from `offset` on. Chunks come in order and hold whole rows.
  using DataSource = std::function<void(uint64_t offset, std::span<std::byte> chunk)>;

  explicit Writer(uint32_t alignment = kDefaultAlignment) : alignment_(alignment) {}

  // Scalars, strings and arrays of these, written with exactly the type given. A key given twice is written twice: tests
  // of the reader want that.
  template <typename T> void set(std::string_view key, const T &value) {
    begin(key, typeOf<T>());
    putValue(value);
  }
  template <typename T> void setArray(std::string_view key, std::span<const T> values) {
    begin(key, ValueType::Array);
    putScalar(static_cast<uint32_t>(typeOf<T>()));
    putScalar(static_cast<uint64_t>(values.size()));
    for (const T &value : values)
      putValue(value);
  }
  template <typename T> void setArray(std::string_view key, const std::vector<T> &values) {
    setArray(key, std::span<const T>(values));
  }
  // Carries a key over from another file.
  void copy(const Reader &from, const Entry &entry);

  // `dims` fastest first, as in the file; the first is a multiple of the format's block. Without `source` the data are
  // zeros, as a hole in the file.
  void addTensor(std::string name, const Format &format, std::vector<uint64_t> dims, DataSource source = {});

  // Throws ds4::Error (Environment) when the file cannot be written.
  void write(const std::string &path) const;

private:
  struct Tensor {
    std::string name;
    const Format *format;
    std::vector<uint64_t> dims;
    uint64_t bytes;
    DataSource source;
  };

  template <typename T> static constexpr ValueType typeOf() {
    if constexpr (std::is_same_v<T, bool>)
      return ValueType::Bool;
    else if constexpr (std::is_same_v<T, float>)
      return ValueType::F32;
    else if constexpr (std::is_same_v<T, double>)
      return ValueType::F64;
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
      return std::is_signed_v<T> ? ValueType::I64 : ValueType::U64;
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
      return std::is_signed_v<T> ? ValueType::I32 : ValueType::U32;
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 2)
      return std::is_signed_v<T> ? ValueType::I16 : ValueType::U16;
    else if constexpr (std::is_integral_v<T>)
      return std::is_signed_v<T> ? ValueType::I8 : ValueType::U8;
    else
      return ValueType::String;
  }

  void begin(std::string_view key, ValueType type);
  void putBytes(std::span<const std::byte> bytes) { metadata_.insert(metadata_.end(), bytes.begin(), bytes.end()); }
  void putString(std::string_view text);
  template <typename T> void putScalar(T value) { putBytes(std::as_bytes(std::span(&value, 1))); }
  template <typename T> void putValue(const T &value) {
    if constexpr (typeOf<T>() == ValueType::String)
      putString(value);
    else
      putScalar(value);
  }

  uint32_t alignment_;
  uint64_t keys_ = 0;
  std::vector<std::byte> metadata_;
  std::vector<Tensor> tensors_;
};

} // namespace ds4::gguf
