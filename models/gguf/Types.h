// What GGUF versions 2 and 3 have in common: the value types of metadata and the limits that every reader may assume.
//
// A file is: magic, version, tensor count, key count; the keys with their values; the tensor table; zeros up to the
// alignment; the tensor data. Everything is little endian. Source: the GGUF specification of the ggml project.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ds4::gguf {

enum class ValueType : uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };

inline constexpr uint32_t kMagic = 0x46554747; // "GGUF"
inline constexpr uint32_t kDefaultAlignment = 32;
inline constexpr uint32_t kMaxDimensions = 4;
// A file beyond these is taken for damaged: no known model comes near, and none of them costs a second to walk.
inline constexpr uint64_t kMaxKeys = 1 << 16;
inline constexpr uint64_t kMaxTensors = 1 << 18;
inline constexpr uint64_t kMaxNameBytes = 1 << 10;
inline constexpr uint64_t kMaxStringBytes = 1 << 24;
inline constexpr uint64_t kMaxElements = 1 << 22;   // of an array of strings, or of one that is read
inline constexpr uint64_t kMaxValueBytes = 1 << 30; // of an array that is read

// The bytes of one value; empty for strings and arrays, whose length is in the file.
constexpr std::optional<uint32_t> fixedBytes(ValueType type) {
  switch (type) {
  case ValueType::U8:
  case ValueType::I8:
  case ValueType::Bool:
    return 1;
  case ValueType::U16:
  case ValueType::I16:
    return 2;
  case ValueType::U32:
  case ValueType::I32:
  case ValueType::F32:
    return 4;
  case ValueType::U64:
  case ValueType::I64:
  case ValueType::F64:
    return 8;
  case ValueType::String:
  case ValueType::Array:
    break;
  }
  return std::nullopt;
}

// "u32", "string", ...: for messages.
std::string_view valueTypeName(ValueType type);
// "iq1_m (29)", "type 77": the tensor types that ds4c does not read, by ggml's names.
std::string unreadTypeName(uint32_t ggmlType);
bool isUtf8(std::string_view text);

} // namespace ds4::gguf
