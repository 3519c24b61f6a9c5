#include "ir/Ds4Types.h"

#include <llvm/ADT/TypeSwitch.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/DialectImplementation.h>

#define GET_TYPEDEF_CLASSES
#include "ir/Ds4Types.cpp.inc"

namespace ds4 {

using namespace mlir;

FailureOr<WeightFormat> parseWeightFormat(AsmParser &parser) {
  llvm::SMLoc location = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  if (const Format *format = findFormatByName(name))
    return format->id;
  return parser.emitError(location) << "unknown weight format '" << name << "', expected one of " << supportedFormatNames();
}

void printWeightFormat(AsmPrinter &printer, WeightFormat format) { printer << StringRef(formatOf(format).name); }

std::optional<ArrayRef<int64_t>> shapeOf(Type type) {
  return llvm::TypeSwitch<Type, std::optional<ArrayRef<int64_t>>>(type)
      .Case<RankedTensorType, QuantizedType, StateType>([](auto shaped) { return shaped.getShape(); })
      .Default([](Type) { return std::nullopt; });
}

LogicalResult QuantizedType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, WeightFormat format) {
  if (shape.empty() || shape.size() > 3)
    return emitError() << "a weight has 1 to 3 dimensions, got " << shape.size();
  if (llvm::any_of(shape, [](int64_t size) { return size <= 0; }))
    return emitError() << "sizes of a weight must be positive, got [" << shape << "]";
  if (!formatOf(format).holdsRow(shape.back()))
    return emitError() << "rows of " << shape.back() << " weights are not whole blocks of " << StringRef(formatOf(format).name)
                       << " (" << formatOf(format).blockWeights << " weights)";
  return success();
}

LogicalResult StateType::verify(function_ref<InFlightDiagnostic()> emitError, StateKind kind, ArrayRef<int64_t> shape,
                                Type element) {
  if (shape.size() != 2 || shape[0] <= 0 || shape[1] <= 0)
    return emitError() << "a state has the shape [rows, cols] with positive sizes, got [" << shape << "]";
  if (!element.isF16() && !element.isF32())
    return emitError() << "elements of a state are f16 or f32, got " << element;
  return success();
}

void Ds4Dialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/Ds4Types.cpp.inc"
      >();
}

} // namespace ds4
