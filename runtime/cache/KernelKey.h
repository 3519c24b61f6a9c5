// What decides the machine code of a kernel: two kernels with equal keys have equal code objects.
//
// Every field is there because some program went wrong without it: code of an older header, another compiler, another
// option, a shape rounded to a bucket. The source instantiates one template with all its shapes and constants, so the
// specialisation is in the key exactly.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ds4 {

struct KernelKey {
  std::string kernel;       // symbol
  std::string architecture; // of the device, "gfx1151"
  std::string compiler;     // RtcClient::identity()
  std::string generator;    // Plan::generator
  std::string source;
  std::string headers;                                          // digestOf() the headers
  std::vector<std::string> options;                             // in order
  std::vector<std::pair<std::string, std::string>> environment; // variables that change what the compiler makes
  uint32_t block = 0;                                           // work-items of a workgroup

  // All fields and the version of the cache's format, each with its length, so that no two keys share a text.
  std::string text() const;
  // SHA-256 of the text: the entry's name.
  std::string digest() const;

  static std::string digestOf(std::span<const std::pair<std::string, std::string>> headers);
  // The variables of this process that compilers read beside their options.
  static std::vector<std::pair<std::string, std::string>> affectingEnvironment();
};

// The value of a field in a key's text; "" when there is none.
std::string fieldOfKey(std::string_view text, std::string_view field);

} // namespace ds4
