#include "ir/reference/Math.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

MoeRoute moeRoute(const Tensor &x, const Weight &router, const Weight &gate, const Weight &up, const MoeRouteOptions &options) {
  require(options.bias || (options.tokens && options.table), "moe_route: a bias, or tokens and their table");
  Tensor logits = linear(x, router);
  Routing routing = options.bias ? reference::router(logits, *options.bias, options.k, options.scale)
                                 : hashRouter(logits, *options.tokens, *options.table, options.scale);
  return {std::move(routing), swiglu(linear(x, gate), linear(x, up), options.limit)};
}

} // namespace ds4::reference
