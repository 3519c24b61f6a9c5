// From the outlined module to the plan: launches, kernels and the places of all values.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include "models/graph/ModelTable.h"
#include "runtime/plan/Plan.h"

namespace ds4 {

// The module's step function consists of ds4.weight, ds4.reshape and ds4.launch ops with planned memory. With `keepAll`
// every launch's tensor results become outputs named by their location ("blk.3.attn.q_a"; "#1" for the second result).
// `ir` of the plan is left empty. Throws ds4::Error (Internal) on a module that has not been through the pipeline.
Plan writePlan(mlir::ModuleOp module, const ModelTable &model, int maxWidth, bool keepAll);

// The ops of the module's step as they stand, for PlanWriter's caller to keep before passes change them.
std::vector<PlanOp> opsOf(mlir::ModuleOp module);

} // namespace ds4
