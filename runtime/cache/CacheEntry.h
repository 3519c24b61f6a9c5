// One file of the kernel cache: magic "DS4K", version (u32), length of the key's text (u64), of the code object (u64),
// both, and the SHA-256 of everything before it (64 hex digits). Numbers are little-endian.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ds4 {

struct CacheEntry {
  std::string key; // KernelKey::text()
  std::vector<std::byte> code;
};

std::vector<std::byte> encodeEntry(const CacheEntry &entry);

// Throws ds4::Error (Environment) that says what is wrong when the bytes are no whole, undamaged entry.
CacheEntry decodeEntry(std::span<const std::byte> bytes);
// Of a file; one that is longer than any entry is not read.
CacheEntry readEntry(const std::string &path);

} // namespace ds4
