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
  std::string op;             // "linear", "expert_linear", "hc_coefficients"
  std::string format, kernel; // kernel: "exact", "fast"
  int rows = 0, width = 0, tokens = 0;
  double instructions = 0, withoutWaits = 0; // per 1,024 weights: dense, of the matrix; routed, of each selected expert
  uint64_t launch = 0;                       // instructions of the whole launch
  double bytes = 0;                          // loaded by all lanes, over weights and inputs once
  double busBytes = 0; // distinct lines loaded, over weights and inputs once: what a cache that keeps the inputs fetches
  double lines = 0;    // 64-byte lines requested, over distinct ones
  int vgprs = 0, ldsBytes = 0;
  double error = 0; // root mean square against double precision, relative
  std::optional<ProductLimit> limit;
};

struct ProductSelection {
  std::string format; // empty: all
  std::vector<int> tokens{1, 2, 4, 8};
  int rows = 1024; // of a matrix
  bool exact = true, experts = true;
};

// Runs each kernel once for each number of tokens; a minute or so for all. Throws ds4::Error (User) for a format without one.
std::vector<ProductCost> measureProducts(const ProductSelection &selection);

} // namespace ds4
