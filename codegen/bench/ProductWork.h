// What the product benches share: matrices of generated weights, and the cost of a launch. Private to codegen/bench/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/KernelSpec.h"
#include "codegen/bench/BenchLaunch.h"
#include "codegen/bench/ProductBench.h"
#include "models/formats/Format.h"

namespace ds4 {

// A matrix, or several of one shape, one below the other, as bytes of device memory and as numbers.
struct BenchMatrix {
  int rows, width; // of a slice
  std::vector<std::byte> bytes;
  std::vector<float> values;
  BenchMatrix(const Format &format, int rows, int width, int slices);
  // Row `row` of slice `slice`, times x, in double precision.
  double product(int slice, int row, const float *x) const;

private:
  void addLevels(const Format &format, int slices);
};

// What a kernel read, and what its results are to be.
struct BenchWork {
  std::string format;
  double weights = 0, bytes = 0; // weights multiplied, bytes of distinct weights and inputs
  std::vector<double> expected;
};

// Runs the launch; `result` is where its results lie afterwards.
ProductCost costOf(const KernelSpec &spec, const BenchWork &work, BenchLaunch &launch, const std::byte *result, int tokens);

// The same of an exact kernel whose limits, for one token and for four, are wave instructions of a whole launch.
ProductCost costOfLaunch(const KernelSpec &spec, const BenchWork &work, BenchLaunch &launch, const std::byte *result, int tokens,
                         const ProductLimit &one, const ProductLimit &four);

// The limit of a dense product, or of a selected expert's. None where none was set.
std::optional<ProductLimit> productLimit(std::string_view format, bool routed, int tokens);

} // namespace ds4
