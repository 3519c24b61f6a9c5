// A CUDA driver of one device, "Fake 9000" of compute capability 9.0, whose memory is the host's. A launch copies the first
// bytes of its arguments and its shape into what the first argument points to. FAKE_CUDA_INIT is what cuInit answers.
// And an NVRTC: a program's log is its options, its code the source and the headers' names.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/providers/cuda/CudaApi.h"

namespace ds4::cuda {

#define DS4_DECLARE(name, result, parameters) extern "C" result name parameters;
DS4_CUDA_DRIVER(DS4_DECLARE)
DS4_CUDA_DRIVER_OPTIONAL(DS4_DECLARE)
DS4_CUDA_RTC(DS4_DECLARE)
#undef DS4_DECLARE

constexpr Result kNotFound = 500, kInvalidValue = 1, kInvalidContext = 201, kInvalidDevice = 101;

static thread_local bool contextIsCurrent = false;

Result cuInit(unsigned) {
  const char *answer = std::getenv("FAKE_CUDA_INIT");
  return answer ? std::atoi(answer) : kSuccess;
}
Result cuDriverGetVersion(int *version) { return *version = 13000, kSuccess; }
Result cuGetErrorName(Result, const char **name) { return *name = "CUDA_ERROR_OF_THE_FAKE", kSuccess; }
Result cuGetErrorString(Result, const char **text) { return *text = "text of the fake", kSuccess; }
Result cuDeviceGetCount(int *count) { return *count = 1, kSuccess; }
Result cuDeviceGet(Device *device, int ordinal) { return *device = 7, ordinal == 0 ? kSuccess : kInvalidDevice; }
Result cuDeviceGetName(char *name, int bytes, Device) { return std::strncpy(name, "Fake 9000", bytes), kSuccess; }
Result cuDeviceGetAttribute(int *value, Attribute attribute, Device) {
  *value = attribute == ComputeCapabilityMajor ? 9 : attribute == ComputeCapabilityMinor ? 0 : static_cast<int>(attribute);
  return kSuccess;
}
Result cuDeviceTotalMem_v2(size_t *bytes, Device) { return *bytes = 4096, kSuccess; }
Result cuDevicePrimaryCtxRetain(Context *context, Device) { return *context = reinterpret_cast<Context>(1), kSuccess; }
Result cuCtxSetCurrent(Context) { return contextIsCurrent = true, kSuccess; }
Result cuCtxSynchronize() { return kSuccess; }
Result cuMemGetInfo_v2(size_t *free, size_t *total) { return *free = 1000, *total = 4096, kSuccess; }
Result cuMemAlloc_v2(Address *address, size_t bytes) {
  if (!contextIsCurrent)
    return kInvalidContext;
  if (bytes > 4096)
    return 2;
  return *address = reinterpret_cast<Address>(std::malloc(bytes)), kSuccess;
}
Result cuMemFree_v2(Address address) { return std::free(reinterpret_cast<void *>(address)), kSuccess; }
Result cuMemHostAlloc(void **pointer, size_t bytes, unsigned) { return *pointer = std::malloc(bytes), kSuccess; }
Result cuMemFreeHost(void *pointer) { return std::free(pointer), kSuccess; }
Result cuMemcpy(Address to, Address from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
  return kSuccess;
}
Result cuMemcpyAsync(Address to, Address from, size_t bytes, Stream) { return cuMemcpy(to, from, bytes); }
Result cuMemsetD8_v2(Address to, unsigned char value, size_t bytes) {
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return kSuccess;
}
Result cuMemsetD8Async(Address to, unsigned char value, size_t bytes, Stream) { return cuMemsetD8_v2(to, value, bytes); }
Result cuModuleLoadData(Module *module, const void *image) {
  if (std::strcmp(static_cast<const char *>(image), "ptx of the future") == 0)
    return kUnsupportedPtxVersion;
  return *module = reinterpret_cast<Module>(2), kSuccess;
}
Result cuModuleUnload(Module) { return kSuccess; }
Result cuModuleGetFunction(Function *function, Module, const char *name) {
  const bool isWide = std::strcmp(name, "wide") == 0, isClustered = std::strcmp(name, "clustered") == 0;
  *function = reinterpret_cast<Function>(isWide ? 4 : isClustered ? 5 : 3);
  return std::strcmp(name, "known") == 0 || isWide || isClustered ? kSuccess : kNotFound;
}
Result cuModuleGetGlobal_v2(Address *address, size_t *bytes, Module, const char *name) {
  static const unsigned wideLds = 50000, wideWaits = 1, cluster = 10;
  const bool isWaits = std::strcmp(name, "wide_waits") == 0, isCluster = std::strcmp(name, "clustered_cluster") == 0;
  *address = reinterpret_cast<Address>(isWaits ? &wideWaits : isCluster ? &cluster : &wideLds), *bytes = sizeof wideLds;
  return isWaits || isCluster || std::strcmp(name, "wide_lds") == 0 ? kSuccess : kNotFound;
}
static int dynamicSharedAllowed = 0;
static bool largeClustersAllowed = false;
Result cuFuncSetAttribute(Function function, FunctionAttribute attribute, int value) {
  if (attribute == NonPortableClusterSizeAllowed)
    return largeClustersAllowed = value == 1 && function == reinterpret_cast<Function>(5), kSuccess;
  return dynamicSharedAllowed = value, kSuccess;
}
Result cuLaunchKernel(Function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned, unsigned,
                      unsigned dynamicShared, Stream, void **parameters, void **extra) {
  uint64_t first = 0;
  size_t bytes = 0;
  if (parameters) {
    first = *static_cast<uint64_t *>(parameters[0]);
  } else {
    if (!extra || extra[0] != kLaunchBufferPointer || extra[2] != kLaunchBufferSize || extra[4] != kLaunchEnd)
      return kInvalidValue;
    first = *static_cast<uint64_t *>(extra[1]);
    bytes = *static_cast<size_t *>(extra[3]);
  }
  if (dynamicShared > 48 * 1024 && dynamicSharedAllowed < static_cast<int>(dynamicShared))
    return kInvalidValue;
  const uint64_t shape[6] = {gridX, gridY, gridZ, blockX, bytes, dynamicShared};
  std::memcpy(reinterpret_cast<void *>(first), shape, sizeof shape);
  return kSuccess;
}
// Of kernels that say they wait: the launch may overlap with the one before; of those that say they have clusters: their size.
Result cuLaunchKernelEx(const LaunchConfig *config, Function function, void **parameters, void **extra) {
  const LaunchAttribute &asked = config->attributes[0];
  const bool overlaps =
      asked.id == ProgrammaticStreamSerialization && asked.value.flag == 1 && function == reinterpret_cast<Function>(4);
  const unsigned (&size)[3] = asked.value.cluster;
  const bool isCluster = asked.id == ClusterDimension && size[0] == 10 && size[1] == 1 && size[2] == 1 && largeClustersAllowed &&
                         function == reinterpret_cast<Function>(5);
  if (config->attributeCount != 1 || (!overlaps && !isCluster))
    return kInvalidValue;
  return cuLaunchKernel(function, config->gridX, config->gridY, config->gridZ, config->blockX, config->blockY, config->blockZ,
                        config->dynamicShared, config->stream, parameters, extra);
}
Result cuStreamCreate(Stream *stream, unsigned) { return *stream = reinterpret_cast<Stream>(4), kSuccess; }
Result cuStreamDestroy_v2(Stream) { return kSuccess; }
Result cuStreamSynchronize(Stream) { return 700; } // as after a kernel that left its memory
Result cuEventCreate(Event *event, unsigned) { return *event = reinterpret_cast<Event>(5), kSuccess; }
Result cuEventDestroy_v2(Event) { return kSuccess; }
Result cuEventRecord(Event, Stream) { return kSuccess; }
Result cuEventSynchronize(Event) { return kSuccess; }
Result cuEventElapsedTime(float *milliseconds, Event, Event) { return *milliseconds = 2.5f, kSuccess; }

struct OpaqueProgram {
  std::string log, code;
};

RtcResult nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 0, 0; }
const char *nvrtcGetErrorString(RtcResult) { return "NVRTC_ERROR_OF_THE_FAKE"; }
RtcResult nvrtcCreateProgram(Program *program, const char *source, const char *, int headerCount, const char *const *,
                             const char *const *includeNames) {
  *program = new OpaqueProgram{"", source};
  for (int i = 0; i < headerCount; ++i)
    (*program)->code += std::string(" ") + includeNames[i];
  return 0;
}
RtcResult nvrtcDestroyProgram(Program *program) { return delete *program, *program = nullptr, 0; }
RtcResult nvrtcCompileProgram(Program program, int optionCount, const char *const *options) {
  for (int i = 0; i < optionCount; ++i)
    program->log += std::string(options[i]) + " ";
  return 0;
}
RtcResult nvrtcGetProgramLogSize(Program program, size_t *bytes) { return *bytes = program->log.size() + 1, 0; }
RtcResult nvrtcGetProgramLog(Program program, char *log) { return std::strcpy(log, program->log.c_str()), 0; }
RtcResult nvrtcGetCUBINSize(Program program, size_t *bytes) { return *bytes = program->code.size(), 0; }
RtcResult nvrtcGetCUBIN(Program program, char *code) { return std::memcpy(code, program->code.data(), program->code.size()), 0; }

} // namespace ds4::cuda
