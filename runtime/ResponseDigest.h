// The identity of a response, by which two runs are compared.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace ds4 {

// SHA-256 of the token ids, each as four bytes, lowest first: 64 hex digits.
std::string responseDigest(std::span<const int32_t> tokens);

} // namespace ds4
