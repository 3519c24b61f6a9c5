// Types and attributes of the ds4 dialect. Both are immutable values, uniqued in their MLIRContext.
#pragma once

#include <array>
#include <bit>
#include <optional>

#include <llvm/ADT/Hashing.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/OpImplementation.h>

#include "ir/Ds4Dialect.h"
#include "models/formats/Format.h"
#include "support/RopeTable.h"
#include "support/StepGuard.h"

namespace ds4 {

// A double as an attribute's parameter: equal and hashed by its bits.
struct Real {
  double value = 0;
  Real() = default;
  Real(double number) : value(number) {}
  operator double() const { return value; }
  friend bool operator==(Real a, Real b) { return std::bit_cast<uint64_t>(a.value) == std::bit_cast<uint64_t>(b.value); }
  friend llvm::hash_code hash_value(Real real) { return llvm::hash_value(std::bit_cast<uint64_t>(real.value)); }
};

// Elements of fields in the textual form; a failure has been reported at the field.
mlir::FailureOr<Real> parseReal(mlir::AsmParser &parser);
void printReal(mlir::AsmPrinter &printer, double value); // the shortest digits that read back as the same value
mlir::FailureOr<WeightFormat> parseWeightFormat(mlir::AsmParser &parser);
void printWeightFormat(mlir::AsmPrinter &printer, WeightFormat format);

// Shape of a tensor, weight or state; nothing for other types.
std::optional<llvm::ArrayRef<int64_t>> shapeOf(mlir::Type type);

} // namespace ds4

#include "ir/Ds4Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/Ds4Attributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/Ds4Types.h.inc"
