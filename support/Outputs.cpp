#include "support/Outputs.h"

#include <filesystem>

#include "support/Error.h"

namespace ds4 {

namespace {

bool sameFile(const std::string &a, const std::string &b) {
  std::error_code absent, unknown;
  return std::filesystem::equivalent(a, b, absent) || // else, of files that are not there yet, the names decide
         std::filesystem::weakly_canonical(followLinks(a), unknown) == std::filesystem::weakly_canonical(followLinks(b), unknown);
}

} // namespace

std::string followLinks(const std::string &path) {
  constexpr int kMostLinks = 40; // Linux' own limit
  std::filesystem::path place = path;
  for (int link = 0; link <= kMostLinks; ++link) {
    std::error_code none;
    const std::filesystem::path target = std::filesystem::read_symlink(place, none);
    if (none)
      return place.string();
    place = place.parent_path() / target;
  }
  userError("'{}' is a link that leads to itself: choose another output", path);
}

void refuseOneFileForTwo(std::span<const NamedOutput> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i)
    for (size_t k = i + 1; k < outputs.size(); ++k)
      if (!outputs[i].path.empty() && !outputs[k].path.empty() && sameFile(outputs[i].path, outputs[k].path))
        userError("{} and {} both write '{}': name two files", outputs[i].option, outputs[k].option, outputs[k].path);
}

} // namespace ds4
