// One kernel with its operands, run in the simulator and counted.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "codegen/KernelSpec.h"
#include "codegen/kernels/step.h"
#include "runtime/providers/simulator/Machine.h"

namespace ds4 {

class BenchLaunch {
public:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  // Compiles the kernel for gfx1151; the step is its first argument. Throws ds4::Error (Internal) when it does not compile.
  BenchLaunch(const KernelSpec &spec, int pos, int tokens);
  BenchLaunch(const BenchLaunch &) = delete;
  BenchLaunch &operator=(const BenchLaunch &) = delete;

  // Adds a copy of `data` as the next argument, at the start of a line, as device memory has it; lives as long as the launch.
  template <typename T> std::byte *pass(const std::vector<T> &data) { return pass(std::as_bytes(std::span(data))); }
  std::byte *pass(std::span<const std::byte> data);
  // Adds the scratch, zeros, if the kernel takes one: it is the last argument.
  void passScratch();

  const sim::KernelInfo &kernel() const { return *object_->find(spec_.symbol); }
  sim::Counters run();

private:
  KernelSpec spec_;
  Step step_{};
  std::shared_ptr<sim::CodeObject> object_;
  std::vector<std::vector<Line>> buffers_;
  sim::Memory memory_;
  std::vector<const void *> arguments_;
};

} // namespace ds4
