#include "passes/PlaceNames.h"

#include <mlir/IR/Location.h>

namespace ds4 {

using namespace mlir;

std::string placeName(Operation *op) {
  auto named = dyn_cast<NameLoc>(op->getLoc());
  return named ? named.getName().str() : "";
}

std::string resultName(OpResult result) {
  const unsigned number = result.getResultNumber();
  return placeName(result.getOwner()) + (number ? "#" + std::to_string(number) : "");
}

Location placeBeside(Operation *op, StringRef name) {
  const std::string place = placeName(op);
  return NameLoc::get(StringAttr::get(op->getContext(), place.substr(0, place.rfind('.') + 1) + name.str()));
}

} // namespace ds4
