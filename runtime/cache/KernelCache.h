// The user's cache of compiled kernels, which outlives runs. It never makes a run fail but with ReadOnly: where it cannot be
// read or written, one warning is given and kernels are compiled as without it.
//
// Files are written whole under another name and renamed, and checked whole when found; any number of processes may use
// one folder. An object is used from one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cache/KernelKey.h"

namespace ds4 {

enum class CachePolicy {
  On,       // find, compile what is missing, store
  Off,      // as if there were none
  ReadOnly, // find; a kernel that is missing is an error, nothing is compiled or written
  Redo,     // compile all, store
};

// "on", "off", "readonly", "redo". Throws ds4::Error (User) for other words.
CachePolicy parseCachePolicy(std::string_view word);

struct CacheOptions {
  static constexpr uint64_t kDefaultMaxBytes = uint64_t(512) << 20;

  CachePolicy policy = CachePolicy::On;
  std::string folder;                   // "": defaultCacheFolder()
  uint64_t maxBytes = kDefaultMaxBytes; // what trim() leaves
  std::function<void(const std::string &)> warn;
};

class KernelCache {
public:
  explicit KernelCache(CacheOptions options);

  const std::string &folder() const { return options_.folder; }
  CachePolicy policy() const { return options_.policy; }
  size_t found() const { return found_; } // code objects that find() has returned

  // The code object of the key, or nothing. A damaged entry is put aside. With ReadOnly throws ds4::Error (Environment)
  // naming the key when there is none.
  std::optional<std::vector<std::byte>> find(const KernelKey &key);
  void store(const KernelKey &key, std::span<const std::byte> code);
  // Puts an entry aside that was found but that the device refuses.
  void reject(const KernelKey &key, std::string_view reason);
  // Removes the least recently used entries beyond the cap.
  void trim();

private:
  std::string pathOf(const KernelKey &key) const;
  bool writes() const { return usable_ && options_.policy != CachePolicy::ReadOnly; }
  void warn(const std::string &text);

  CacheOptions options_;
  size_t found_ = 0;
  bool usable_ = false, storing_ = true; // storing_: until the first failure
  std::string unusable_;                 // why, with ReadOnly
};

} // namespace ds4
