#include <fmt/format.h>
#include <llvm/ADT/TypeSwitch.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/DialectImplementation.h>

#include "ir/Ds4Types.h"
#include "ir/StepExprAffine.h"

#include "ir/Ds4Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/Ds4Attributes.cpp.inc"

namespace ds4 {

using namespace mlir;

FailureOr<Real> parseReal(AsmParser &parser) {
  double value;
  if (parser.parseFloat(value))
    return failure();
  return Real(value);
}

// MLIR's floating-point literals want a point, which the shortest form may lack: 16 -> 16.0, 1e-06 -> 1.0e-06.
void printReal(AsmPrinter &printer, double value) {
  std::string text = fmt::format("{}", value);
  if (text.find('.') == std::string::npos)
    text.insert(std::min(text.find('e'), text.size()), ".0");
  printer << text;
}

LogicalResult RopeAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t dims, Real base, Real factor, int64_t original,
                               Real betaFast, Real betaSlow, DenseF32ArrayAttr frequencies) {
  if (dims <= 0 || dims % 2)
    return emitError() << "rope: dims must be positive and even, got " << dims;
  if (!(base > 1))
    return emitError() << "rope: base must be greater than 1, got " << double(base);
  if (!(factor >= 1))
    return emitError() << "rope: factor must be at least 1, got " << double(factor);
  if (factor > 1 && !(original > 0 && betaFast > betaSlow && betaSlow > 0))
    return emitError() << "rope: factor " << double(factor) << " needs original > 0 and beta_fast > beta_slow > 0, got original "
                       << original << ", beta_fast " << double(betaFast) << ", beta_slow " << double(betaSlow);
  if (frequencies && frequencies.size() != dims / 2)
    return emitError() << "rope: " << dims << " dims have " << dims / 2 << " frequencies, got " << frequencies.size();
  return success();
}

RopeParameters RopeAttr::getParameters() const {
  return {.dims = static_cast<int>(getDims()),
          .base = getBase(),
          .factor = getFactor(),
          .originalContext = static_cast<double>(getOriginal()),
          .betaFast = getBetaFast(),
          .betaSlow = getBetaSlow()};
}

static LogicalResult verifyGuard(function_ref<InFlightDiagnostic()> emitError, StringRef what, IntegerSetAttr guard) {
  if (guard && (guard.getValue().getNumDims() != 2 || guard.getValue().getNumSymbols() != 0))
    return emitError() << what << ": guard must be a set of steps (pos, q), got " << guard;
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr, int64_t, IntegerSetAttr guard,
                                   StringAttr, bool) {
  return verifyGuard(emitError, "schedule", guard);
}

LogicalResult VariantAttr::verify(function_ref<InFlightDiagnostic()> emitError, FlatSymbolRefAttr, AffineMapAttr grid,
                                  int64_t scratch, IntegerSetAttr guard, StringAttr, StringAttr, bool) {
  const AffineMap map = grid.getValue();
  if (map.getNumDims() != 2 || map.getNumSymbols() != 0 || map.getNumResults() != 3)
    return emitError() << "variant: grid must be a map (pos, q) -> (x, y, z), got " << grid;
  if (scratch < 0)
    return emitError() << "variant: scratch must not be negative, got " << scratch;
  return verifyGuard(emitError, "variant", guard);
}

std::array<StepExpr, 3> VariantAttr::getGridExpressions() const {
  const AffineMap grid = getGrid().getValue();
  return {toStepExpr(grid.getResult(0)), toStepExpr(grid.getResult(1)), toStepExpr(grid.getResult(2))};
}

StepGuard VariantAttr::getStepGuard() const { return getGuard() ? toStepGuard(getGuard().getValue()) : StepGuard(); }

void Ds4Dialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/Ds4Attributes.cpp.inc"
      >();
}

} // namespace ds4
