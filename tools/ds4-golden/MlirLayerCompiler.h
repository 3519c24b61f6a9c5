// Layers compiled in this program.
#pragma once

#include "tools/ds4-golden/LayerCompiler.h"

namespace ds4::golden {

class MlirLayerCompiler : public LayerCompiler {
public:
  void withRunner(const LayerGoldens &goldens, const std::string &kind, int64_t context, const RunOptions &options,
                  WeightSource &bytes, const std::function<void(StepRunner &)> &use) const override;
  Plan plan(const LayerGoldens &goldens, const std::string &kind, int64_t context, int width,
            const std::string &target) const override;
};

} // namespace ds4::golden
