#include "ir/Ds4Dialect.h"

#include <mlir/Interfaces/FunctionInterfaces.h>

#include "ir/Ds4Ops.h"

#include "ir/Ds4Dialect.cpp.inc"

namespace ds4 {

using namespace mlir;

void Ds4Dialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "ir/Ds4Ops.cpp.inc"
      >();
}

static LogicalResult verifyName(Operation *op, Attribute value) {
  auto name = dyn_cast<StringAttr>(value);
  if (!name || name.empty())
    return op->emitError() << "'" << Ds4Dialect::kName << "' must be a string that is not empty, got " << value;
  return success();
}

static bool isI64(Attribute value) {
  auto integer = dyn_cast<IntegerAttr>(value);
  return integer && integer.getType().isInteger(64);
}

LogicalResult Ds4Dialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  if (attribute.getName() == kName)
    return verifyName(op, attribute.getValue());
  if (attribute.getName() != kOffset)
    return op->emitError() << "unknown attribute '" << attribute.getName().getValue() << "' of an argument";
  if (!isI64(attribute.getValue()))
    return op->emitError() << "'" << kOffset << "' must be an i64, got " << attribute.getValue();
  return success();
}

LogicalResult Ds4Dialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  if (attribute.getName() == kName)
    return verifyName(op, attribute.getValue());
  return op->emitError() << "unknown attribute '" << attribute.getName().getValue() << "' of a result";
}

LogicalResult Ds4Dialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == kOffsets) {
    auto offsets = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
    if (!offsets || offsets.size() != op->getNumResults())
      return op->emitOpError() << "'" << kOffsets << "' must be array<i64> with one offset for each of the " << op->getNumResults()
                               << " results, got " << attribute.getValue();
  } else if (name == kArenaBytes || name == kScratchBytes) {
    if (!isa<FunctionOpInterface>(op) || !isI64(attribute.getValue()))
      return op->emitOpError() << "'" << name << "' must be an i64 on a function, got " << attribute.getValue();
  } else if (name == kNames) {
    auto names = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!names || names.size() != op->getNumResults() || !llvm::all_of(names, llvm::IsaPred<StringAttr>))
      return op->emitOpError() << "'" << kNames << "' must be an array with one string for each of the " << op->getNumResults()
                               << " results, got " << attribute.getValue();
  } else if (name == kSchedules) {
    auto schedules = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!schedules || schedules.empty() || !llvm::all_of(schedules, llvm::IsaPred<ScheduleAttr>))
      return op->emitOpError() << "'" << kSchedules << "' must be an array of #ds4.schedule that is not empty, got "
                               << attribute.getValue();
  } else if (name == kActivations) {
    auto where = dyn_cast<StringAttr>(attribute.getValue());
    if (!where || !llvm::is_contained({"producer", "workgroup", "single"}, where.getValue()))
      return op->emitOpError() << "'" << kActivations << "' must be \"producer\", \"workgroup\" or \"single\", got "
                               << attribute.getValue();
  } else {
    return op->emitOpError() << "unknown attribute '" << name << "'";
  }
  return success();
}

} // namespace ds4
