// Every required entry point of HIP, answering success, with a gfx1036 as device 0 and a gfx1151 as device 1.
#include <cstdlib>
#include <cstring>

#include "runtime/hip/HipApi.h"

namespace ds4::hip {

#define DS4_DECLARE(name, result, parameters) extern "C" result name parameters;
DS4_HIP_REQUIRED(DS4_DECLARE)
DS4_HIP_PROPERTIES(DS4_DECLARE)

static int currentDevice = 0;

Result hipInit(unsigned) { return kSuccess; }
Result hipDriverGetVersion(int *version) { return *version = 70000000, kSuccess; }
Result hipRuntimeGetVersion(int *version) { return *version = 70100000, kSuccess; }
Result hipGetDeviceCount(int *count) { return *count = 2, kSuccess; }
Result hipSetDevice(int device) { return currentDevice = device, kSuccess; }
Result hipGetDevice(int *device) { return *device = currentDevice, kSuccess; }
Result hipDeviceGetName(char *name, int, int device) {
  std::strcpy(name, device == 0 ? "AMD Radeon Graphics" : "AMD Radeon 8060S");
  return kSuccess;
}
Result hipDeviceGetAttribute(int *value, DeviceAttribute attribute, int) {
  return *value = attribute == AttributeWarpSize ? 32 : 40, kSuccess;
}
Result hipDeviceSynchronize() { return kSuccess; }
Result hipMemGetInfo(size_t *free, size_t *total) { return *free = 1000, *total = 2000, kSuccess; }
// No more than a kilobyte is ever free.
Result hipMalloc(void **pointer, size_t bytes) {
  if (bytes > 1000)
    return kOutOfMemory;
  return *pointer = std::malloc(bytes), kSuccess;
}
Result hipFree(void *pointer) { return std::free(pointer), kSuccess; }
Result hipHostMalloc(void **pointer, size_t bytes, unsigned) { return *pointer = std::malloc(bytes), kSuccess; }
Result hipHostFree(void *pointer) { return std::free(pointer), kSuccess; }
Result hipMemcpy(void *to, const void *from, size_t bytes, CopyKind) { return std::memcpy(to, from, bytes), kSuccess; }
Result hipMemcpyAsync(void *to, const void *from, size_t bytes, CopyKind, StreamHandle) {
  return std::memcpy(to, from, bytes), kSuccess;
}
Result hipMemset(void *to, int value, size_t bytes) { return std::memset(to, value, bytes), kSuccess; }
Result hipMemsetAsync(void *to, int value, size_t bytes, StreamHandle) { return std::memset(to, value, bytes), kSuccess; }
Result hipModuleLoadData(ModuleHandle *, const void *) { return kNoBinaryForGpu; }
Result hipModuleUnload(ModuleHandle) { return kSuccess; }
Result hipModuleGetFunction(FunctionHandle *, ModuleHandle, const char *) { return kNotFound; }
Result hipModuleLaunchKernel(FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, StreamHandle,
                             void **, void **) {
  return kLaunchFailure;
}
Result hipStreamCreate(StreamHandle *) { return kSuccess; }
Result hipStreamDestroy(StreamHandle) { return kSuccess; }
Result hipStreamSynchronize(StreamHandle) { return kSuccess; }
Result hipEventCreate(EventHandle *) { return kSuccess; }
Result hipEventDestroy(EventHandle) { return kSuccess; }
Result hipEventRecord(EventHandle, StreamHandle) { return kSuccess; }
Result hipEventSynchronize(EventHandle) { return kSuccess; }
Result hipEventElapsedTime(float *milliseconds, EventHandle, EventHandle) { return *milliseconds = 1.5f, kSuccess; }
Result hipGetLastError() { return kSuccess; }
const char *hipGetErrorName(Result) { return "hipErrorOfTheFake"; }
const char *hipGetErrorString(Result) { return "text of the fake"; }
#ifndef DS4_FAKE_INCOMPLETE
Result hipGetDeviceProperties(void *properties, int device) {
  constexpr size_t kOldPlace = 396; // of gcnArchName in HIP 5
  std::strcpy(static_cast<char *>(properties), "gfx0000 in the name");
  std::strcpy(static_cast<char *>(properties) + kOldPlace, device == 0 ? "gfx1036" : "gfx1151:xnack-");
  return kSuccess;
}
#endif

} // namespace ds4::hip
