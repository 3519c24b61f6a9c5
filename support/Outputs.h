// Where outputs go: what their names stand for, and that no two of them are one file.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ds4 {

// Where a symbolic link leads, be there a file or not; any other path as it is. Throws ds4::Error (User) for a link that leads to
// itself.
std::string followLinks(const std::string &path);

struct NamedOutput {
  std::string_view option; // that names it: "--session"
  std::string path;        // "": it was not asked for
};

// Throws ds4::Error (User) when two of them are one file, by whatever names.
void refuseOneFileForTwo(std::span<const NamedOutput> outputs);

} // namespace ds4
