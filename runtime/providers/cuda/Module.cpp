// Code objects, their kernels and launches.
#include <mutex>
#include <string>
#include <unordered_map>

#include "runtime/providers/cuda/Exports.h"

namespace ds4::cuda {
namespace {

// A kernel may ask for this much dynamic shared memory without saying so beforehand.
constexpr unsigned kSharedWithoutAttribute = 48 * 1024;

// Dynamic shared memory that a kernel of ours wants in every launch: the number "<kernel>_lds" of its module
// (DS4_LDS_OF in codegen/kernels/wave_cuda.h). Functions are looked up once and launched often.
class LdsOfFunctions {
public:
  void find(Function function, Module module, const char *name) {
    const Driver &driver = currentDriver();
    Address address = 0;
    size_t size = 0;
    unsigned bytes = 0;
    if (driver.cuModuleGetGlobal_v2(&address, &size, module, (std::string(name) + "_lds").c_str()) == kSuccess &&
        size == sizeof bytes)
      check(driver.cuMemcpy(reinterpret_cast<Address>(&bytes), address, size)); // unified addresses: the host's are valid, too
    if (bytes > kSharedWithoutAttribute)
      check(driver.cuFuncSetAttribute(function, MaxDynamicSharedMemory, static_cast<int>(bytes)));
    const std::lock_guard lock(mutex_);
    bytes_[function] = bytes; // a handle of a module that was unloaded may come again
  }
  unsigned of(Function function) {
    const std::lock_guard lock(mutex_);
    const auto found = bytes_.find(function);
    return found == bytes_.end() ? 0 : found->second;
  }

private:
  std::mutex mutex_;
  std::unordered_map<Function, unsigned> bytes_;
};
LdsOfFunctions ldsOfFunctions;

Function cudaFunction(hip::FunctionHandle function) { return reinterpret_cast<Function>(function); }

// HIP's list of extras as CUDA's: only the mark of its end differs.
struct Extras {
  void *entries[5] = {kLaunchEnd, kLaunchEnd, kLaunchEnd, kLaunchEnd, kLaunchEnd};

  explicit Extras(void **extra) {
    for (size_t i = 0; extra[i] != hip::kLaunchEnd; i += 2) {
      if (i >= 4)
        throw Refusal{hip::kInvalidValue, "the list of a launch's extras has no end"};
      if (extra[i] != hip::kLaunchBufferPointer && extra[i] != hip::kLaunchBufferSize)
        throw Refusal{hip::kInvalidValue, "unknown entry in the list of a launch's extras"};
      entries[i] = extra[i] == hip::kLaunchBufferPointer ? kLaunchBufferPointer : kLaunchBufferSize;
      entries[i + 1] = extra[i + 1];
    }
  }
};

} // namespace
} // namespace ds4::cuda

namespace ds4::hip {

using namespace cuda;

Result hipModuleLoadData(ModuleHandle *module, const void *image) {
  return entry([&] {
    if (!image)
      throw Refusal{kInvalidValue, "no code object"};
    check(currentDriver().cuModuleLoadData(reinterpret_cast<Module *>(&required(module)), image));
  });
}

Result hipModuleUnload(ModuleHandle module) {
  return entry([&] { check(currentDriver().cuModuleUnload(reinterpret_cast<Module>(module))); });
}

Result hipModuleGetFunction(FunctionHandle *function, ModuleHandle module, const char *name) {
  return entry([&] {
    check(currentDriver().cuModuleGetFunction(reinterpret_cast<Function *>(&required(function)), reinterpret_cast<Module>(module),
                                              &required(name)));
    ldsOfFunctions.find(reinterpret_cast<Function>(*function), reinterpret_cast<Module>(module), name);
  });
}

Result hipModuleLaunchKernel(FunctionHandle function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ, unsigned dynamicLds, StreamHandle stream, void **parameters,
                             void **extra) {
  return entry([&] {
    const Driver &driver = currentDriver();
    if (parameters && extra)
      throw Refusal{kInvalidValue, "a launch with arguments in both forms"};
    if (dynamicLds > kSharedWithoutAttribute)
      check(driver.cuFuncSetAttribute(cudaFunction(function), MaxDynamicSharedMemory, static_cast<int>(dynamicLds)));
    dynamicLds += ldsOfFunctions.of(cudaFunction(function));
    const auto launch = [&](void **extras) {
      check(driver.cuLaunchKernel(cudaFunction(function), gridX, gridY, gridZ, blockX, blockY, blockZ, dynamicLds,
                                  cudaStream(stream), parameters, extras));
    };
    extra ? launch(Extras(extra).entries) : launch(nullptr);
  });
}

} // namespace ds4::hip
