#include "runtime/ResponseDigest.h"

#include <bit>

#include "support/Sha256.h"

namespace ds4 {

static_assert(std::endian::native == std::endian::little, "ids are hashed as they lie in memory");

std::string responseDigest(std::span<const int32_t> tokens) {
  Sha256 digest;
  digest.update(std::as_bytes(tokens));
  return digest.finish();
}

} // namespace ds4
