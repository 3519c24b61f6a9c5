// A device for tests: memory that the simulator knows, code objects from assembly or HIP source, launches in one call.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "runtime/providers/simulator/Machine.h"
#include "tests/simulator/Assembler.h"

namespace ds4::sim::test {

// Compiles HIP source for gfx1151 in process; throws std::runtime_error with the compiler's log. The source may use the
// macros KERNEL(threads), SHARED and barrier() below.
std::shared_ptr<CodeObject> compileKernels(const std::string &source);
std::shared_ptr<CodeObject> assembleKernels(const std::vector<AssemblyKernel> &kernels);

class Device {
public:
  Options options;

  // Fresh memory of count elements, initialised to zero unless `written` is false.
  template <class T> T *allocate(size_t count, bool written = true) {
    return static_cast<T *>(allocateBytes(count * sizeof(T), written));
  }
  Memory &memory() { return memory_; }

  // Arguments are packed by their alignment, as a kernel's parameters are.
  template <class... Args>
  Counters launch(const std::shared_ptr<CodeObject> &object, const char *kernel, uint32_t groups, uint32_t threads,
                  Args... arguments) {
    std::vector<std::byte> packed;
    (pack(packed, &arguments, sizeof arguments, alignof(Args)), ...);
    return launchPacked(object, kernel, groups, threads, packed);
  }

private:
  static void pack(std::vector<std::byte> &to, const void *from, size_t bytes, size_t align) {
    to.resize((to.size() + align - 1) / align * align + bytes);
    std::memcpy(to.data() + to.size() - bytes, from, bytes);
  }
  void *allocateBytes(size_t bytes, bool written);
  Counters launchPacked(const std::shared_ptr<CodeObject> &object, const char *kernel, uint32_t groups, uint32_t threads,
                        const std::vector<std::byte> &arguments);

  Memory memory_;
  std::deque<std::vector<std::byte>> buffers_;
};

// The fault that a launch throws; a test failure (and an empty Trap) when it throws none.
template <class Launch> Fault faultOf(Launch launch) {
  try {
    launch();
  } catch (const Fault &fault) {
    return fault;
  }
  return Fault(FaultKind::Trap, "no fault was raised");
}

} // namespace ds4::sim::test
