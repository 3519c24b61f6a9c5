#include "runtime/hip/DeviceObjects.h"

#include "support/Error.h"

namespace ds4::hip {

DeviceBuffer::DeviceBuffer(const Provider &provider, size_t bytes) : Owned(provider), size_(bytes) {
  if (bytes != 0)
    provider.check(provider.table.hipMalloc(&handle_, bytes), fmt::format("hipMalloc of {} bytes", bytes));
}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  swap(other);
  std::swap(size_, other.size_);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (handle_)
    provider_->table.hipFree(handle_);
}

void DeviceBuffer::checkRange(size_t offset, size_t bytes) const {
  if (offset > size_ || bytes > size_ - offset)
    internalError("copy of {} bytes at {} leaves a device buffer of {}", bytes, offset, size_);
}

void DeviceBuffer::upload(std::span<const std::byte> from, size_t offset) const {
  checkRange(offset, from.size());
  if (!from.empty())
    provider_->check(provider_->table.hipMemcpy(data() + offset, from.data(), from.size(), HostToDevice),
                     "hipMemcpy to the device");
}

void DeviceBuffer::download(std::span<std::byte> to, size_t offset) const {
  checkRange(offset, to.size());
  if (!to.empty())
    provider_->check(provider_->table.hipMemcpy(to.data(), data() + offset, to.size(), DeviceToHost), "hipMemcpy to the host");
}

void DeviceBuffer::uploadAsync(std::span<const std::byte> from, size_t offset, StreamHandle stream) const {
  checkRange(offset, from.size());
  if (!from.empty())
    provider_->check(provider_->table.hipMemcpyAsync(data() + offset, from.data(), from.size(), HostToDevice, stream),
                     "hipMemcpyAsync to the device");
}

void DeviceBuffer::downloadAsync(std::span<std::byte> to, size_t offset, StreamHandle stream) const {
  checkRange(offset, to.size());
  if (!to.empty())
    provider_->check(provider_->table.hipMemcpyAsync(to.data(), data() + offset, to.size(), DeviceToHost, stream),
                     "hipMemcpyAsync to the host");
}

void DeviceBuffer::copyFrom(const DeviceBuffer &from, size_t fromOffset, size_t offset, size_t bytes, StreamHandle stream) const {
  checkRange(offset, bytes);
  from.checkRange(fromOffset, bytes);
  if (bytes != 0)
    provider_->check(provider_->table.hipMemcpyAsync(data() + offset, from.data() + fromOffset, bytes, DeviceToDevice, stream),
                     "hipMemcpyAsync within the device");
}

void DeviceBuffer::fill(uint8_t value, StreamHandle stream) const {
  if (size_ != 0)
    provider_->check(provider_->table.hipMemsetAsync(handle_, value, size_, stream), "hipMemsetAsync");
}

PinnedBuffer::PinnedBuffer(const Provider &provider, size_t bytes) : Owned(provider), size_(bytes) {
  if (bytes != 0)
    provider.check(provider.table.hipHostMalloc(&handle_, bytes, 0), fmt::format("hipHostMalloc of {} bytes", bytes));
}

PinnedBuffer &PinnedBuffer::operator=(PinnedBuffer &&other) noexcept {
  swap(other);
  std::swap(size_, other.size_);
  return *this;
}

PinnedBuffer::~PinnedBuffer() {
  if (handle_)
    provider_->table.hipHostFree(handle_);
}

Module::Module(const Provider &provider, std::span<const std::byte> codeObject, std::string what)
    : Owned(provider), what_(std::move(what)) {
  provider.check(provider.table.hipModuleLoadData(&handle_, codeObject.data()),
                 fmt::format("hipModuleLoadData of {} on {}", what_, provider.architecture));
}

Module &Module::operator=(Module &&other) noexcept {
  swap(other);
  std::swap(what_, other.what_);
  return *this;
}

Module::~Module() {
  if (handle_)
    provider_->table.hipModuleUnload(handle_);
}

FunctionHandle Module::function(const std::string &kernel) const {
  FunctionHandle function = nullptr;
  provider_->check(provider_->table.hipModuleGetFunction(&function, handle_, kernel.c_str()),
                   fmt::format("hipModuleGetFunction of {} in {}", kernel, what_));
  return function;
}

Stream::Stream(const Provider &provider) : Owned(provider) {
  provider.check(provider.table.hipStreamCreate(&handle_), "hipStreamCreate");
}

Stream &Stream::operator=(Stream &&other) noexcept {
  swap(other);
  return *this;
}

Stream::~Stream() {
  if (handle_)
    provider_->table.hipStreamDestroy(handle_);
}

void Stream::launch(FunctionHandle function, const LaunchShape &shape, std::span<const std::byte> arguments,
                    std::string_view kernel) const {
  size_t bytes = arguments.size();
  void *extra[] = {kLaunchBufferPointer, const_cast<std::byte *>(arguments.data()), kLaunchBufferSize, &bytes, kLaunchEnd};
  provider_->check(provider_->table.hipModuleLaunchKernel(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                                                          shape.block[1], shape.block[2], shape.dynamicLds, handle_, nullptr,
                                                          arguments.empty() ? nullptr : extra),
                   fmt::format("launch of {}", kernel));
}

void Stream::synchronize() const { provider_->check(provider_->table.hipStreamSynchronize(handle_), "hipStreamSynchronize"); }

Event::Event(const Provider &provider) : Owned(provider) {
  provider.check(provider.table.hipEventCreate(&handle_), "hipEventCreate");
}

Event &Event::operator=(Event &&other) noexcept {
  swap(other);
  return *this;
}

Event::~Event() {
  if (handle_)
    provider_->table.hipEventDestroy(handle_);
}

void Event::record(StreamHandle stream) const {
  provider_->check(provider_->table.hipEventRecord(handle_, stream), "hipEventRecord");
}

void Event::synchronize() const { provider_->check(provider_->table.hipEventSynchronize(handle_), "hipEventSynchronize"); }

float Event::millisecondsSince(const Event &start) const {
  float milliseconds = 0;
  provider_->check(provider_->table.hipEventElapsedTime(&milliseconds, start.handle(), handle_), "hipEventElapsedTime");
  return milliseconds;
}

} // namespace ds4::hip
