// What a code object says of its kernels (AMDGPU metadata note, code object v4 to v6), and the gate on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codegen/KernelSpec.h"

namespace ds4 {

struct KernelResources {
  std::string name;
  int vgprs = 0, sgprs = 0, vgprSpills = 0, sgprSpills = 0;
  int scratchBytes = 0; // a lane
  int ldsBytes = 0;
  int kernargBytes = 0;
  int maxWorkgroup = 0;
  int waveSize = 32;
  bool dynamicStack = false;
  int wavesPerSimd() const; // gfx1151: 1536 VGPRs a lane, granule 24, at most 16 waves
};

// Throws ds4::Error (User) on bytes that hold no such metadata.
std::vector<KernelResources> readKernelResources(std::span<const std::byte> codeObject);

// Throws ds4::Error (Internal) naming kernel and resource when it spills, uses scratch or a dynamic stack, or needs
// more VGPRs or LDS than the budget.
void checkResources(const KernelResources &resources, const ResourceBudget &budget);

} // namespace ds4
