// What makes a runner, or a plan to keep, of a kind of layer. Programs built without the compiler have none: they run plans that
// were kept.
#pragma once

#include <memory>
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
  // `context`: positions that the layer's state has room for. `bytes` is used during construction alone.
  virtual std::unique_ptr<StepRunner> runner(const LayerGoldens &goldens, const std::string &kind, int64_t context,
                                             const RunOptions &options, WeightSource &bytes) const = 0;
  virtual Plan plan(const LayerGoldens &goldens, const std::string &kind, int64_t context, int width,
                    const std::string &target) const = 0;
};

} // namespace ds4::golden
