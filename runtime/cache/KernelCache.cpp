#include "runtime/cache/KernelCache.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/cache/CacheEntry.h"
#include "runtime/cache/CacheFolder.h"
#include "support/Error.h"
#include "support/File.h"

namespace ds4 {

CachePolicy parseCachePolicy(std::string_view word) {
  constexpr std::pair<std::string_view, CachePolicy> kWords[] = {
      {"on", CachePolicy::On}, {"off", CachePolicy::Off}, {"readonly", CachePolicy::ReadOnly}, {"redo", CachePolicy::Redo}};
  for (const auto &[name, policy] : kWords)
    if (word == name)
      return policy;
  userError("unknown kernel cache policy '{}': use on, off, readonly or redo", word);
}

KernelCache::KernelCache(CacheOptions options) : options_(std::move(options)) {
  if (options_.policy == CachePolicy::Off)
    return;
  if (options_.folder.empty())
    options_.folder = defaultCacheFolder();
  const auto reason =
      options_.policy == CachePolicy::ReadOnly ? checkCacheFolder(options_.folder) : prepareCacheFolder(options_.folder);
  usable_ = !reason;
  if (reason && options_.policy == CachePolicy::ReadOnly)
    unusable_ = *reason; // for the error of the first kernel, which ends the run
  else if (reason)
    warn(fmt::format("no kernel cache, compiled kernels are not kept: {}", *reason));
}

std::string KernelCache::pathOf(const KernelKey &key) const { return options_.folder + "/" + key.digest() + ".kernel"; }

std::optional<std::vector<std::byte>> KernelCache::find(const KernelKey &key) {
  if (options_.policy == CachePolicy::Redo || options_.policy == CachePolicy::Off)
    return std::nullopt;
  const std::string path = usable_ ? pathOf(key) : "";
  struct stat status;
  if (usable_ && ::lstat(path.c_str(), &status) == 0) {
    try {
      if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
        environmentError("it is no file of this user");
      CacheEntry entry = readEntry(path);
      if (entry.key != key.text())
        environmentError("it holds the kernel of another key");
      if (writes())
        ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); // used now
      ++found_;
      return std::move(entry.code);
    } catch (const Error &error) {
      reject(key, error.what());
    }
  }
  if (options_.policy == CachePolicy::ReadOnly)
    environmentError("kernel {} for {} is not in the cache '{}' (key {}), which is read only{}: run once with --kernel-cache on",
                     key.kernel, key.architecture, options_.folder, key.digest(),
                     unusable_.empty() ? "" : fmt::format(" and cannot be used ({})", unusable_));
  return std::nullopt;
}

void KernelCache::store(const KernelKey &key, std::span<const std::byte> code) {
  if (!writes() || !storing_)
    return;
  try {
    writeFileAtomically(pathOf(key), encodeEntry({key.text(), {code.begin(), code.end()}}));
  } catch (const Error &error) {
    storing_ = false;
    warn(fmt::format("compiled kernels are not kept: {}", error.what()));
  }
}

void KernelCache::reject(const KernelKey &key, std::string_view reason) {
  if (!usable_)
    return;
  warn(fmt::format("cached kernel {} is not used: {}{}", key.kernel, reason, writes() ? ": compiled again" : ""));
  if (writes())
    putAside(pathOf(key));
}

void KernelCache::trim() {
  if (writes())
    pruneCache(options_.folder, options_.maxBytes);
}

void KernelCache::warn(const std::string &text) {
  if (options_.warn)
    options_.warn(text);
}

} // namespace ds4
