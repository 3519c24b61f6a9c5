#include "models/gguf/Reader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "models/gguf/Header.h"
#include "models/gguf/Shards.h"
#include "support/Error.h"
#include "support/Printable.h"

namespace ds4::gguf {

namespace {

std::optional<uint64_t> splitValue(const File &file, const Header &header, std::string_view key) {
  const Entry *entry = header.find(key);
  return entry ? std::optional(readUnsigned(file, *entry)) : std::nullopt;
}

void checkAllShardsExist(const std::string &path, const ShardName &name) {
  constexpr size_t kListed = 20;
  std::vector<std::string> missing;
  size_t more = 0;
  for (uint32_t shard = 1; shard <= name.count; ++shard) {
    std::error_code ignored;
    if (std::filesystem::exists(name.path(shard), ignored))
      continue;
    if (missing.size() < kListed)
      missing.push_back(fmt::format("'{}'", std::filesystem::path(name.path(shard)).filename().string()));
    else
      ++more;
  }
  if (!missing.empty())
    userError("'{}' is one of {} shards, missing beside it: {}{}: fetch them into the same folder", path, name.count,
              fmt::join(missing, ", "), more ? fmt::format(" and {} more", more) : "");
}

double floatAt(const std::byte *bytes, ValueType type) {
  auto as = [&]<typename T>(T value) {
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
  };
  return type == ValueType::F32 ? as(0.0f) : as(0.0);
}

} // namespace

Reader Reader::open(const std::string &path, WeightFormat rocmFp2) {
  File file(path);
  const Header header = readHeader(file);
  const uint64_t count = splitValue(file, header, "split.count").value_or(1);
  const auto name = parseShardName(path);
  Reader reader;
  reader.path_ = path;
  reader.rocmFp2_ = rocmFp2;
  if (count <= 1 && !(name && header.find("split.count") && name->count != 1)) {
    reader.addShard(std::move(file), 0, 1);
    return reader;
  }

  if (!name)
    userError("'{}' is one of {} shards, but its name does not end in '-00001-of-{:05}.gguf': restore the shards' names", path,
              count, count);
  if (name->count != count)
    userError("'{}' says that the model has {} shards, its name says {}: restore the shards' names", path, count, name->count);
  checkAllShardsExist(path, *name);
  for (uint32_t shard = 0; shard < name->count; ++shard)
    reader.addShard(File(name->path(shard + 1)), shard, name->count);
  if (const Entry *total = reader.find("split.tensors.count"))
    if (const uint64_t wanted = ds4::gguf::readUnsigned(reader.shards_[0], *total); wanted != reader.tensors_.size())
      userError("'{}': the shards hold {} tensors, {} are wanted: they belong to different models, fetch them again", path,
                reader.tensors_.size(), wanted);
  return reader;
}

void Reader::addShard(File file, uint32_t index, uint32_t count) {
  Header header = readHeader(file);
  if (count > 1) {
    const auto number = splitValue(file, header, "split.no"), total = splitValue(file, header, "split.count");
    if (number != index || total != count)
      userError("'{}' says that it is shard {} of {}, its name says {} of {}: restore the shards' names", file.path(),
                number ? fmt::to_string(*number + 1) : "?", total ? fmt::to_string(*total) : "?", index + 1, count);
  }
  if (index == 0) {
    version_ = header.version;
    entries_ = std::move(header.entries);
    for (size_t i = 0; i < entries_.size(); ++i)
      entryOf_.emplace(entries_[i].key, i);
  }
  for (TensorInfo &tensor : header.tensors) {
    tensor.shard = index;
    if (tensor.format->id == WeightFormat::RocmFp2)
      tensor.format = &formatOf(rocmFp2_);
    if (!tensorOf_.emplace(tensor.name, tensors_.size()).second)
      userError("'{}': the tensor {} occurs in an earlier shard too: the shards do not belong together", file.path(),
                quoteName(tensor.name));
    tensors_.push_back(std::move(tensor));
  }
  shards_.push_back(std::move(file));
}

const Entry *Reader::find(std::string_view key) const {
  const auto found = entryOf_.find(std::string(key));
  return found == entryOf_.end() ? nullptr : &entries_[found->second];
}

const TensorInfo *Reader::findTensor(std::string_view name) const {
  const auto found = tensorOf_.find(std::string(name));
  return found == tensorOf_.end() ? nullptr : &tensors_[found->second];
}

const Entry &Reader::require(std::string_view key, bool array) const {
  const Entry *entry = find(key);
  if (!entry)
    userError("'{}' has no key {}: the file is incomplete, convert the model again", path_, quoteName(key));
  if ((entry->type == ValueType::Array) != array)
    userError("'{}': key {} is of type {}, {} is wanted", path_, quoteName(key), valueTypeName(entry->type),
              array ? "an array" : "a single value");
  if (array && entry->count > kMaxElements)
    userError("'{}': key {} has {} values, more than any model has: the file is damaged", path_, quoteName(key), entry->count);
  return *entry;
}

uint64_t Reader::readUnsigned(std::string_view key) const { return ds4::gguf::readUnsigned(shards_[0], require(key, false)); }

std::vector<std::byte> Reader::readRaw(const Entry &entry) const {
  if (entry.bytes > kMaxValueBytes)
    userError("'{}': key {} has {} bytes, more than any model has: the file is damaged", path_, quoteName(entry.key), entry.bytes);
  std::vector<std::byte> bytes(entry.bytes);
  shards_[0].read(entry.offset, bytes);
  return bytes;
}

double Reader::readFloat(std::string_view key) const {
  const Entry &entry = require(key, false);
  double value;
  if (entry.type == ValueType::F32 || entry.type == ValueType::F64)
    value = floatAt(readRaw(entry).data(), entry.type);
  else if (entry.type != ValueType::String && entry.type != ValueType::Bool)
    value = static_cast<double>(readUnsigned(key));
  else
    userError("'{}': key {} is of type {}, a number is wanted", path_, quoteName(key), valueTypeName(entry.type));
  if (!std::isfinite(value))
    userError("'{}': key {} is {}, a finite number is wanted", path_, quoteName(key), value);
  return value;
}

bool Reader::readBool(std::string_view key) const {
  const Entry &entry = require(key, false);
  if (entry.type != ValueType::Bool)
    userError("'{}': key {} is of type {}, a bool is wanted", path_, quoteName(key), valueTypeName(entry.type));
  return readRaw(entry)[0] != std::byte{0};
}

std::string Reader::readString(std::string_view key) const {
  const Entry &entry = require(key, false);
  if (entry.type != ValueType::String)
    userError("'{}': key {} is of type {}, a string is wanted", path_, quoteName(key), valueTypeName(entry.type));
  const std::vector<std::byte> bytes = readRaw(entry);
  return std::string(reinterpret_cast<const char *>(bytes.data()) + sizeof(uint64_t), bytes.size() - sizeof(uint64_t));
}

std::vector<uint64_t> Reader::readUnsignedArray(std::string_view key) const {
  const Entry &array = require(key, true);
  const std::vector<std::byte> bytes = readRaw(array);
  std::vector<uint64_t> values;
  for (uint64_t i = 0; i < array.count; ++i)
    values.push_back(decodeUnsigned(shards_[0], array, array.elementType, bytes.data() + i * (array.bytes / array.count)));
  return values;
}

std::vector<double> Reader::readFloatArray(std::string_view key) const {
  const Entry &array = require(key, true);
  if (array.elementType != ValueType::F32 && array.elementType != ValueType::F64)
    userError("'{}': key {} is an array of {}, floating-point numbers are wanted", path_, quoteName(key),
              valueTypeName(array.elementType));
  const std::vector<std::byte> bytes = readRaw(array);
  std::vector<double> values;
  for (size_t at = 0; at < bytes.size(); at += *fixedBytes(array.elementType)) {
    values.push_back(floatAt(bytes.data() + at, array.elementType));
    if (!std::isfinite(values.back()))
      userError("'{}': key {} holds {}, finite numbers are wanted", path_, quoteName(key), values.back());
  }
  return values;
}

std::vector<std::string> Reader::readStringArray(std::string_view key) const {
  const Entry &array = require(key, true);
  if (array.elementType != ValueType::String)
    userError("'{}': key {} is an array of {}, strings are wanted", path_, quoteName(key), valueTypeName(array.elementType));
  const std::vector<std::byte> bytes = readRaw(array);
  std::vector<std::string> values;
  values.reserve(array.count);
  for (size_t at = 0; at < bytes.size();) {
    uint64_t length;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    at += sizeof length;
    // The file may have been rewritten since its header was walked.
    if (length > bytes.size() - at)
      userError("'{}': key {} changed while the file was read: try again", path_, quoteName(key));
    values.emplace_back(reinterpret_cast<const char *>(bytes.data()) + at, length);
    at += length;
  }
  return values;
}

void Reader::readTensor(const TensorInfo &tensor, uint64_t offset, std::span<std::byte> out) const {
  if (offset > tensor.bytes || out.size() > tensor.bytes - offset)
    internalError("tensor {} has {} bytes, {} at {} were asked for", quoteName(tensor.name), tensor.bytes, out.size(), offset);
  shards_[tensor.shard].read(tensor.offset + offset, out);
}

} // namespace ds4::gguf
