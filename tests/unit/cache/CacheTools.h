// What the cache's tests share: a folder of their own, keys, and code objects that cannot be mistaken for one another.
#pragma once

#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runtime/cache/CacheEntry.h"
#include "runtime/cache/CacheFolder.h"
#include "runtime/cache/KernelCache.h"

namespace ds4 {

inline KernelKey keyOf(const std::string &kernel) {
  return {.kernel = kernel,
          .architecture = "gfx1151",
          .compiler = "hipRTC 7.1",
          .generator = "ds4c 0.1.0",
          .source = "void f();",
          .headers = "digest",
          .options = {"-std=c++20", "-O3"},
          .environment = {},
          .block = 64};
}

// `bytes` times the same value: a mixture of two shows.
inline std::vector<std::byte> codeOf(int value, size_t bytes = 20'000) { return std::vector(bytes, static_cast<std::byte>(value)); }

class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    static int count = 0;
    folder_ = fmt::format("{}ds4-cache-{}-{}/a b/ü'$", testing::TempDir(), ::getpid(), count++);
  }
  void TearDown() override { std::filesystem::remove_all(std::filesystem::path(folder_).parent_path().parent_path()); }

  KernelCache cache(CachePolicy policy = CachePolicy::On) {
    return KernelCache(
        {.policy = policy, .folder = folder_, .warn = [this](const std::string &text) { warnings_.push_back(text); }});
  }
  std::string pathOf(const KernelKey &key) const { return folder_ + "/" + key.digest() + ".kernel"; }

  std::string folder_;
  std::vector<std::string> warnings_;
};

} // namespace ds4
