#include "ir/Ds4Ops.h"
#include "ir/StepExprAffine.h"
#include "passes/KernelEmission.h"
#include "passes/Passes.h"

namespace ds4 {

#define GEN_PASS_DEF_SELECTSCHEDULES
#include "passes/Passes.h.inc"

using namespace mlir;

static FailureOr<ScheduleAttr> toAttribute(Operation *op, const Schedule &schedule) {
  MLIRContext *context = op->getContext();
  FailureOr<IntegerSet> guard = toIntegerSet(schedule.guard, context);
  if (failed(guard))
    return op->emitOpError() << "the guard of schedule '" << schedule.name
                             << "' is not affine in pos and q: " << schedule.guard.toString();
  return ScheduleAttr::get(context, StringAttr::get(context, schedule.name), schedule.value, IntegerSetAttr::get(*guard),
                           StringAttr::get(context, schedule.reason), schedule.reassociates);
}

namespace {

struct SelectSchedules : impl::SelectSchedulesBase<SelectSchedules> {
  using SelectSchedulesBase::SelectSchedulesBase;

  void runOnOperation() override {
    for (Operation &op : getOperation().getOps()) {
      SmallVector<Attribute> schedules;
      for (const Schedule &schedule : schedulesOf(&op, exactProducts ? Products::Exact : Products::Fast, fineGrids)) {
        FailureOr<ScheduleAttr> attribute = toAttribute(&op, schedule);
        if (failed(attribute))
          return signalPassFailure();
        schedules.push_back(*attribute);
      }
      if (!schedules.empty())
        op.setAttr(Ds4Dialect::kSchedules, ArrayAttr::get(&getContext(), schedules));
    }
  }
};

} // namespace
} // namespace ds4
