// Every kernel of a decode step: of the tiny model, and of DeepSeek-V4-Flash at a context of 128 Ki tokens.
#pragma once

#include <string>
#include <vector>

#include "codegen/KernelSpec.h"

namespace ds4::test {

struct ModelSizes {
  int width, heads, head, queryRank, ropeDims, groups, outputRank, indexHeads, indexHead, topK;
  int expertWidth, experts, used, vocabulary, context;
};
inline constexpr ModelSizes kTiny{256, 8, 128, 128, 32, 2, 128, 8, 64, 64, 128, 16, 6, 4096, 8192};
inline constexpr ModelSizes kFlash{4096, 64, 512, 1024, 64, 8, 1024, 64, 128, 512, 2048, 256, 6, 129280, 131072};

std::vector<KernelSpec> modelKernels(const ModelSizes &sizes, const std::string &rowElement = "f16");

} // namespace ds4::test
