#include "tools/rtc/CompilerLibraries.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <fmt/format.h>

namespace ds4 {

namespace {

namespace fs = std::filesystem;

constexpr const char *kCompilerNames[] = {"hiprtc", "amdhip64", "amd_comgr", "LLVM", "clang-cpp", "ds4sim", "ds4cuda", "nvrtc"};

bool isOfCompiler(const std::string &path) {
  const std::string name = fs::path(path).filename().string();
  return std::any_of(std::begin(kCompilerNames), std::end(kCompilerNames),
                     [&](const char *part) { return name.find(part) != name.npos; });
}

std::string buildId(const dl_phdr_info &info) {
  for (size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE)
      continue;
    const char *at = reinterpret_cast<const char *>(info.dlpi_addr + segment.p_vaddr), *end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      auto padded = [](size_t bytes) { return (bytes + 3) / 4 * 4; };
      const char *name = at + sizeof note, *value = name + padded(note.n_namesz);
      at = value + padded(note.n_descsz);
      if (at > end || note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || std::memcmp(name, "GNU", 4) != 0)
        continue;
      std::string digits;
      for (size_t b = 0; b < note.n_descsz; ++b)
        digits += fmt::format("{:02x}", static_cast<unsigned char>(value[b]));
      return digits;
    }
  }
  return "";
}

std::string sizeAndTime(const std::string &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 ? fmt::format("{}-{}", status.st_size, status.st_mtime) : "unknown";
}

// The name behind the links carries the full version.
std::string realName(const std::string &path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return (error ? fs::path(path) : real).filename().string();
}

} // namespace

std::string compilerLibraries(const std::string &library) {
  std::vector<std::string> found;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *out) {
        if (!info->dlpi_name || !isOfCompiler(info->dlpi_name))
          return 0;
        const std::string id = buildId(*info);
        static_cast<std::vector<std::string> *>(out)->push_back(
            fmt::format("{} {}", realName(info->dlpi_name), id.empty() ? sizeAndTime(info->dlpi_name) : id));
        return 0;
      },
      &found);
  std::sort(found.begin(), found.end());
  return fmt::format("{} ({})", realName(library), fmt::join(found, ", "));
}

std::vector<std::string> knownArchitectures() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *out) {
        const bool comgr = info->dlpi_name && std::strstr(info->dlpi_name, "libamd_comgr.so");
        if (comgr)
          *static_cast<std::string *>(out) = info->dlpi_name;
        return int(comgr);
      },
      &path);
  void *comgr = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!comgr)
    return {};
  const auto count = reinterpret_cast<int (*)(size_t *)>(dlsym(comgr, "amd_comgr_get_isa_count"));
  const auto name = reinterpret_cast<int (*)(size_t, const char **)>(dlsym(comgr, "amd_comgr_get_isa_name"));
  std::vector<std::string> known;
  size_t isas = 0;
  if (count && name && count(&isas) == 0)
    for (size_t i = 0; i < isas; ++i)
      if (const char *text = nullptr; name(i, &text) == 0 && text)
        known.emplace_back(std::strstr(text, "gfx") ? std::strstr(text, "gfx") : text); // "amdgcn-amd-amdhsa--gfx1030"
  dlclose(comgr);
  return known;
}

} // namespace ds4
