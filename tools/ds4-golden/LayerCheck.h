// Runs the steps of the layer goldens: fills the state, computes one step, compares every result.
#pragma once

#include "tools/ds4-golden/LayerGoldens.h"
#include "tools/ds4-golden/Report.h"
#include "tools/ds4-golden/StepRunner.h"

namespace ds4::golden {

// The runner's step function is buildLayerGraph()'s of the step's kind, with f32 rows, over the goldens' weights. Adds a
// row to the report for each result.
void checkLayerStep(StepRunner &runner, const LayerGoldens &goldens, const LayerStep &step, Report &report);

} // namespace ds4::golden
