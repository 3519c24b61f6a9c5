// What makes a runner, or a plan to keep, of a kind of layer. Programs built without the compiler have none: they run plans that
// were kept.
#pragma once

#include <functional>
#include <string>

#include "runtime/Weights.h"
#include "runtime/plan/Plan.h"
#include "tools/ds4-golden/LayerGoldens.h"
#include "tools/ds4-golden/RunOptions.h"
#include "tools/ds4-golden/StepRunner.h"

namespace ds4::golden {

class LayerCompiler {
public:
  virtual ~LayerCompiler() = default;
  // Calls `use` with a runner that lives as long as the call. `context`: positions that the layer's state has room for.
  virtual void withRunner(const LayerGoldens &goldens, const std::string &kind, int64_t context, const RunOptions &options,
                          WeightSource &bytes, const std::function<void(StepRunner &)> &use) const = 0;
  virtual Plan plan(const LayerGoldens &goldens, const std::string &kind, int64_t context, int width,
                    const std::string &target) const = 0;
};

} // namespace ds4::golden
