#include "tools/ds4-golden/GoldenFile.h"

#include <filesystem>

#include "support/Error.h"
#include "support/File.h"

namespace ds4::golden {

void readGoldenJson(const std::string &path, const std::function<void(const nlohmann::json &)> &read) {
  std::vector<std::byte> bytes = File(path).readAll();
  const char *text = reinterpret_cast<const char *>(bytes.data());
  try {
    read(nlohmann::json::parse(text, text + bytes.size()));
  } catch (const nlohmann::json::exception &exception) {
    userError("{}: not a file of expected values: {}", path, exception.what());
  }
}

std::string arraysBeside(const std::string &jsonPath) {
  return std::filesystem::path(jsonPath).replace_extension(".safetensors").string();
}

} // namespace ds4::golden
