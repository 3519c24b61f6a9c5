#include "runtime/hip/DeviceObjects.h"

#include <cstring>
#include <elf.h>

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

namespace {

// hipModuleLoadData is not told where the code object ends: it believes the tables of an ELF file. Whatever else the image
// is, is the provider's to judge.
bool tablesLieWithin(std::span<const std::byte> codeObject) {
  auto within = [&](uint64_t offset, uint64_t bytes) { return offset <= codeObject.size() && bytes <= codeObject.size() - offset; };
  if (!within(0, SELFMAG) || std::memcmp(codeObject.data(), ELFMAG, SELFMAG) != 0)
    return true;
  Elf64_Ehdr header;
  if (!within(0, sizeof header))
    return false;
  std::memcpy(&header, codeObject.data(), sizeof header);
  if (!within(header.e_phoff, uint64_t(header.e_phnum) * sizeof(Elf64_Phdr)) ||
      !within(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr)))
    return false;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, codeObject.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (!within(segment.p_offset, segment.p_filesz))
      return false;
  }
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, codeObject.data() + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS && !within(section.sh_offset, section.sh_size))
      return false;
  }
  return true;
}

} // namespace

Module::Module(const Provider &provider, std::span<const std::byte> codeObject, std::string what)
    : Owned(provider), what_(std::move(what)) {
  if (!tablesLieWithin(codeObject))
    environmentError("the code object of {} is damaged or truncated: compile the plan again", what_);
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
