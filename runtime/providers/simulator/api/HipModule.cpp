// Code objects, their kernels and launches. A launch runs to its end before the call returns.
#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>

#include <elf.h>
#include <fmt/format.h>

#include "runtime/providers/simulator/Image.h"
#include "runtime/providers/simulator/api/Exports.h"
#include "runtime/providers/simulator/api/Session.h"

namespace ds4::hip {

struct OpaqueFunction {
  std::shared_ptr<sim::CodeObject> object;
  const sim::Kernel *kernel;
};
struct OpaqueModule {
  std::shared_ptr<sim::CodeObject> object;
  std::vector<FunctionHandle> functions; // handed out, freed with the module
};

namespace {

using sim::entry;
using sim::Refusal;
using sim::Session;

constexpr uint32_t kMaxWorkgroup = 1024, kLdsBytes = 65536;

// Live modules and functions.
struct Registry {
  std::mutex mutex;
  std::unordered_map<ModuleHandle, std::unique_ptr<OpaqueModule>> modules;
  std::unordered_map<FunctionHandle, std::unique_ptr<OpaqueFunction>> functions;
  static Registry &instance() {
    static Registry registry;
    return registry;
  }
};

// hipModuleLoadData is not told how long the image is; the tables of the ELF say it.
std::span<const std::byte> imageBytes(const void *image) {
  Elf64_Ehdr header;
  if (!image)
    throw Refusal{kInvalidValue, "a null image"};
  std::memcpy(&header, image, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    throw Refusal{kInvalidImage, "the image is no 64-bit ELF file"};
  constexpr uint64_t kMaxImage = uint64_t(1) << 30;
  uint64_t end = header.e_shoff + uint64_t(header.e_shnum) * header.e_shentsize;
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > kMaxImage)
    throw Refusal{kInvalidImage, "the image has no section table"};
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, static_cast<const std::byte *>(image) + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type == SHT_NOBITS)
      continue;
    if (section.sh_offset > kMaxImage || section.sh_size > kMaxImage)
      throw Refusal{kInvalidImage, "the image's section table is damaged"};
    end = std::max(end, section.sh_offset + section.sh_size);
  }
  return {static_cast<const std::byte *>(image), end};
}

std::shared_ptr<sim::CodeObject> load(const void *image) {
  const std::span<const std::byte> bytes = imageBytes(image);
  try {
    return sim::CodeObject::load(bytes);
  } catch (const std::exception &error) {
    throw Refusal{kNoBinaryForGpu, error.what()};
  }
}

OpaqueFunction liveFunction(FunctionHandle function) {
  Registry &registry = Registry::instance();
  std::lock_guard lock(registry.mutex);
  const auto found = registry.functions.find(function);
  if (found == registry.functions.end())
    throw Refusal{kInvalidHandle, "not a live function"};
  return *found->second;
}

// The caller's `parameters` (one pointer an argument) as a packed block.
std::vector<std::byte> packParameters(const sim::Kernel &kernel, void **parameters) {
  std::vector<std::byte> packed(kernel.explicitBytes);
  size_t index = 0;
  for (const sim::KernelArgument &argument : kernel.arguments) {
    if (argument.hidden())
      continue;
    if (!parameters[index])
      throw Refusal{kInvalidValue, fmt::format("launch of {}: argument {} is a null pointer", kernel.name, index)};
    std::memcpy(packed.data() + argument.offset, parameters[index++], argument.bytes);
  }
  return packed;
}

// The packed block that `extra` describes.
std::vector<std::byte> packedExtra(const sim::Kernel &kernel, void **extra) {
  const std::byte *buffer = nullptr;
  size_t bytes = 0;
  for (; *extra != kLaunchEnd; extra += 2) {
    if (*extra == kLaunchBufferPointer)
      buffer = static_cast<const std::byte *>(extra[1]);
    else if (*extra == kLaunchBufferSize)
      bytes = *static_cast<const size_t *>(extra[1]);
    else
      throw Refusal{kInvalidValue, fmt::format("launch of {}: unknown entry in the list of extras", kernel.name)};
  }
  if (!buffer || bytes < kernel.explicitBytes || bytes > kernel.kernargBytes)
    throw Refusal{kInvalidValue, fmt::format("launch of {}: {} bytes of arguments, the kernel takes {}", kernel.name, bytes,
                                             kernel.explicitBytes)};
  return {buffer, buffer + kernel.explicitBytes};
}

std::vector<std::byte> packedArguments(const sim::Kernel &kernel, void **parameters, void **extra) {
  if (parameters && extra)
    throw Refusal{kInvalidValue, fmt::format("launch of {}: arguments in both forms", kernel.name)};
  if (parameters)
    return packParameters(kernel, parameters);
  if (extra)
    return packedExtra(kernel, extra);
  if (kernel.explicitBytes != 0)
    throw Refusal{kInvalidValue,
                  fmt::format("launch of {}: no arguments, the kernel takes {} bytes", kernel.name, kernel.explicitBytes)};
  return {};
}

void checkShape(const sim::Launch &launch) {
  const sim::KernelInfo &kernel = *launch.kernel;
  const auto refuse = [&](std::string what) {
    throw Refusal{kInvalidConfiguration, fmt::format("launch of {}: {}", kernel.name, what)};
  };
  uint64_t workItems = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const uint64_t limit = axis == 0 ? uint64_t(std::numeric_limits<int32_t>::max()) : 65535;
    if (launch.grid[axis] == 0 || launch.grid[axis] > limit)
      refuse(fmt::format("{} workgroups along axis {}, 1 to {} are possible", launch.grid[axis], axis, limit));
    if (launch.block[axis] == 0 || launch.block[axis] > kMaxWorkgroup)
      refuse(fmt::format("{} work-items along axis {}, 1 to {} are possible", launch.block[axis], axis, kMaxWorkgroup));
    if (uint64_t(launch.grid[axis]) * launch.block[axis] > std::numeric_limits<uint32_t>::max())
      refuse(fmt::format("more than 2^32 work-items along axis {}", axis));
    workItems *= launch.block[axis];
  }
  const uint32_t most = std::min(kMaxWorkgroup, kernel.maxWorkgroup);
  if (workItems > most)
    refuse(fmt::format("{} work-items a workgroup, the kernel was compiled for {}", workItems, most));
  if (uint64_t(kernel.ldsBytes) + launch.dynamicLds > kLdsBytes)
    refuse(fmt::format("{} bytes of LDS, a workgroup has {}", uint64_t(kernel.ldsBytes) + launch.dynamicLds, kLdsBytes));
}

} // namespace

Result hipModuleLoadData(ModuleHandle *module, const void *image) {
  return entry([&] {
    if (!module)
      throw Refusal{kInvalidValue, "a null pointer for a result"};
    auto loaded = std::make_unique<OpaqueModule>(OpaqueModule{load(image), {}});
    *module = loaded.get();
    Registry &registry = Registry::instance();
    std::lock_guard lock(registry.mutex);
    registry.modules[loaded.get()] = std::move(loaded);
  });
}

Result hipModuleUnload(ModuleHandle module) {
  return entry([&] {
    Registry &registry = Registry::instance();
    std::lock_guard lock(registry.mutex);
    const auto found = registry.modules.find(module);
    if (found == registry.modules.end())
      throw Refusal{kInvalidHandle, "not a live module"};
    for (FunctionHandle function : found->second->functions)
      registry.functions.erase(function);
    registry.modules.erase(found);
  });
}

Result hipModuleGetFunction(FunctionHandle *function, ModuleHandle module, const char *name) {
  return entry([&] {
    if (!function || !name)
      throw Refusal{kInvalidValue, "a null pointer for a function's name or handle"};
    Registry &registry = Registry::instance();
    std::lock_guard lock(registry.mutex);
    const auto found = registry.modules.find(module);
    if (found == registry.modules.end())
      throw Refusal{kInvalidHandle, "not a live module"};
    const auto *kernel = static_cast<const sim::Kernel *>(found->second->object->find(name));
    if (!kernel)
      throw Refusal{kNotFound, fmt::format("the module has no kernel {}", name)};
    auto made = std::make_unique<OpaqueFunction>(OpaqueFunction{found->second->object, kernel});
    *function = made.get();
    found->second->functions.push_back(made.get());
    registry.functions[made.get()] = std::move(made);
  });
}

Result hipModuleLaunchKernel(FunctionHandle function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ, unsigned dynamicLds, StreamHandle stream, void **parameters,
                             void **extra) {
  if (const Result result = hipStreamSynchronize(stream); result != kSuccess)
    return result;
  return entry([&] {
    const OpaqueFunction live = liveFunction(function);
    const std::vector<std::byte> arguments = packedArguments(*live.kernel, parameters, extra);
    const sim::Launch launch{.object = live.object,
                             .kernel = live.kernel,
                             .grid = {gridX, gridY, gridZ},
                             .block = {blockX, blockY, blockZ},
                             .arguments = arguments,
                             .dynamicLds = dynamicLds};
    checkShape(launch);
    Session &session = Session::instance();
    session.count(sim::run(launch, session.heap.ranges(), session.options()));
  });
}

} // namespace ds4::hip
