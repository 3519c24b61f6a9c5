// The ops of the ds4 dialect. Builders infer the result types from the operands:
//
//   auto y = ds4::RmsNormOp::create(builder, location, x, weight, /*eps=*/1e-6);
#pragma once

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/SymbolTable.h>
#include <mlir/Interfaces/ControlFlowInterfaces.h>
#include <mlir/Interfaces/InferTypeOpInterface.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include "ir/Ds4Types.h"
#include "ir/Signature.h"
#include "support/StepExpr.h"

#include "ir/Ds4Interfaces.h.inc"

#define GET_OP_CLASSES
#include "ir/Ds4Ops.h.inc"
