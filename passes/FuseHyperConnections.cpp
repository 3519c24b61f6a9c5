#include <mlir/IR/BuiltinAttributes.h>

#include "codegen/emitters/Emitters.h"
#include "ir/Ds4Ops.h"
#include "passes/Passes.h"
#include "passes/PlaceNames.h"

namespace ds4 {

#define GEN_PASS_DEF_FUSEHYPERCONNECTIONS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

// The ops of one site; `write` is null where the streams come from elsewhere.
struct Site {
  HcWriteOp write;
  HcCoefficientsOp coefficients;
  SinkhornOp mix;
  HcReadOp read;
  RmsNormOp norm;
};

bool isHalfOrSingle(TypedValue<QuantizedType> weight) {
  const WeightFormat format = weight.getType().getFormat();
  return format == WeightFormat::F16 || format == WeightFormat::F32;
}

// Whether everything that uses the value, but for the site's own ops, comes after the norm, where the site will stand.
bool isUsedAfter(Value value, const Site &site) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == site.coefficients || user == site.read || site.norm->isBeforeInBlock(user);
  });
}

std::optional<Site> siteOf(RmsNormOp norm) {
  Site site{.norm = norm};
  if (!(site.read = norm.getX().getDefiningOp<HcReadOp>()) || !(site.mix = site.read.getPre().getDefiningOp<SinkhornOp>()) ||
      !(site.coefficients = site.mix.getCoefficients().getDefiningOp<HcCoefficientsOp>()))
    return std::nullopt;
  const Value streams = site.read.getStreams();
  const bool isOneSite = site.coefficients.getStreams() == streams && site.read.getResult().hasOneUse() &&
                         site.mix.getPre() == site.read.getPre() && site.mix.getPre().hasOneUse() &&
                         site.coefficients.getResult().hasOneUse();
  const bool hasKernel = cast<RankedTensorType>(streams.getType()).getDimSize(2) % HcSiteShape::kChannels == 0 &&
                         isHalfOrSingle(site.coefficients.getFn()) && isHalfOrSingle(norm.getWeight());
  if (!isOneSite || !hasKernel || !isUsedAfter(site.mix.getPost(), site) || !isUsedAfter(site.mix.getComb(), site))
    return std::nullopt;
  if (auto write = streams.getDefiningOp<HcWriteOp>(); write && isUsedAfter(streams, site))
    site.write = write;
  return site;
}

void fuse(Site &site) {
  OpBuilder builder(site.norm);
  Value streams = site.coefficients.getStreams(), y, post, comb;
  if (site.write) {
    streams = site.write.getStreams();
    y = site.write.getY(), post = site.write.getPost(), comb = site.write.getComb();
  }
  auto fused = HcSiteOp::create(builder, placeBeside(site.norm, "hc_site"), streams, site.coefficients.getFn(),
                                site.coefficients.getBase(), site.coefficients.getScale(), site.norm.getWeight(), y, post, comb,
                                site.mix.getIterations(), site.coefficients.getEps(), site.mix.getEps(), site.norm.getEps(),
                                /*deferred=*/IntegerAttr(), /*due=*/IntegerAttr());
  const std::string written = site.write ? placeName(site.write) : placeName(fused);
  fused->setAttr(Ds4Dialect::kNames, builder.getStrArrayAttr({written, resultName(site.mix->getResult(1)),
                                                              resultName(site.mix->getResult(2)), placeName(site.norm)}));

  site.norm.getResult().replaceAllUsesWith(fused.getX());
  site.mix.getPost().replaceAllUsesWith(fused.getPost());
  site.mix.getComb().replaceAllUsesWith(fused.getComb());
  for (Operation *op :
       {site.norm.getOperation(), site.read.getOperation(), site.mix.getOperation(), site.coefficients.getOperation()})
    op->erase();
  if (site.write) {
    site.write.getResult().replaceAllUsesWith(fused.getNewStreams());
    site.write->erase();
  }
}

struct FuseHyperConnections : impl::FuseHyperConnectionsBase<FuseHyperConnections> {
  void runOnOperation() override {
    SmallVector<RmsNormOp> norms(getOperation().getOps<RmsNormOp>());
    for (RmsNormOp norm : norms)
      if (std::optional<Site> site = siteOf(norm))
        fuse(*site);
  }
};

} // namespace
} // namespace ds4
