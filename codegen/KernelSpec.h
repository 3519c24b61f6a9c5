// A kernel as the compiler sees it before machine code exists: a template of codegen/kernels/ with its
// specialisation values, and how a step launches it. Emitters (codegen/emitters/) make these from shapes.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "support/StepExpr.h"

namespace ds4 {

// What the schedule assumed of the machine code; the resource gate refuses a code object that needs more.
struct ResourceBudget {
  int vgprs = 256;
  int ldsBytes = 65536;
  bool operator==(const ResourceBudget &) const = default;
};

struct KernelSpec {
  std::string symbol;            // encodes every specialisation value: "ds4_linear_q8_0_n1024_k4096"
  std::string op;                // the ds4 op it implements, "linear"; its template stands in kernels/<op>.h
  std::string source;            // the whole translation unit: includes, one extern "C" kernel
  int block = 32;                // work-items of a workgroup (x only), a multiple of 32
  std::array<StepExpr, 3> grid{StepExpr(1), StepExpr(1), StepExpr(1)}; // workgroups, in step scalars
  ResourceBudget budget;
  int scratchBytes = 0;          // of the step's scratch, which is then the last argument (kernels/scratch.h); 0 = none
};

} // namespace ds4
