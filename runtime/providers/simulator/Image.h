// An AMDGPU code object as loaded: the segments with relocations applied, its functions, and its kernels with what
// their descriptors and metadata say.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/providers/simulator/Machine.h"

namespace ds4::sim {

// One kernel argument of the metadata. `kind` is its .value_kind ("by_value", "global_buffer", "hidden_block_count_x", ...).
struct KernelArgument {
  uint32_t offset = 0, bytes = 0;
  std::string kind;
  bool hidden() const { return kind.starts_with("hidden_"); }
};

struct Kernel : KernelInfo {
  std::vector<KernelArgument> arguments;
  uint32_t explicitBytes = 0;    // end of the last argument that the caller supplies
  uint32_t programResource2 = 0; // compute_pgm_rsrc2: user SGPRs and enabled system SGPRs
  uint32_t codeProperties = 0;   // kernel_code_properties: which user SGPRs are set up
  uint32_t mode = 0;             // initial rounding and denormal bits of MODE
};

struct Function {
  uint64_t begin = 0, end = 0; // offsets in the image
};

struct Image {
  struct Free {
    void operator()(std::byte *p) const;
  };
  std::unique_ptr<std::byte[], Free> bytes; // page-aligned
  size_t size = 0;
  std::string cpu; // gfx1151 or gfx1100
  std::map<std::string, Kernel, std::less<>> kernels;
  std::map<uint64_t, Function> functions; // by begin
  std::map<std::string, Function, std::less<>> objects;
  std::byte *base() const { return bytes.get(); }
};

// Throws ds4::Error (User) on anything that is not a wave32 code object of a known architecture.
Image loadImage(std::span<const std::byte> elf);

} // namespace ds4::sim
