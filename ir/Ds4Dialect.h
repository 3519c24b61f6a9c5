// The ds4 dialect: registration and the names of the attributes that it puts on other ops.
#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>

#include "ir/Ds4Dialect.h.inc"
