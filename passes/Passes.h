// Passes over ds4 step functions: create functions, their options, and registration. What each does: Passes.td.
#pragma once

#include <memory>

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/Pass/Pass.h>

#include "ir/Ds4Dialect.h"

namespace ds4 {

// On a module whose pass failed for what a user can mend: one line that says what and how.
inline constexpr llvm::StringLiteral kRefusalAttribute = "ds4.refusal";

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace ds4
