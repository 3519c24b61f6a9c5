// SHA-256 (FIPS 180-4) through OpenSSL: identity of models, kernels and cache entries.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ds4 {

class Sha256 {
public:
  Sha256();
  ~Sha256();
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }
  // Length-prefixed: fields of a key cannot run into each other.
  void updateField(std::string_view text);
  // 64 lower-case hex digits; call once.
  std::string finish();

private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256Hex(std::string_view text);

} // namespace ds4
