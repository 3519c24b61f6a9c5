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

static LogicalResult verifyName(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != Ds4Dialect::kName)
    return op->emitError() << "unknown attribute '" << attribute.getName().getValue() << "' of an argument or result";
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || name.empty())
    return op->emitError() << "'" << Ds4Dialect::kName << "' must be a string that is not empty, got " << attribute.getValue();
  return success();
}

LogicalResult Ds4Dialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  return verifyName(op, attribute);
}

LogicalResult Ds4Dialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  return verifyName(op, attribute);
}

LogicalResult Ds4Dialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == kOffsets) {
    auto offsets = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
    if (!offsets || offsets.size() != op->getNumResults())
      return op->emitOpError() << "'" << kOffsets << "' must be array<i64> with one offset for each of the "
                               << op->getNumResults() << " results, got " << attribute.getValue();
  } else if (name == kArenaBytes) {
    auto bytes = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<FunctionOpInterface>(op) || !bytes || !bytes.getType().isInteger(64))
      return op->emitOpError() << "'" << kArenaBytes << "' must be an i64 on a function, got " << attribute.getValue();
  } else {
    return op->emitOpError() << "unknown attribute '" << name << "'";
  }
  return success();
}

} // namespace ds4
