#include "runtime/providers/cuda/Libraries.h"

#include <cstdlib>
#include <mutex>
#include <optional>
#include <vector>

#include <dlfcn.h>

namespace ds4::cuda {
namespace {

std::vector<std::string> candidates(const char *variable, std::vector<std::string> usual) {
  const char *chosen = std::getenv(variable);
  return chosen && *chosen ? std::vector<std::string>{chosen} : usual;
}

// `fill` takes a table's symbols from a library and returns the name of one that is missing, or null.
template <typename Table, typename Fill>
Table loadFirst(const char *what, const std::vector<std::string> &candidates, Fill fill) {
  std::string report;
  for (const std::string &candidate : candidates) {
    report += report.empty() ? "" : "; ";
    void *library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      report += reason ? reason : candidate;
      continue;
    }
    Table table;
    const char *missing = fill(library, table);
    if (!missing)
      return table;
    report += candidate + ": lacks " + missing;
    dlclose(library);
  }
  throw LibraryError(std::string("cannot load ") + what + " (" + report + ")");
}

// One table for the process, made by `load` on the first call that succeeds.
template <typename Table, typename Load> const Table &once(Load load) {
  static std::mutex mutex;
  static std::optional<Table> table;
  std::lock_guard lock(mutex);
  if (!table)
    table = load();
  return *table;
}

#define DS4_CUDA_TAKE(name, result, parameters)                                                                                    \
  if (!(table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, #name))))                                               \
    return #name;

#define DS4_CUDA_TAKE_OPTIONAL(name, result, parameters) table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, #name));

const char *fillDriver(void *library, Driver &table) {
  DS4_CUDA_DRIVER(DS4_CUDA_TAKE)
  DS4_CUDA_DRIVER_OPTIONAL(DS4_CUDA_TAKE_OPTIONAL)
  return nullptr;
}
const char *fillNvrtc(void *library, Nvrtc &table) {
  DS4_CUDA_RTC(DS4_CUDA_TAKE)
  return nullptr;
}
#undef DS4_CUDA_TAKE
#undef DS4_CUDA_TAKE_OPTIONAL

} // namespace

const Driver &driver() {
  return once<Driver>([] {
    return loadFirst<Driver>("the CUDA driver", candidates("DS4C_CUDA_DRIVER", {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}),
                             fillDriver);
  });
}

const Nvrtc &nvrtc() {
  return once<Nvrtc>([] {
    return loadFirst<Nvrtc>("NVRTC",
                            candidates("DS4C_NVRTC", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                                      "/usr/local/cuda/lib64/libnvrtc.so"}),
                            fillNvrtc);
  });
}

} // namespace ds4::cuda
