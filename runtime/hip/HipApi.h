// The part of the HIP and hipRTC C interface that ds4c uses, declared here so that no HIP header is needed.
//
// Values and signatures are those of HIP 5 to 7 (they did not change between them). The tables below are the only
// list of entry points: HipTable fills one pointer per row, and providers of our own declare their exports by them.
#pragma once

#include <cstddef>

#include "runtime/providers/simulator/api/ds4sim.h"

namespace ds4::hip {

using Result = int; // hipError_t
inline constexpr Result kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3, kInvalidConfiguration = 9,
                        kInvalidMemcpyDirection = 21, kNoDevice = 100, kInvalidDevice = 101, kInvalidImage = 200,
                        kNoBinaryForGpu = 209, kInvalidHandle = 400, kNotFound = 500, kNotReady = 600, kIllegalAddress = 700,
                        kLaunchFailure = 719, kUnknown = 999;

using RtcResult = int; // hiprtcResult
inline constexpr RtcResult kRtcSuccess = 0, kRtcOutOfMemory = 1, kRtcInvalidInput = 3, kRtcInvalidProgram = 4,
                           kRtcInvalidOption = 5, kRtcCompilation = 6, kRtcInternalError = 11;

enum CopyKind : int { HostToHost = 0, HostToDevice = 1, DeviceToHost = 2, DeviceToDevice = 3, CopyDefault = 4 };

enum DeviceAttribute : int { // of hipDeviceAttribute_t
  AttributeIntegrated = 16,
  AttributeMaxThreadsPerBlock = 56,
  AttributeMultiprocessorCount = 63,
  AttributeMaxSharedMemoryPerBlock = 74,
  AttributeWarpSize = 87,
};

// Markers of hipModuleLaunchKernel's `extra` list: {BufferPointer, p, BufferSize, &n, End}.
inline void *const kLaunchBufferPointer = reinterpret_cast<void *>(1);
inline void *const kLaunchBufferSize = reinterpret_cast<void *>(2);
inline void *const kLaunchEnd = reinterpret_cast<void *>(3);

// hipDeviceProp_t changed its layout with ROCm 6: callers hand over kPropertiesBytes of zeroes, more than either needs.
inline constexpr size_t kPropertiesBytes = 16384;

using StreamHandle = struct OpaqueStream *;
using EventHandle = struct OpaqueEvent *;
using ModuleHandle = struct OpaqueModule *;
using FunctionHandle = struct OpaqueFunction *;
using ProgramHandle = struct OpaqueProgram *;

// X(name, result type, parameters): a provider must export every one.
#define DS4_HIP_REQUIRED(X)                                                                                                        \
  X(hipInit, Result, (unsigned flags))                                                                                             \
  X(hipDriverGetVersion, Result, (int *version))                                                                                   \
  X(hipRuntimeGetVersion, Result, (int *version))                                                                                  \
  X(hipGetDeviceCount, Result, (int *count))                                                                                       \
  X(hipSetDevice, Result, (int device))                                                                                            \
  X(hipGetDevice, Result, (int *device))                                                                                           \
  X(hipDeviceGetName, Result, (char *name, int bytes, int device))                                                                 \
  X(hipDeviceGetAttribute, Result, (int *value, DeviceAttribute attribute, int device))                                            \
  X(hipDeviceSynchronize, Result, (void))                                                                                          \
  X(hipMemGetInfo, Result, (size_t *free, size_t *total))                                                                          \
  X(hipMalloc, Result, (void **pointer, size_t bytes))                                                                             \
  X(hipFree, Result, (void *pointer))                                                                                              \
  X(hipHostMalloc, Result, (void **pointer, size_t bytes, unsigned flags))                                                         \
  X(hipHostFree, Result, (void *pointer))                                                                                          \
  X(hipMemcpy, Result, (void *to, const void *from, size_t bytes, CopyKind kind))                                                  \
  X(hipMemcpyAsync, Result, (void *to, const void *from, size_t bytes, CopyKind kind, StreamHandle stream))                        \
  X(hipMemset, Result, (void *to, int value, size_t bytes))                                                                        \
  X(hipMemsetAsync, Result, (void *to, int value, size_t bytes, StreamHandle stream))                                              \
  X(hipModuleLoadData, Result, (ModuleHandle * module, const void *image))                                                         \
  X(hipModuleUnload, Result, (ModuleHandle module))                                                                                \
  X(hipModuleGetFunction, Result, (FunctionHandle * function, ModuleHandle module, const char *name))                              \
  X(hipModuleLaunchKernel, Result,                                                                                                 \
    (FunctionHandle function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,   \
     unsigned dynamicLds, StreamHandle stream, void **parameters, void **extra))                                                   \
  X(hipStreamCreate, Result, (StreamHandle * stream))                                                                              \
  X(hipStreamDestroy, Result, (StreamHandle stream))                                                                               \
  X(hipStreamSynchronize, Result, (StreamHandle stream))                                                                           \
  X(hipEventCreate, Result, (EventHandle * event))                                                                                 \
  X(hipEventDestroy, Result, (EventHandle event))                                                                                  \
  X(hipEventRecord, Result, (EventHandle event, StreamHandle stream))                                                              \
  X(hipEventSynchronize, Result, (EventHandle event))                                                                              \
  X(hipEventElapsedTime, Result, (float *milliseconds, EventHandle start, EventHandle stop))                                       \
  X(hipGetLastError, Result, (void))                                                                                               \
  X(hipGetErrorName, const char *, (Result result))                                                                                \
  X(hipGetErrorString, const char *, (Result result))

// One of the two property calls exists, by the provider's age.
#define DS4_HIP_PROPERTIES(X)                                                                                                      \
  X(hipGetDevicePropertiesR0600, Result, (void *properties, int device))                                                           \
  X(hipGetDeviceProperties, Result, (void *properties, int device))

// ds4sim.h: null with every provider but the simulator.
#define DS4_HIP_SIMULATOR(X)                                                                                                       \
  X(ds4simSetOption, int, (const char *name, const char *value))                                                                   \
  X(ds4simLastFault, const char *, (void))                                                                                         \
  X(ds4simLastLaunch, void, (Ds4SimCounters * counters))                                                                           \
  X(ds4simTotals, void, (Ds4SimCounters * counters))                                                                               \
  X(ds4simResetCounters, void, (void))

#define DS4_RTC_REQUIRED(X)                                                                                                        \
  X(hiprtcVersion, RtcResult, (int *major, int *minor))                                                                            \
  X(hiprtcGetErrorString, const char *, (RtcResult result))                                                                        \
  X(hiprtcCreateProgram, RtcResult,                                                                                                \
    (ProgramHandle * program, const char *source, const char *name, int headerCount, const char **headers,                         \
     const char **includeNames))                                                                                                   \
  X(hiprtcDestroyProgram, RtcResult, (ProgramHandle * program))                                                                    \
  X(hiprtcCompileProgram, RtcResult, (ProgramHandle program, int optionCount, const char **options))                               \
  X(hiprtcGetProgramLogSize, RtcResult, (ProgramHandle program, size_t *bytes))                                                    \
  X(hiprtcGetProgramLog, RtcResult, (ProgramHandle program, char *log))                                                            \
  X(hiprtcGetCodeSize, RtcResult, (ProgramHandle program, size_t *bytes))                                                          \
  X(hiprtcGetCode, RtcResult, (ProgramHandle program, char *code))

} // namespace ds4::hip
