// The folder of the kernel cache and what lies in it.
//
// Entries are named by their key's digest: <64 hex digits>.kernel; a damaged one that was put aside is .bad, an unfinished
// one of a killed process .kernel.tmp.<random>. A cached code object is executable content, so a folder or file of
// another user is refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ds4 {

// $DS4C_CACHE_DIR, else $XDG_CACHE_HOME/ds4c, else $HOME/.cache/ds4c, each followed by /kernels; "" when none is set to
// an absolute path.
std::string defaultCacheFolder();

// Makes the folder and those above it, for this user alone. The reason when it cannot be used, else nothing.
std::optional<std::string> prepareCacheFolder(const std::string &folder);
// The same without making any.
std::optional<std::string> checkCacheFolder(const std::string &folder);

struct CacheFile {
  std::string path;
  std::string digest; // from the name; "" for others than whole entries
  uint64_t bytes = 0;
  std::filesystem::file_time_type used; // when it was last found or written
};

// The cache's files: entries, and what was put aside or left behind. Not those of anyone else, nor other names.
std::vector<CacheFile> listCacheFiles(const std::string &folder);

struct VerifyReport {
  uint64_t entries = 0, bytes = 0;
  std::vector<std::string> damaged; // "<path>: <reason>", put aside
};

// Checks every entry whole. Throws ds4::Error (Environment) when the folder cannot be used.
VerifyReport verifyCache(const std::string &folder);

struct PruneReport {
  uint64_t removed = 0, removedBytes = 0, kept = 0, keptBytes = 0;
};

// Removes what was put aside or left behind more than an hour ago, then the entries that were used least recently until
// the rest has at most `maxBytes`. An entry from the future (a clock was set back) counts as the least recent.
PruneReport pruneCache(const std::string &folder, uint64_t maxBytes);

// Renames a damaged entry so that no one finds it again; removes it where it cannot be renamed.
void putAside(const std::string &path);

} // namespace ds4
