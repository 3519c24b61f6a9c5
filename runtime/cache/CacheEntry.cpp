#include "runtime/cache/CacheEntry.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "support/Error.h"
#include "support/File.h"
#include "support/Sha256.h"

namespace ds4 {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

constexpr uint32_t kVersion = 1;

struct Header {
  char magic[4] = {'D', 'S', '4', 'K'};
  uint32_t version = kVersion;
  uint64_t keyBytes = 0, codeBytes = 0;
};

constexpr size_t kDigestBytes = 64;
constexpr uint64_t kMostBytes = uint64_t(512) << 20; // what compilers are asked and answer has half of that at most

std::string_view textOf(std::span<const std::byte> bytes) { return {reinterpret_cast<const char *>(bytes.data()), bytes.size()}; }

} // namespace

std::vector<std::byte> encodeEntry(const CacheEntry &entry) {
  Header header;
  header.keyBytes = entry.key.size();
  header.codeBytes = entry.code.size();
  std::vector<std::byte> bytes;
  bytes.reserve(sizeof header + entry.key.size() + entry.code.size() + kDigestBytes);
  auto append = [&](std::span<const std::byte> part) { bytes.insert(bytes.end(), part.begin(), part.end()); };
  append(std::as_bytes(std::span(&header, 1)));
  append(std::as_bytes(std::span(entry.key)));
  append(entry.code);
  const std::string digest = sha256Hex(textOf(bytes));
  append(std::as_bytes(std::span(digest)));
  return bytes;
}

CacheEntry decodeEntry(std::span<const std::byte> bytes) {
  Header header;
  if (bytes.size() < sizeof header + kDigestBytes)
    environmentError("it has {} bytes, too few for any entry", bytes.size());
  const Header expected;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, expected.magic, sizeof expected.magic) != 0)
    environmentError("it does not begin as an entry");
  if (header.version != kVersion)
    environmentError("it has format version {}, this program reads {}", header.version, kVersion);
  const uint64_t room = bytes.size() - sizeof header - kDigestBytes;
  if (header.keyBytes > room || header.codeBytes != room - header.keyBytes)
    environmentError("its length is not the one that it states");
  if (sha256Hex(textOf(bytes.first(bytes.size() - kDigestBytes))) != textOf(bytes.last(kDigestBytes)))
    environmentError("its checksum does not match");
  const auto key = bytes.subspan(sizeof header, header.keyBytes);
  const auto code = bytes.subspan(sizeof header + header.keyBytes, header.codeBytes);
  return {std::string(textOf(key)), {code.begin(), code.end()}};
}

CacheEntry readEntry(const std::string &path) {
  const File file(path);
  if (file.size() > kMostBytes)
    environmentError("it has {} bytes, too many for any entry", file.size());
  return decodeEntry(file.readAll());
}

} // namespace ds4
