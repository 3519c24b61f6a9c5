// Allocation, copies and fills. Every device side of a copy must lie within one allocation.
#include <cstring>

#include <fmt/format.h>

#include "runtime/providers/simulator/api/Exports.h"
#include "runtime/providers/simulator/api/Session.h"

namespace ds4::hip {
namespace {

using sim::entry;
using sim::Refusal;
using sim::Session;

sim::Memory &ranges() { return Session::instance().heap.ranges(); }

void requireDeviceRange(const void *at, size_t bytes, const char *side) {
  if (!ranges().contains(at, bytes))
    throw Refusal{kInvalidValue,
                  fmt::format("{} [{}, +{} bytes) of a copy or fill lies outside every allocation of the device", side, at, bytes)};
}

bool onDevice(const void *at) { return ranges().contains(at, 1); }

void copy(void *to, const void *from, size_t bytes, CopyKind kind) {
  if (bytes == 0)
    return;
  if (!to || !from)
    throw Refusal{kInvalidValue, "a copy from or to a null pointer"};
  if (kind < HostToHost || kind > CopyDefault)
    throw Refusal{kInvalidMemcpyDirection, fmt::format("copy kind {} does not exist", static_cast<int>(kind))};
  const bool toDevice = kind == HostToDevice || kind == DeviceToDevice || (kind == CopyDefault && onDevice(to));
  const bool fromDevice = kind == DeviceToHost || kind == DeviceToDevice || (kind == CopyDefault && onDevice(from));
  if (toDevice)
    requireDeviceRange(to, bytes, "the target");
  if (fromDevice)
    requireDeviceRange(from, bytes, "the source");
  std::memmove(to, from, bytes);
  if (toDevice)
    ranges().markInitialised(to, bytes);
}

void fill(void *to, int value, size_t bytes) {
  if (bytes == 0)
    return;
  requireDeviceRange(to, bytes, "the target");
  std::memset(to, value, bytes);
  ranges().markInitialised(to, bytes);
}

void allocate(void **pointer, size_t bytes, bool pinned) {
  if (!pointer)
    throw Refusal{kInvalidValue, "a null pointer for a result"};
  *pointer = nullptr;
  if (bytes == 0)
    return;
  *pointer = Session::instance().heap.allocate(bytes, pinned);
  if (!*pointer)
    throw Refusal{kOutOfMemory, fmt::format("{} bytes asked for, {} free", bytes, Session::instance().heap.freeBytes())};
}

void release(void *pointer) {
  if (pointer && !Session::instance().heap.release(pointer))
    throw Refusal{kInvalidValue, fmt::format("{} is not the start of an allocation", pointer)};
}

} // namespace

Result hipMemGetInfo(size_t *free, size_t *total) {
  return entry([&] {
    if (!free || !total)
      throw Refusal{kInvalidValue, "a null pointer for a result"};
    *free = Session::instance().heap.freeBytes();
    *total = sim::DeviceHeap::totalBytes();
  });
}

Result hipMalloc(void **pointer, size_t bytes) {
  return entry([&] { allocate(pointer, bytes, /*pinned=*/false); });
}

Result hipFree(void *pointer) {
  return entry([&] { release(pointer); });
}

Result hipHostMalloc(void **pointer, size_t bytes, unsigned) {
  return entry([&] { allocate(pointer, bytes, /*pinned=*/true); });
}

Result hipHostFree(void *pointer) {
  return entry([&] { release(pointer); });
}

Result hipMemcpy(void *to, const void *from, size_t bytes, CopyKind kind) {
  return entry([&] { copy(to, from, bytes, kind); });
}

Result hipMemcpyAsync(void *to, const void *from, size_t bytes, CopyKind kind, StreamHandle stream) {
  if (const Result result = hipStreamSynchronize(stream); result != kSuccess)
    return result;
  return hipMemcpy(to, from, bytes, kind);
}

Result hipMemset(void *to, int value, size_t bytes) {
  return entry([&] { fill(to, value, bytes); });
}

Result hipMemsetAsync(void *to, int value, size_t bytes, StreamHandle stream) {
  if (const Result result = hipStreamSynchronize(stream); result != kSuccess)
    return result;
  return hipMemset(to, value, bytes);
}

} // namespace ds4::hip
