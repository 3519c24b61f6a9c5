#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

HcSite hcSite(const Tensor &streams, const Weight &fn, const Weight &base, const Weight &scale, const Weight &norm,
              const HcSiteOptions &options) {
  require(!options.y || (options.post && options.comb), "hc_site: a write has coefficients");
  HcSite out;
  out.streams = options.y ? hcWrite(*options.y, streams, *options.post, continueSinkhorn(*options.comb, options.due, options.hcEps))
                          : streams;
  Sinkhorn mix =
      sinkhorn(hcCoefficients(out.streams, fn, base, scale, options.eps), options.iterations - options.deferred, options.hcEps);
  out.x = rmsNorm(hcRead(out.streams, mix.pre), norm, options.normEps);
  out.post = std::move(mix.post);
  out.comb = std::move(mix.comb);
  return out;
}

} // namespace ds4::reference
