#include "compiler/Target.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "support/Error.h"

namespace ds4 {

// Of compute capability 8.0 and later: those before lack the matrix unit's m16n8k16 of halves and m16n8k32 of integers
// (codegen/kernels/tile_cuda.h). A device says "sm_90", never "sm_90a": kernels need nothing of a variant's own.
static constexpr std::string_view kNvidia[] = {"sm_80",  "sm_86",  "sm_87",  "sm_88",  "sm_89",  "sm_90",
                                               "sm_100", "sm_101", "sm_103", "sm_110", "sm_120", "sm_121"};

bool isNvidia(std::string_view architecture) { return std::ranges::find(kNvidia, architecture) != std::end(kNvidia); }

std::string supportedTargets() { return fmt::format("{}, or of NVIDIA {}", kDefaultTarget, fmt::join(kNvidia, ", ")); }

void checkTarget(std::string_view architecture) {
  if (architecture != kDefaultTarget && !isNvidia(architecture))
    userError("target '{}' is not supported: choose {}", architecture, supportedTargets());
}

} // namespace ds4
