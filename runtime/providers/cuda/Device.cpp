// Devices, contexts, streams and events.
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "runtime/providers/cuda/Exports.h"

namespace ds4::cuda {
namespace {

thread_local int chosenOrdinal = 0;   // hipSetDevice of this thread
thread_local int currentOrdinal = -1; // whose context is current in this thread

// Primary contexts stay retained for the life of the process, as HIP's do.
Context contextOf(int ordinal) {
  static std::mutex mutex;
  static std::map<int, Context> contexts;
  std::lock_guard lock(mutex);
  const auto found = contexts.find(ordinal);
  if (found != contexts.end())
    return found->second;
  Context context = nullptr;
  check(driver().cuDevicePrimaryCtxRetain(&context, deviceOf(ordinal)));
  contexts[ordinal] = context;
  return context;
}

Attribute cudaAttribute(hip::DeviceAttribute attribute) {
  switch (attribute) {
  case hip::AttributeIntegrated:
    return Integrated;
  case hip::AttributeMaxThreadsPerBlock:
    return MaxThreadsPerBlock;
  case hip::AttributeMultiprocessorCount:
    return MultiprocessorCount;
  case hip::AttributeMaxSharedMemoryPerBlock:
    return MaxSharedMemoryPerBlock;
  case hip::AttributeWarpSize:
    return WarpSize;
  }
  throw Refusal{hip::kInvalidValue, "device attribute " + std::to_string(attribute) + " has no counterpart in CUDA"};
}

int attributeOf(Device device, Attribute attribute) {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, attribute, device));
  return value;
}

} // namespace

Device deviceOf(int ordinal) {
  Device device = 0;
  check(driver().cuDeviceGet(&device, ordinal));
  return device;
}

const Driver &currentDriver() {
  const Driver &loaded = driver();
  if (currentOrdinal != chosenOrdinal) {
    check(loaded.cuCtxSetCurrent(contextOf(chosenOrdinal)));
    currentOrdinal = chosenOrdinal;
  }
  return loaded;
}

} // namespace ds4::cuda

namespace ds4::hip {

using namespace cuda;

Result hipInit(unsigned flags) {
  return entry([&] { check(driver().cuInit(flags)); });
}

Result hipDriverGetVersion(int *version) {
  return entry([&] { check(driver().cuDriverGetVersion(&required(version))); });
}

Result hipRuntimeGetVersion(int *version) { return hipDriverGetVersion(version); }

Result hipGetDeviceCount(int *count) {
  return entry([&] { check(driver().cuDeviceGetCount(&required(count))); });
}

Result hipSetDevice(int device) {
  return entry([&] {
    deviceOf(device);
    chosenOrdinal = device;
    currentDriver();
  });
}

Result hipGetDevice(int *device) {
  return entry([&] { required(device) = chosenOrdinal; });
}

Result hipDeviceGetName(char *name, int bytes, int device) {
  return entry([&] { check(driver().cuDeviceGetName(&required(name), bytes, deviceOf(device))); });
}

Result hipDeviceGetAttribute(int *value, DeviceAttribute attribute, int device) {
  return entry([&] { required(value) = attributeOf(deviceOf(device), cudaAttribute(attribute)); });
}

// The layout of ROCm 6 and newer; the fields that ds4c's readers use. "sm_90" stands where an AMD device says "gfx1151".
Result hipGetDevicePropertiesR0600(void *properties, int ordinal) {
  constexpr size_t kNameBytes = 256, kTotalMemoryPlace = 288, kArchitecturePlace = 1160, kArchitectureBytes = 16;
  return entry([&] {
    char *block = &required(static_cast<char *>(properties));
    const Device device = deviceOf(ordinal);
    size_t total = 0;
    check(driver().cuDeviceTotalMem_v2(&total, device));
    check(driver().cuDeviceGetName(block, kNameBytes, device));
    std::memcpy(block + kTotalMemoryPlace, &total, sizeof total);
    std::snprintf(block + kArchitecturePlace, kArchitectureBytes, "sm_%d%d", attributeOf(device, ComputeCapabilityMajor),
                  attributeOf(device, ComputeCapabilityMinor));
  });
}

Result hipGetDeviceProperties(void *properties, int device) { return hipGetDevicePropertiesR0600(properties, device); }

Result hipDeviceSynchronize() {
  return entry([&] { check(currentDriver().cuCtxSynchronize()); });
}

Result hipStreamCreate(StreamHandle *stream) {
  return entry([&] { check(currentDriver().cuStreamCreate(reinterpret_cast<Stream *>(&required(stream)), 0)); });
}

Result hipStreamDestroy(StreamHandle stream) {
  return entry([&] { check(currentDriver().cuStreamDestroy_v2(cudaStream(stream))); });
}

Result hipStreamSynchronize(StreamHandle stream) {
  return entry([&] { check(currentDriver().cuStreamSynchronize(cudaStream(stream))); });
}

Result hipEventCreate(EventHandle *event) {
  return entry([&] { check(currentDriver().cuEventCreate(reinterpret_cast<Event *>(&required(event)), 0)); });
}

Result hipEventDestroy(EventHandle event) {
  return entry([&] { check(currentDriver().cuEventDestroy_v2(cudaEvent(event))); });
}

Result hipEventRecord(EventHandle event, StreamHandle stream) {
  return entry([&] { check(currentDriver().cuEventRecord(cudaEvent(event), cudaStream(stream))); });
}

Result hipEventSynchronize(EventHandle event) {
  return entry([&] { check(currentDriver().cuEventSynchronize(cudaEvent(event))); });
}

Result hipEventElapsedTime(float *milliseconds, EventHandle start, EventHandle stop) {
  return entry(
      [&] { check(currentDriver().cuEventElapsedTime(&required(milliseconds), cudaEvent(start), cudaEvent(stop))); });
}

} // namespace ds4::hip
