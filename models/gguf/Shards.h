// The file names of a split model: "<stem>-00002-of-00005.gguf", counted from 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ds4::gguf {

class Reader;

struct ShardName {
  std::string stem; // with the folder
  uint32_t number = 1, count = 1;

  std::string path(uint32_t shard) const;
};

// Nothing when the path does not end in the pattern, or in one that makes no sense ("-00000-of-00003", "-00004-of-00003").
std::optional<ShardName> parseShardName(const std::string &path);

// The files that a model is read from, for refuseToReplace().
std::vector<std::string> pathsOf(const Reader &file);

} // namespace ds4::gguf
