// Device memory, modules, streams and events that free themselves. Move-only; each must not outlive its provider.
//
// Every call throws ds4::Error as Provider::check does. A null stream means the default stream. Destructors ignore
// errors: they also run while an exception travels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "runtime/hip/Provider.h"

namespace ds4::hip {

// A handle with its provider; the subclass names the call that frees it.
template <typename Handle> class Owned {
public:
  Handle handle() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

protected:
  Owned() = default;
  explicit Owned(const Provider &provider) : provider_(&provider) {}
  Owned(Owned &&other) noexcept : provider_(other.provider_), handle_(std::exchange(other.handle_, nullptr)) {}
  void swap(Owned &other) noexcept {
    std::swap(provider_, other.provider_);
    std::swap(handle_, other.handle_);
  }

  const Provider *provider_ = nullptr;
  Handle handle_ = nullptr;
};

// Memory of the device (hipMalloc), fresh memory undefined.
class DeviceBuffer : public Owned<void *> {
public:
  DeviceBuffer() = default;
  DeviceBuffer(const Provider &provider, size_t bytes);
  DeviceBuffer(DeviceBuffer &&) noexcept = default;
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer();

  std::byte *data() const { return static_cast<std::byte *>(handle_); } // a device address
  size_t size() const { return size_; }

  // Copies between host and [offset, offset + size) of the buffer; they return when the host memory may be used again.
  void upload(std::span<const std::byte> from, size_t offset = 0) const;
  void download(std::span<std::byte> to, size_t offset = 0) const;
  // The same in a stream's order. The host memory must stay until the stream got there.
  void uploadAsync(std::span<const std::byte> from, size_t offset, StreamHandle stream) const;
  void downloadAsync(std::span<std::byte> to, size_t offset, StreamHandle stream) const;
  void copyFrom(const DeviceBuffer &from, size_t fromOffset, size_t offset, size_t bytes, StreamHandle stream) const;
  void fill(uint8_t value, StreamHandle stream) const;

private:
  void checkRange(size_t offset, size_t bytes) const;

  size_t size_ = 0;
};

// Page-locked host memory (hipHostMalloc): the source and target of asynchronous copies.
class PinnedBuffer : public Owned<void *> {
public:
  PinnedBuffer() = default;
  PinnedBuffer(const Provider &provider, size_t bytes);
  PinnedBuffer(PinnedBuffer &&) noexcept = default;
  PinnedBuffer &operator=(PinnedBuffer &&other) noexcept;
  ~PinnedBuffer();

  std::span<std::byte> bytes() const { return {static_cast<std::byte *>(handle_), size_}; }

private:
  size_t size_ = 0;
};

class Module : public Owned<ModuleHandle> {
public:
  Module() = default;
  // `what` names the code object in messages.
  Module(const Provider &provider, std::span<const std::byte> codeObject, std::string what);
  Module(Module &&) noexcept = default;
  Module &operator=(Module &&other) noexcept;
  ~Module();

  // Valid as long as the module. Throws ds4::Error (Internal) naming the kernel when the module lacks it.
  FunctionHandle function(const std::string &kernel) const;

private:
  std::string what_;
};

struct LaunchShape {
  std::array<uint32_t, 3> grid{1, 1, 1};   // workgroups
  std::array<uint32_t, 3> block{32, 1, 1}; // work-items of a workgroup
  uint32_t dynamicLds = 0;                 // bytes
};

class Stream : public Owned<StreamHandle> {
public:
  Stream() = default;
  explicit Stream(const Provider &provider);
  Stream(Stream &&) noexcept = default;
  Stream &operator=(Stream &&other) noexcept;
  ~Stream();

  // `arguments` are the kernel's parameters packed in order, each at a multiple of its own alignment.
  void launch(FunctionHandle function, const LaunchShape &shape, std::span<const std::byte> arguments,
              std::string_view kernel) const;
  void synchronize() const;
};

class Event : public Owned<EventHandle> {
public:
  Event() = default;
  explicit Event(const Provider &provider);
  Event(Event &&) noexcept = default;
  Event &operator=(Event &&other) noexcept;
  ~Event();

  void record(StreamHandle stream) const;
  void synchronize() const;
  float millisecondsSince(const Event &start) const; // both recorded and reached
};

} // namespace ds4::hip
