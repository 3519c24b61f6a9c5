// Code objects, their kernels and launches.
#include "runtime/providers/cuda/Exports.h"

namespace ds4::cuda {
namespace {

// A kernel may ask for this much dynamic shared memory without saying so beforehand.
constexpr unsigned kSharedWithoutAttribute = 48 * 1024;

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
    const auto launch = [&](void **extras) {
      check(driver.cuLaunchKernel(cudaFunction(function), gridX, gridY, gridZ, blockX, blockY, blockZ, dynamicLds,
                                  cudaStream(stream), parameters, extras));
    };
    extra ? launch(Extras(extra).entries) : launch(nullptr);
  });
}

} // namespace ds4::hip
