// Code objects, their kernels and launches.
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/providers/cuda/Exports.h"

namespace ds4::cuda {
namespace {

// What a kernel of ours says of itself by numbers beside it in its module (codegen/kernels/wave_cuda.h): how much dynamic shared
// memory it wants in every launch, whether it waits itself for the launch before it, and how many workgroups, in x, are a cluster.
struct Traits {
  unsigned lds = 0;
  bool waits = false;
  unsigned cluster = 1;
};

// Functions are looked up once and launched often.
class TraitsOfFunctions {
public:
  void find(Function function, Module module, const std::string &name) {
    const Traits traits{number(module, name + "_lds"), number(module, name + "_waits") != 0, number(module, name + "_cluster")};
    constexpr unsigned kPortableCluster = 8;
    if (traits.cluster > kPortableCluster)
      check(currentDriver().cuFuncSetAttribute(function, NonPortableClusterSizeAllowed, 1));
    // A launch may have 48 KiB without it, what the kernel declares (tables) counted in.
    if (traits.lds > 0)
      check(currentDriver().cuFuncSetAttribute(function, MaxDynamicSharedMemory, static_cast<int>(traits.lds)));
    const std::lock_guard lock(mutex_);
    traits_[function] = traits; // a handle of a module that was unloaded may come again
  }
  Traits of(Function function) {
    const std::lock_guard lock(mutex_);
    const auto found = traits_.find(function);
    return found == traits_.end() ? Traits() : found->second;
  }

private:
  static unsigned number(Module module, const std::string &name) { // 0: not there
    const Driver &driver = currentDriver();
    Address address = 0;
    size_t size = 0;
    unsigned value = 0;
    if (driver.cuModuleGetGlobal_v2(&address, &size, module, name.c_str()) == kSuccess && size == sizeof value)
      check(driver.cuMemcpy(reinterpret_cast<Address>(&value), address, size)); // unified addresses: the host's are valid, too
    return value;
  }

  std::mutex mutex_;
  std::unordered_map<Function, Traits> traits_;
};
TraitsOfFunctions traitsOfFunctions;

// DS4C_CUDA_OVERLAP=0: no launch begins before those before it have ended.
bool mayOverlap() {
  static const bool wanted = [] {
    const char *value = std::getenv("DS4C_CUDA_OVERLAP");
    return !value || std::string_view(value) != "0";
  }();
  return wanted && driver().cuLaunchKernelEx;
}

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
    traitsOfFunctions.find(reinterpret_cast<Function>(*function), reinterpret_cast<Module>(module), name);
  });
}

Result hipModuleLaunchKernel(FunctionHandle function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ, unsigned dynamicLds, StreamHandle stream, void **parameters,
                             void **extra) {
  return entry([&] {
    const Driver &driver = currentDriver();
    if (parameters && extra)
      throw Refusal{kInvalidValue, "a launch with arguments in both forms"};
    const Traits traits = traitsOfFunctions.of(cudaFunction(function));
    if (dynamicLds > 0)
      check(driver.cuFuncSetAttribute(cudaFunction(function), MaxDynamicSharedMemory, static_cast<int>(dynamicLds + traits.lds)));
    dynamicLds += traits.lds;
    const auto launch = [&](void **extras) {
      LaunchAttribute attributes[2];
      unsigned count = 0;
      if (traits.waits && mayOverlap()) {
        attributes[count] = {ProgrammaticStreamSerialization, 0, {}};
        attributes[count++].value.flag = 1;
      }
      if (traits.cluster > 1) {
        attributes[count] = {ClusterDimension, 0, {}};
        auto &size = attributes[count++].value.cluster;
        size[0] = traits.cluster;
        size[1] = size[2] = 1;
      }
      if (count > 0) {
        if (!driver.cuLaunchKernelEx)
          throw Refusal{kInvalidValue, "clusters of workgroups want a driver of CUDA 11.8 or later"};
        const LaunchConfig config{gridX, gridY, gridZ, blockX, blockY, blockZ, dynamicLds, cudaStream(stream), attributes, count};
        return check(driver.cuLaunchKernelEx(&config, cudaFunction(function), parameters, extras));
      }
      check(driver.cuLaunchKernel(cudaFunction(function), gridX, gridY, gridZ, blockX, blockY, blockZ, dynamicLds,
                                  cudaStream(stream), parameters, extras));
    };
    extra ? launch(Extras(extra).entries) : launch(nullptr);
  });
}

} // namespace ds4::hip
