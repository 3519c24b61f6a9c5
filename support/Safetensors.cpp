#include "support/Safetensors.h"

#include <array>
#include <span>

#include <nlohmann/json.hpp>

#include "support/Error.h"

namespace ds4 {

Safetensors::Safetensors(const std::string &path) : file_(path) {
  uint64_t headerBytes = 0;
  if (file_.size() < sizeof(headerBytes))
    userError("{}: not a safetensors file, shorter than its header", path);
  file_.read(0, std::as_writable_bytes(std::span(&headerBytes, 1)));
  if (headerBytes > file_.size() - sizeof(headerBytes))
    userError("{}: not a safetensors file, or truncated: its header wants {} bytes", path, headerBytes);
  std::string text(headerBytes, '\0');
  file_.read(sizeof(headerBytes), std::as_writable_bytes(std::span(text)));
  uint64_t begin = sizeof(headerBytes) + headerBytes, available = file_.size() - begin;
  try {
    const nlohmann::json header = nlohmann::json::parse(text);
    for (const auto &[name, value] : header.items()) {
      if (name == "__metadata__")
        continue;
      auto [first, last] = value.at("data_offsets").get<std::array<uint64_t, 2>>();
      if (first > last || last > available)
        userError("{}: array \"{}\" lies outside the file: get the file again", path, name);
      entries_[name] = {value.at("dtype"), value.at("shape"), begin + first, last - first};
    }
  } catch (const nlohmann::json::exception &exception) {
    userError("{}: malformed safetensors header: {}", path, exception.what());
  }
}

const Safetensors::Entry &Safetensors::entry(const std::string &name) const {
  auto found = entries_.find(name);
  if (found == entries_.end())
    userError("{}: no array \"{}\": wrong file for this purpose?", file_.path(), name);
  return found->second;
}

template <typename T> std::vector<T> Safetensors::read(const std::string &name, const char *dtype) const {
  const Entry &array = entry(name);
  uint64_t count = 1;
  for (int64_t size : array.shape)
    if (size < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(size), &count))
      userError("{}: array \"{}\" has an impossible shape", file_.path(), name);
  if (array.dtype != dtype || array.bytes / sizeof(T) != count || array.bytes % sizeof(T) != 0)
    userError("{}: array \"{}\" is {} of {} bytes, {} values of {} are wanted", file_.path(), name, array.dtype, array.bytes, count,
              dtype);
  std::vector<T> values(count);
  file_.read(array.offset, std::as_writable_bytes(std::span(values)));
  return values;
}

std::vector<float> Safetensors::floats(const std::string &name) const { return read<float>(name, "F32"); }
std::vector<int32_t> Safetensors::ints(const std::string &name) const { return read<int32_t>(name, "I32"); }

} // namespace ds4
