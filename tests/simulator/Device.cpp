#include "tests/simulator/Device.h"

#include "codegen/clang/Compiler.h"

#include <stdexcept>

namespace ds4::sim::test {

namespace {

constexpr const char *kPrelude = R"(
typedef unsigned int u32;
typedef unsigned long long u64;
#define KERNEL(threads) extern "C" __attribute__((global, amdgpu_flat_work_group_size(threads, threads))) void
#define DEVICE static inline __attribute__((device, always_inline))
#define SHARED static __attribute__((shared))
DEVICE int thread() { return __builtin_amdgcn_workitem_id_x(); }
DEVICE int group() { return __builtin_amdgcn_workgroup_id_x(); }
DEVICE void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
DEVICE void ldsBarrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}
DEVICE void releaseDevice() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); }
DEVICE void acquireDevice() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"); }
DEVICE u32 addDevice(u32 *at, u32 x) { return __hip_atomic_fetch_add(at, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
)";

} // namespace

std::shared_ptr<CodeObject> compileKernels(const std::string &source) {
  CompileRequest request;
  request.source = kPrelude + source;
  const CompileResult result = compileHip(request);
  if (!result.ok)
    throw std::runtime_error(result.log);
  return CodeObject::load(result.codeObject);
}

std::shared_ptr<CodeObject> assembleKernels(const std::vector<AssemblyKernel> &kernels) {
  return CodeObject::load(assemble(kernels));
}

void *Device::allocateBytes(size_t bytes, bool written) {
  auto &buffer = buffers_.emplace_back(bytes + 64);
  void *base = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(buffer.data()) + 63) / 64 * 64);
  memory_.add(base, bytes);
  if (written)
    memory_.markInitialised(base, bytes);
  return base;
}

Counters Device::launchPacked(const std::shared_ptr<CodeObject> &object, const char *kernel, uint32_t groups, uint32_t threads,
                              const std::vector<std::byte> &arguments) {
  Launch launch;
  launch.object = object;
  launch.kernel = object->find(kernel);
  if (!launch.kernel)
    throw std::runtime_error(std::string("no kernel ") + kernel);
  launch.grid = {groups, 1, 1};
  launch.block = {threads, 1, 1};
  launch.arguments = arguments;
  return run(launch, memory_, options);
}

} // namespace ds4::sim::test
