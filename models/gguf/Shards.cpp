#include "models/gguf/Shards.h"

#include <charconv>

#include <fmt/format.h>

#include "models/gguf/Reader.h"

namespace ds4::gguf {

std::string ShardName::path(uint32_t shard) const { return fmt::format("{}-{:05}-of-{:05}.gguf", stem, shard, count); }

std::optional<ShardName> parseShardName(const std::string &path) {
  constexpr size_t kSuffix = sizeof("-00001-of-00001.gguf") - 1;
  if (path.size() <= kSuffix)
    return std::nullopt;
  ShardName name;
  name.stem = path.substr(0, path.size() - kSuffix);
  const char *number = path.data() + name.stem.size() + 1, *count = number + sizeof("00001-of-") - 1;
  std::from_chars(number, number + 5, name.number);
  std::from_chars(count, count + 5, name.count);
  // Printing back what was understood is the test for the pattern.
  if (name.number < 1 || name.number > name.count || name.path(name.number) != path)
    return std::nullopt;
  return name;
}

std::vector<std::string> pathsOf(const Reader &file) {
  std::vector<std::string> paths;
  for (const File &shard : file.shards())
    paths.push_back(shard.path());
  return paths;
}

} // namespace ds4::gguf
