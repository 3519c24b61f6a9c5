// Entries of the kernel cache: as they come, and with the checksum made right.
#include <algorithm>

#include "runtime/cache/CacheEntry.h"
#include "runtime/cache/KernelKey.h"
#include "support/Sha256.h"
#include "tests/fuzz/Fuzz.h"

using namespace ds4;

namespace {

void use(std::span<const std::byte> bytes) {
  const CacheEntry entry = decodeEntry(bytes);
  fuzz::require(std::ranges::equal(encodeEntry(entry), bytes), "an entry that is written otherwise than read");
  for (const char *field : {"kernel", "architecture", "compiler", "source", "nothing"})
    fieldOfKey(entry.key, field);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const auto bytes = fuzz::bytesOf(data, size);
  fuzz::read(ExitCode::Environment, [&] { use(bytes); });
  fieldOfKey(fuzz::textOf(data, size), "kernel");
  std::vector<std::byte> right(bytes.begin(), bytes.end());
  for (const char digit : sha256Hex(fuzz::textOf(data, size)))
    right.push_back(static_cast<std::byte>(digit));
  return fuzz::read(ExitCode::Environment, [&] { use(right); });
}
