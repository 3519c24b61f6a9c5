#include "runtime/hip/HipTable.h"

#include <algorithm>
#include <filesystem>

#include <dlfcn.h>
#include <link.h>

#include "support/Error.h"

namespace ds4::hip {
namespace {

namespace fs = std::filesystem;

// A library's path as the loader resolved it: "libamdhip64.so.6" -> "/opt/rocm/lib/libamdhip64.so.6".
std::string resolvedPath(void *library, const std::string &asked) {
  link_map *map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map->l_name && *map->l_name)
    return map->l_name;
  return asked;
}

// Tries candidates in turn; `fill` takes the symbols and returns the names of those that are missing.
template <typename Table, typename Fill>
Table loadFirst(std::string_view what, std::string_view remedy, std::span<const std::string> candidates, Fill fill) {
  std::string report;
  for (const std::string &candidate : candidates) {
    void *library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      report += fmt::format("{}{}", report.empty() ? "" : "; ", reason ? reason : candidate + ": unknown reason");
      continue;
    }
    Table table;
    const std::vector<std::string> missing = fill(library, table);
    if (missing.empty()) {
      table.library = resolvedPath(library, candidate);
      return table;
    }
    report += fmt::format("{}{}: lacks {}", report.empty() ? "" : "; ", candidate, fmt::join(missing, ", "));
  }
  environmentError("cannot load {} ({}): {}", what, report.empty() ? "no candidate" : report, remedy);
}

} // namespace

#define DS4_TAKE(name, result, parameters) table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, #name));
#define DS4_TAKE_REQUIRED(name, result, parameters)                                                                                \
  DS4_TAKE(name, result, parameters)                                                                                               \
  if (!table.name)                                                                                                                 \
    missing.push_back(#name);

HipTable loadHip(std::span<const std::string> candidates, std::string_view remedy) {
  return loadFirst<HipTable>("a HIP library", remedy, candidates, [](void *library, HipTable &table) {
    std::vector<std::string> missing;
    DS4_HIP_REQUIRED(DS4_TAKE_REQUIRED)
    DS4_HIP_PROPERTIES(DS4_TAKE)
    DS4_HIP_OPTIONAL(DS4_TAKE)
    DS4_HIP_SIMULATOR(DS4_TAKE)
    if (!table.hipGetDevicePropertiesR0600 && !table.hipGetDeviceProperties)
      missing.push_back("hipGetDeviceProperties");
    return missing;
  });
}

RtcTable loadRtc(std::span<const std::string> candidates) {
  return loadFirst<RtcTable>("a hipRTC library", "install the hipRTC of the ROCm in use", candidates,
                             [](void *library, RtcTable &table) {
                               std::vector<std::string> missing;
                               DS4_RTC_REQUIRED(DS4_TAKE_REQUIRED)
                               return missing;
                             });
}

#undef DS4_TAKE
#undef DS4_TAKE_REQUIRED

std::vector<std::string> amdHipCandidates() {
  return {"libamdhip64.so.7", "libamdhip64.so.6", "/opt/rocm/lib/libamdhip64.so", "libamdhip64.so", "libamdhip64.so.5"};
}

std::vector<std::string> rtcCandidates(const std::string &hipLibrary) {
  constexpr std::string_view kHipStem = "libamdhip64.so";
  const fs::path path(hipLibrary);
  const std::string file = path.filename().string();
  std::vector<std::string> candidates;
  if (file.starts_with(kHipStem))
    candidates.push_back((path.parent_path() / ("libhiprtc.so" + file.substr(kHipStem.size()))).string());
  candidates.push_back(hipLibrary);
  return candidates;
}

std::vector<std::string> foldersOfThisProgram() {
  std::vector<std::string> folders;
  std::error_code error;
  if (const fs::path executable = fs::read_symlink("/proc/self/exe", error); !error)
    folders.push_back(executable.parent_path().string());
  Dl_info info;
  if (dladdr(reinterpret_cast<const void *>(&foldersOfThisProgram), &info) != 0 && info.dli_fname)
    if (const fs::path real = fs::canonical(info.dli_fname, error); !error && (folders.empty() || real.parent_path() != folders.front()))
      folders.push_back(real.parent_path().string());
  return folders;
}

std::vector<std::string> ownProviderCandidates(std::string_view fileName) {
  std::vector<std::string> candidates;
  const auto add = [&](const fs::path &path) {
    const std::string text = path.lexically_normal().string();
    if (std::find(candidates.begin(), candidates.end(), text) == candidates.end())
      candidates.push_back(text);
  };
  for (const fs::path folder : foldersOfThisProgram()) {
    add(folder / ".." / "lib" / fileName);
    add(folder / fileName);
  }
  add(fs::path(fileName));
  return candidates;
}

} // namespace ds4::hip
