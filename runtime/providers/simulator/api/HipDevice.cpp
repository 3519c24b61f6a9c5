// Device queries, errors, streams and events. Launches and copies are done when their call returns, so a stream has
// nothing to wait for, and an event is the host's clock when it was recorded.
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>

#include "runtime/hip/ErrorNames.h"
#include "runtime/providers/simulator/api/Exports.h"
#include "runtime/providers/simulator/api/Session.h"

namespace ds4::hip {

struct OpaqueStream {};
struct OpaqueEvent {
  std::optional<std::chrono::steady_clock::time_point> recorded;
};

namespace {

using sim::entry;
using sim::Refusal;

constexpr const char kDeviceName[] = "gfx1151 simulator";
constexpr const char kArchitecture[] = "gfx1151";
constexpr int kVersion = 70000000; // HIP 7.0, whose calls it follows
constexpr int kComputeUnits = 40, kMaxThreadsPerBlock = 1024, kLdsBytes = 65536, kWaveSize = 32;

// Handles given out and not yet destroyed, so that a stale one is an error and not a crash.
template <typename T> class Handles {
public:
  T *create() {
    auto made = std::make_unique<T>();
    T *const handle = made.get();
    std::lock_guard lock(mutex_);
    live_.emplace(handle, std::move(made));
    return handle;
  }
  void destroy(T *handle, const char *what) {
    std::lock_guard lock(mutex_);
    if (live_.erase(handle) == 0)
      throw Refusal{kInvalidHandle, std::string("not a live ") + what};
  }
  // Runs `body` on a live handle.
  template <typename Body> void use(T *handle, const char *what, Body body) {
    std::lock_guard lock(mutex_);
    if (!live_.count(handle))
      throw Refusal{kInvalidHandle, std::string("not a live ") + what};
    body(*handle);
  }

private:
  std::mutex mutex_;
  std::unordered_map<T *, std::unique_ptr<T>> live_;
};

Handles<OpaqueStream> &streams() {
  static Handles<OpaqueStream> handles;
  return handles;
}
Handles<OpaqueEvent> &events() {
  static Handles<OpaqueEvent> handles;
  return handles;
}

void requireStream(StreamHandle stream) {
  if (stream)
    streams().use(stream, "stream", [](OpaqueStream &) {});
}

void requireDevice(int device) {
  if (device != 0)
    throw Refusal{kInvalidDevice, "the simulator has device 0 alone"};
}

template <typename T> T &required(T *pointer) {
  if (!pointer)
    throw Refusal{kInvalidValue, "a null pointer for a result"};
  return *pointer;
}

std::chrono::steady_clock::time_point recordedAt(EventHandle event) {
  std::chrono::steady_clock::time_point at;
  events().use(event, "event", [&](OpaqueEvent &e) {
    if (!e.recorded)
      throw Refusal{kInvalidHandle, "the event was not recorded"};
    at = *e.recorded;
  });
  return at;
}

} // namespace

Result hipInit(unsigned) { return kSuccess; }

Result hipDriverGetVersion(int *version) {
  return entry([&] { required(version) = kVersion; });
}

Result hipRuntimeGetVersion(int *version) {
  return entry([&] { required(version) = kVersion; });
}

Result hipGetDeviceCount(int *count) {
  return entry([&] { required(count) = 1; });
}

Result hipSetDevice(int device) {
  return entry([&] { requireDevice(device); });
}

Result hipGetDevice(int *device) {
  return entry([&] { required(device) = 0; });
}

Result hipDeviceGetName(char *name, int bytes, int device) {
  return entry([&] {
    requireDevice(device);
    if (bytes <= 0)
      throw Refusal{kInvalidValue, "no room for the device's name"};
    strncpy(&required(name), kDeviceName, static_cast<size_t>(bytes));
    name[bytes - 1] = '\0';
  });
}

Result hipDeviceGetAttribute(int *value, DeviceAttribute attribute, int device) {
  return entry([&] {
    requireDevice(device);
    switch (attribute) {
    case AttributeIntegrated:
      required(value) = 1;
      return;
    case AttributeMaxThreadsPerBlock:
      required(value) = kMaxThreadsPerBlock;
      return;
    case AttributeMultiprocessorCount:
      required(value) = kComputeUnits;
      return;
    case AttributeMaxSharedMemoryPerBlock:
      required(value) = kLdsBytes;
      return;
    case AttributeWarpSize:
      required(value) = kWaveSize;
      return;
    }
    throw Refusal{kInvalidValue, "the simulator does not know device attribute " + std::to_string(attribute)};
  });
}

// The layout of ROCm 6 and newer; the fields that ds4c's readers use.
Result hipGetDevicePropertiesR0600(void *properties, int device) {
  constexpr size_t kTotalMemoryPlace = 288, kArchitecturePlace = 1160;
  return entry([&] {
    requireDevice(device);
    char *block = &required(static_cast<char *>(properties));
    const size_t total = sim::DeviceHeap::totalBytes();
    std::memcpy(block, kDeviceName, sizeof kDeviceName);
    std::memcpy(block + kTotalMemoryPlace, &total, sizeof total);
    std::memcpy(block + kArchitecturePlace, kArchitecture, sizeof kArchitecture);
  });
}

Result hipGetDeviceProperties(void *properties, int device) { return hipGetDevicePropertiesR0600(properties, device); }

Result hipDeviceSynchronize() { return kSuccess; }

Result hipGetLastError() {
  sim::ThreadErrors &errors = sim::ThreadErrors::instance();
  const Result last = errors.last;
  errors = {};
  return last;
}

const char *hipGetErrorName(Result result) { return errorName(result).name; }

const char *hipGetErrorString(Result result) { return errorName(result).text; }

Result hipStreamCreate(StreamHandle *stream) {
  return entry([&] { required(stream) = streams().create(); });
}

Result hipStreamDestroy(StreamHandle stream) {
  return entry([&] { streams().destroy(stream, "stream"); });
}

Result hipStreamSynchronize(StreamHandle stream) {
  return entry([&] { requireStream(stream); });
}

Result hipEventCreate(EventHandle *event) {
  return entry([&] { required(event) = events().create(); });
}

Result hipEventDestroy(EventHandle event) {
  return entry([&] { events().destroy(event, "event"); });
}

Result hipEventRecord(EventHandle event, StreamHandle stream) {
  return entry([&] {
    requireStream(stream);
    events().use(event, "event", [](OpaqueEvent &e) { e.recorded = std::chrono::steady_clock::now(); });
  });
}

Result hipEventSynchronize(EventHandle event) {
  return entry([&] { events().use(event, "event", [](OpaqueEvent &) {}); });
}

Result hipEventElapsedTime(float *milliseconds, EventHandle start, EventHandle stop) {
  return entry([&] {
    const std::chrono::duration<float, std::milli> elapsed = recordedAt(stop) - recordedAt(start);
    required(milliseconds) = elapsed.count();
  });
}

} // namespace ds4::hip
