#include <mlir/IR/AttrTypeSubElements.h>

#include "ir/Ds4Types.h"
#include "passes/Passes.h"
#include "support/RopeTable.h"

namespace ds4 {

#define GEN_PASS_DEF_FOLDROPETABLES
#include "passes/Passes.h.inc"

using namespace mlir;

static RopeAttr withFrequencies(RopeAttr rope) {
  if (rope.getFrequencies())
    return rope;
  auto frequencies = DenseF32ArrayAttr::get(rope.getContext(), ropeFrequencies(rope.getParameters()));
  return RopeAttr::get(rope.getContext(), rope.getDims(), rope.getBase(), rope.getFactor(), rope.getOriginal(), rope.getBetaFast(),
                       rope.getBetaSlow(), frequencies);
}

namespace {

struct FoldRopeTables : impl::FoldRopeTablesBase<FoldRopeTables> {
  void runOnOperation() override {
    AttrTypeReplacer replacer;
    replacer.addReplacement(withFrequencies);
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true);
  }
};

} // namespace
} // namespace ds4
