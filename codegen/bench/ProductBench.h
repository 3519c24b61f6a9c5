// Counted costs of the product kernels: every weight format, exact and fast, dense and routed, run in the simulator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ds4 {

// What a launch was allowed to cost, in wave instructions per 1,024 weights.
struct ProductLimit {
  double limit = 0, stretch = 0;
};

struct ProductCost {
  std::string op;     // "linear", "expert_linear", "hc_coefficients"
  std::string format, kernel; // kernel: "exact", "fast"
  int rows = 0, width = 0, tokens = 0;
  double instructions = 0, withoutWaits = 0; // per 1,024 weights: dense, of the matrix; routed, of each selected expert
  uint64_t launch = 0;                       // instructions of the whole launch
  double bytes = 0;                          // loaded by all lanes, over weights and inputs once
  double busBytes = 0;                       // distinct lines loaded, over weights and inputs once: what a cache that keeps the inputs fetches
  double lines = 0;                          // 64-byte lines requested, over distinct ones
  int vgprs = 0, ldsBytes = 0;
  double error = 0; // root mean square against double precision, relative
  std::optional<ProductLimit> limit;
};

// Runs each kernel with `tokens` of 1, 2, 4 and 8; `format` empty: all formats. Takes a minute or so. Throws ds4::Error.
std::vector<ProductCost> measureProducts(const std::string &format = "");

} // namespace ds4
