// The part of the CUDA driver API and of NVRTC that the provider uses, declared here so that no CUDA header is needed.
//
// Values and signatures are those of CUDA 11 to 13. Names are the symbols of the libraries: where cuda.h renames an
// entry point ("cuMemAlloc" is cuMemAlloc_v2), the renamed one.
#pragma once

#include <cstddef>

namespace ds4::cuda {

using Result = int; // CUresult
inline constexpr Result kSuccess = 0, kNotInitialized = 3, kDeinitialized = 4, kStubLibrary = 34, kDeviceUnavailable = 46,
                        kNoDevice = 100, kInvalidPtx = 218, kUnsupportedPtxVersion = 222, kLaunchOutOfResources = 701,
                        kLaunchTimeout = 702, kIllegalInstruction = 715, kMisalignedAddress = 716, kInvalidAddressSpace = 717,
                        kInvalidPc = 718, kSystemNotReady = 802, kSystemDriverMismatch = 803;

using RtcResult = int; // nvrtcResult

enum Attribute : int { // of CUdevice_attribute
  MaxThreadsPerBlock = 1,
  MaxSharedMemoryPerBlock = 8,
  WarpSize = 10,
  MultiprocessorCount = 16,
  Integrated = 18,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
};

enum FunctionAttribute : int { // of CUfunction_attribute
  MaxDynamicSharedMemory = 8,
  NonPortableClusterSizeAllowed = 14,
};

// Markers of cuLaunchKernel's `extra` list: {BufferPointer, p, BufferSize, &n, End}.
inline void *const kLaunchBufferPointer = reinterpret_cast<void *>(1);
inline void *const kLaunchBufferSize = reinterpret_cast<void *>(2);
inline void *const kLaunchEnd = nullptr;

using Device = int;
using Address = unsigned long long; // CUdeviceptr
using Context = struct OpaqueContext *;
using Module = struct OpaqueModule *;
using Function = struct OpaqueFunction *;
using Stream = struct OpaqueStream *;
using Event = struct OpaqueEvent *;
using Program = struct OpaqueProgram *;

enum LaunchAttributeId : int { ClusterDimension = 4, ProgrammaticStreamSerialization = 6 }; // of CUlaunchAttributeID
struct LaunchAttribute {
  LaunchAttributeId id;
  int padding;
  union {
    char bytes[64];
    int flag;
    unsigned cluster[3]; // workgroups in x, y, z
  } value;
};
struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, dynamicShared;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

// Asked where they are exported: since CUDA 11.8.
#define DS4_CUDA_DRIVER_OPTIONAL(X)                                                                                                \
  X(cuLaunchKernelEx, Result, (const LaunchConfig *config, Function function, void **parameters, void **extra))

// X(name, result type, parameters)
#define DS4_CUDA_DRIVER(X)                                                                                                         \
  X(cuInit, Result, (unsigned flags))                                                                                              \
  X(cuDriverGetVersion, Result, (int *version))                                                                                    \
  X(cuGetErrorName, Result, (Result result, const char **name))                                                                    \
  X(cuGetErrorString, Result, (Result result, const char **text))                                                                  \
  X(cuDeviceGetCount, Result, (int *count))                                                                                        \
  X(cuDeviceGet, Result, (Device * device, int ordinal))                                                                           \
  X(cuDeviceGetName, Result, (char *name, int bytes, Device device))                                                               \
  X(cuDeviceGetAttribute, Result, (int *value, Attribute attribute, Device device))                                                \
  X(cuDeviceTotalMem_v2, Result, (size_t *bytes, Device device))                                                                   \
  X(cuDevicePrimaryCtxRetain, Result, (Context * context, Device device))                                                          \
  X(cuCtxSetCurrent, Result, (Context context))                                                                                    \
  X(cuCtxSynchronize, Result, (void))                                                                                              \
  X(cuMemGetInfo_v2, Result, (size_t *free, size_t *total))                                                                        \
  X(cuMemAlloc_v2, Result, (Address * address, size_t bytes))                                                                      \
  X(cuMemFree_v2, Result, (Address address))                                                                                       \
  X(cuMemHostAlloc, Result, (void **pointer, size_t bytes, unsigned flags))                                                        \
  X(cuMemFreeHost, Result, (void *pointer))                                                                                        \
  X(cuMemcpy, Result, (Address to, Address from, size_t bytes))                                                                    \
  X(cuMemcpyAsync, Result, (Address to, Address from, size_t bytes, Stream stream))                                                \
  X(cuMemsetD8_v2, Result, (Address to, unsigned char value, size_t bytes))                                                        \
  X(cuMemsetD8Async, Result, (Address to, unsigned char value, size_t bytes, Stream stream))                                       \
  X(cuModuleLoadData, Result, (Module * module, const void *image))                                                                \
  X(cuModuleUnload, Result, (Module module))                                                                                       \
  X(cuModuleGetFunction, Result, (Function * function, Module module, const char *name))                                           \
  X(cuModuleGetGlobal_v2, Result, (Address * address, size_t *bytes, Module module, const char *name))                             \
  X(cuFuncSetAttribute, Result, (Function function, FunctionAttribute attribute, int value))                                       \
  X(cuLaunchKernel, Result,                                                                                                        \
    (Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,         \
     unsigned dynamicShared, Stream stream, void **parameters, void **extra))                                                      \
  X(cuStreamCreate, Result, (Stream * stream, unsigned flags))                                                                     \
  X(cuStreamDestroy_v2, Result, (Stream stream))                                                                                   \
  X(cuStreamSynchronize, Result, (Stream stream))                                                                                  \
  X(cuEventCreate, Result, (Event * event, unsigned flags))                                                                        \
  X(cuEventDestroy_v2, Result, (Event event))                                                                                      \
  X(cuEventRecord, Result, (Event event, Stream stream))                                                                           \
  X(cuEventSynchronize, Result, (Event event))                                                                                     \
  X(cuEventElapsedTime, Result, (float *milliseconds, Event start, Event stop))

#define DS4_CUDA_RTC(X)                                                                                                            \
  X(nvrtcVersion, RtcResult, (int *major, int *minor))                                                                             \
  X(nvrtcGetErrorString, const char *, (RtcResult result))                                                                         \
  X(nvrtcCreateProgram, RtcResult,                                                                                                 \
    (Program * program, const char *source, const char *name, int headerCount, const char *const *headers,                         \
     const char *const *includeNames))                                                                                             \
  X(nvrtcDestroyProgram, RtcResult, (Program * program))                                                                           \
  X(nvrtcCompileProgram, RtcResult, (Program program, int optionCount, const char *const *options))                                \
  X(nvrtcGetProgramLogSize, RtcResult, (Program program, size_t *bytes))                                                           \
  X(nvrtcGetProgramLog, RtcResult, (Program program, char *log))                                                                   \
  X(nvrtcGetCUBINSize, RtcResult, (Program program, size_t *bytes))                                                                \
  X(nvrtcGetCUBIN, RtcResult, (Program program, char *code))

} // namespace ds4::cuda
