#include "support/Sha256.h"

#include <cstdint>
#include <openssl/evp.h>

#include "support/Error.h"

namespace ds4 {

struct Sha256::Context {
  EVP_MD_CTX *evp = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(evp); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  if (!context_->evp || EVP_DigestInit_ex(context_->evp, EVP_sha256(), nullptr) != 1)
    environmentError("libcrypto offers no SHA-256: install libssl3");
}

Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) { EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size()); }

void Sha256::updateField(std::string_view text) {
  uint64_t length = text.size();
  update(std::as_bytes(std::span(&length, 1)));
  update(text);
}

std::string Sha256::finish() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_DigestFinal_ex(context_->evp, digest, &length);
  std::string hex;
  for (unsigned i = 0; i < length; ++i)
    hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

std::string sha256Hex(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.finish();
}

} // namespace ds4
