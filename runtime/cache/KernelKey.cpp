#include "runtime/cache/KernelKey.h"

#include <charconv>
#include <cstdlib>

#include "support/Error.h"
#include "support/Sha256.h"

namespace ds4 {

namespace {

constexpr std::string_view kFormat = "1";

// Read by comgr, hipRTC, Clang's driver and NVRTC.
constexpr const char *kVariables[] = {"AMD_COMGR_DRIVER_OPTIONS_APPEND",
                                      "HIPRTC_COMPILE_OPTIONS_APPEND",
                                      "HIPRTC_LINK_OPTIONS_APPEND",
                                      "CCC_OVERRIDE_OPTIONS",
                                      "NVRTC_PREPEND_FLAGS",
                                      "NVRTC_APPEND_FLAGS"};

void append(std::string &text, std::string_view field, std::string_view value) {
  text += fmt::format("{} {}\n{}\n", field, value.size(), value);
}

} // namespace

std::string KernelKey::text() const {
  std::string text;
  append(text, "format", kFormat);
  append(text, "kernel", kernel);
  append(text, "architecture", architecture);
  append(text, "compiler", compiler);
  append(text, "generator", generator);
  append(text, "headers", headers);
  append(text, "block", std::to_string(block));
  for (const std::string &option : options)
    append(text, "option", option);
  for (const auto &[name, value] : environment) {
    append(text, "variable", name);
    append(text, "value", value);
  }
  append(text, "source", source);
  return text;
}

std::string KernelKey::digest() const { return sha256Hex(text()); }

std::string KernelKey::digestOf(std::span<const std::pair<std::string, std::string>> headers) {
  Sha256 digest;
  for (const auto &[name, text] : headers) {
    digest.updateField(name);
    digest.updateField(text);
  }
  return digest.finish();
}

std::vector<std::pair<std::string, std::string>> KernelKey::affectingEnvironment() {
  std::vector<std::pair<std::string, std::string>> set;
  for (const char *name : kVariables)
    if (const char *value = std::getenv(name); value && *value)
      set.emplace_back(name, value);
  return set;
}

std::string fieldOfKey(std::string_view text, std::string_view field) {
  while (!text.empty()) {
    const size_t blank = text.find(' '), line = text.find('\n');
    if (line == text.npos || blank > line)
      return "";
    size_t bytes = 0;
    const auto [end, error] = std::from_chars(text.data() + blank + 1, text.data() + line, bytes);
    if (error != std::errc() || end != text.data() + line || bytes >= text.size() - line - 1)
      return "";
    if (text.substr(0, blank) == field)
      return std::string(text.substr(line + 1, bytes));
    text.remove_prefix(line + 1 + bytes + 1);
  }
  return "";
}

} // namespace ds4
