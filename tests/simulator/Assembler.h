// gfx1151 assembly to a loadable code object, in process: LLVM's assembler, then lld.
//
// Tests of the simulator state an instruction as text, in the syntax of LLVM's AMDGPU assembler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ds4::sim::test {

// A wave32 kernel whose only argument is one 8-byte pointer: s[0:1] holds the address of the argument segment, v0 the
// work-item. The body ends with s_endpgm; "%=" in it becomes the kernel's index, so that labels stay unique.
struct AssemblyKernel {
  std::string name;
  std::string body;
  uint32_t ldsBytes = 0;
  uint32_t scratchBytes = 0; // of one lane
};

// Throws std::runtime_error with the assembler's or linker's diagnostics.
std::vector<std::byte> assemble(const std::vector<AssemblyKernel> &kernels, std::string_view cpu = "gfx1151");

} // namespace ds4::sim::test
