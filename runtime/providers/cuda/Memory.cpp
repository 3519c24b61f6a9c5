// Allocations, copies and fills. Addresses are unified: the driver sees by itself which side a pointer is on.
#include "runtime/providers/cuda/Exports.h"

namespace ds4::cuda {
namespace {

void checkKind(hip::CopyKind kind) {
  if (kind < hip::HostToHost || kind > hip::CopyDefault)
    throw Refusal{hip::kInvalidMemcpyDirection, "copy kind " + std::to_string(kind) + " does not exist"};
}

} // namespace
} // namespace ds4::cuda

namespace ds4::hip {

using namespace cuda;

Result hipMemGetInfo(size_t *free, size_t *total) {
  return entry([&] { check(currentDriver().cuMemGetInfo_v2(&required(free), &required(total))); });
}

Result hipMalloc(void **pointer, size_t bytes) {
  return entry([&] {
    required(pointer) = nullptr;
    if (bytes == 0)
      return;
    Address address = 0;
    check(currentDriver().cuMemAlloc_v2(&address, bytes));
    *pointer = reinterpret_cast<void *>(address);
  });
}

Result hipFree(void *pointer) {
  return entry([&] {
    if (pointer)
      check(currentDriver().cuMemFree_v2(addressOf(pointer)));
  });
}

Result hipHostMalloc(void **pointer, size_t bytes, unsigned) {
  return entry([&] {
    required(pointer) = nullptr;
    if (bytes != 0)
      check(currentDriver().cuMemHostAlloc(pointer, bytes, 0));
  });
}

Result hipHostFree(void *pointer) {
  return entry([&] {
    if (pointer)
      check(currentDriver().cuMemFreeHost(pointer));
  });
}

Result hipMemcpy(void *to, const void *from, size_t bytes, CopyKind kind) {
  return entry([&] {
    checkKind(kind);
    if (bytes != 0)
      check(currentDriver().cuMemcpy(addressOf(to), addressOf(from), bytes));
  });
}

Result hipMemcpyAsync(void *to, const void *from, size_t bytes, CopyKind kind, StreamHandle stream) {
  return entry([&] {
    checkKind(kind);
    if (bytes != 0)
      check(currentDriver().cuMemcpyAsync(addressOf(to), addressOf(from), bytes, cudaStream(stream)));
  });
}

Result hipMemset(void *to, int value, size_t bytes) {
  return entry([&] {
    if (bytes != 0)
      check(currentDriver().cuMemsetD8_v2(addressOf(to), static_cast<unsigned char>(value), bytes));
  });
}

Result hipMemsetAsync(void *to, int value, size_t bytes, StreamHandle stream) {
  return entry([&] {
    if (bytes != 0)
      check(currentDriver().cuMemsetD8Async(addressOf(to), static_cast<unsigned char>(value), bytes, cudaStream(stream)));
  });
}

} // namespace ds4::hip
