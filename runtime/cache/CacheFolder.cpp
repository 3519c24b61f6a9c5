#include "runtime/cache/CacheFolder.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>

#include <sys/stat.h>
#include <unistd.h>

#include "runtime/cache/CacheEntry.h"
#include "support/Error.h"
#include "support/Sha256.h"

namespace ds4 {

namespace fs = std::filesystem;

namespace {

constexpr size_t kDigestDigits = 64;
constexpr auto kLeftBehindAfter = std::chrono::hours(1);

bool isEntryName(std::string_view name) {
  return name.size() == kDigestDigits + std::string_view(".kernel").size() && name.ends_with(".kernel") &&
         name.find_first_not_of("0123456789abcdef") == kDigestDigits;
}

bool isLeftover(std::string_view name) { return name.ends_with(".bad") || name.find(".kernel.tmp.") != name.npos; }

std::string absolute(const char *variable, const char *tail) {
  const char *value = std::getenv(variable);
  if (!value || *value != '/' || std::string_view(value).find_first_not_of('/') == std::string_view::npos)
    return ""; // HOME=/ is the home of no one
  return (fs::path(value) / tail).string();
}

} // namespace

std::string defaultCacheFolder() {
  constexpr std::pair<const char *, const char *> kPlaces[] = {
      {"DS4C_CACHE_DIR", "kernels"}, {"XDG_CACHE_HOME", "ds4c/kernels"}, {"HOME", ".cache/ds4c/kernels"}};
  for (const auto &[variable, tail] : kPlaces)
    if (std::string folder = absolute(variable, tail); !folder.empty())
      return folder;
  return "";
}

std::optional<std::string> checkCacheFolder(const std::string &folder) {
  if (folder.empty())
    return "neither HOME nor XDG_CACHE_HOME names a folder";
  struct stat status;
  if (::stat(folder.c_str(), &status) != 0)
    return fmt::format("'{}': {}", folder, std::strerror(errno));
  if (!S_ISDIR(status.st_mode))
    return fmt::format("'{}' is no folder", folder);
  if (status.st_uid != ::geteuid())
    return fmt::format("'{}' belongs to another user", folder);
  if (status.st_mode & S_IWOTH)
    return fmt::format("everyone may write to '{}'", folder);
  return std::nullopt;
}

std::optional<std::string> prepareCacheFolder(const std::string &folder) {
  for (size_t at = folder.find('/', 1); !folder.empty(); at = folder.find('/', at + 1)) {
    const std::string part = folder.substr(0, at);
    const int reason = ::mkdir(part.c_str(), 0700) == 0 ? 0 : errno;
    if (reason != 0 && reason != EEXIST && ::access(part.c_str(), F_OK) != 0)
      return fmt::format("cannot make '{}': {}", part, std::strerror(reason));
    if (at == folder.npos)
      break;
  }
  return checkCacheFolder(folder);
}

std::vector<CacheFile> listCacheFiles(const std::string &folder) {
  std::vector<CacheFile> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    struct stat status;
    if ((!isEntryName(name) && !isLeftover(name)) || ::lstat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != ::geteuid())
      continue; // it may have gone meanwhile
    const auto used = fs::last_write_time(at->path(), error);
    if (!error)
      files.push_back({at->path().string(), isEntryName(name) ? name.substr(0, kDigestDigits) : "",
                       static_cast<uint64_t>(status.st_size), used});
    error.clear();
  }
  std::sort(files.begin(), files.end(), [](const CacheFile &a, const CacheFile &b) { return a.path < b.path; });
  return files;
}

VerifyReport verifyCache(const std::string &folder) {
  if (const auto reason = checkCacheFolder(folder))
    environmentError("no kernel cache: {}", *reason);
  VerifyReport report;
  for (const CacheFile &file : listCacheFiles(folder)) {
    if (file.digest.empty())
      continue;
    try {
      if (sha256Hex(readEntry(file.path).key) != file.digest)
        environmentError("it holds the kernel of another key");
      ++report.entries;
      report.bytes += file.bytes;
    } catch (const Error &error) {
      if (::access(file.path.c_str(), F_OK) != 0)
        continue; // another process has put it aside or pruned it
      report.damaged.push_back(fmt::format("{}: {}", file.path, error.what()));
      putAside(file.path);
    }
  }
  return report;
}

PruneReport pruneCache(const std::string &folder, uint64_t maxBytes) {
  const auto now = fs::file_time_type::clock::now();
  PruneReport report;
  auto remove = [&](const CacheFile &file) {
    if (::unlink(file.path.c_str()) == 0) {
      ++report.removed;
      report.removedBytes += file.bytes;
    }
  };
  std::vector<CacheFile> entries;
  for (CacheFile &file : listCacheFiles(folder)) {
    const bool finished =
        !file.digest.empty() || (!file.path.ends_with(".bad") && std::chrono::abs(now - file.used) < kLeftBehindAfter);
    if (!finished)
      remove(file);
    else if (!file.digest.empty())
      entries.push_back(std::move(file));
  }
  for (CacheFile &entry : entries)
    if (entry.used > now + kLeftBehindAfter)
      entry.used = fs::file_time_type::min();
  std::ranges::sort(entries, std::greater{}, &CacheFile::used);
  for (const CacheFile &entry : entries) {
    if (report.keptBytes + entry.bytes > maxBytes) {
      remove(entry);
      continue;
    }
    ++report.kept;
    report.keptBytes += entry.bytes;
  }
  return report;
}

void putAside(const std::string &path) {
  const std::string aside = fs::path(path).replace_extension(".bad").string();
  if (::rename(path.c_str(), aside.c_str()) != 0)
    ::unlink(path.c_str());
}

} // namespace ds4
