#include "passes/KernelEmission.h"

#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/TypeSwitch.h>

#include "codegen/emitters/SharedLaunch.h"
#include "passes/KernelShapes.h"
#include "passes/StepMemory.h"
#include "support/Error.h"

namespace ds4 {

using namespace mlir;

bool canGroupExperts(ExpertLinearOp op) {
  const ExpertLinearShape shape = shapeFor(op, {});
  return chunkHalves(shape.format, shape.k) != 0;
}

bool canFuseIndexer(IndexScoreOp score) {
  constexpr int kMostRows = 16384; // that the waves of one workgroup hold in registers, beside what scoring needs
  const IndexScoreShape shape = shapeFor(score, {});
  return shape.capacity <= kMostRows && kernelSource(shape).threads == 32 * kSharedWaves;
}

// What an op contributes to a shared launch; nothing when it cannot share one.
static std::optional<KernelSource> sharedSource(Operation *op, const KernelChoice &choice) {
  return llvm::TypeSwitch<Operation *, std::optional<KernelSource>>(op)
      .Case<LinearOp>([&](LinearOp linear) { return kernelSource(shapeFor(linear, choice, kSharedWaves), kSharedWaves); })
      .Case<SelectTopKOp>([](SelectTopKOp select) { return kernelSource(shapeFor(select, {}), kSharedWaves); })
      .Case<RmsNormOp, HeadNormOp, ToHalfOp, RopeOp, WindowAppendOp, CompressOp, IndexScoreOp, HcWriteOp, HcHeadOp, ArgmaxOp,
            SampleOp>([](auto known) { return kernelSource(shapeFor(known, {})); })
      .Default([](Operation *) { return std::nullopt; });
}

// Values that a part hands to its kernel, results included.
static SmallVector<Value> kernelValues(Operation *part) {
  SmallVector<Value> values = kernelOperands(part);
  for (OpResult result : part->getResults())
    if (!updatedState(result))
      values.push_back(result);
  return values;
}

static KernelSpec emitShared(SharedLaunchOp op, const KernelChoice &choice) {
  // Arguments: what is read from outside, then the tensors that the parts make.
  llvm::DenseMap<Value, int> arguments;
  for (Value input : kernelOperands(op))
    arguments[input] = arguments.size();
  for (Operation *part : op.getParts())
    for (OpResult result : part->getResults())
      if (!updatedState(result))
        arguments[result] = arguments.size();

  std::vector<SharedPart> parts;
  llvm::EquivalenceClasses<Operation *> chains;
  llvm::DenseMap<Operation *, int> numbers;
  for (Operation *part : op.getParts()) {
    std::optional<KernelSource> source = sharedSource(part, choice);
    if (!source)
      userError("{} has no kernel that can share a launch", part->getName().getStringRef().str());
    SharedPart &shared = parts.emplace_back(SharedPart{.source = std::move(*source)});
    chains.insert(part);
    numbers[part] = numbers.size();
    for (Value value : kernelValues(part)) {
      shared.arguments.push_back(arguments.at(memoryOwner(value)));
      Operation *maker = memoryOwner(value).getDefiningOp();
      if (maker != part && numbers.contains(maker)) {
        shared.isTail = true;
        chains.unionSets(part, maker);
      }
    }
  }
  for (auto [part, shared] : llvm::zip_equal(op.getParts(), parts))
    shared.chain = numbers.at(chains.getLeaderValue(part));
  return emitSharedLaunch(parts, static_cast<int>(arguments.size()));
}

// The weights of the products that an op makes in half precision if it may.
using Weights = SmallVector<TypedValue<QuantizedType>>;
static Weights productWeights(Operation *op) {
  return llvm::TypeSwitch<Operation *, Weights>(op)
      .Case<LinearOp, GroupedLinearOp, ExpertLinearOp, GroupedExpertLinearOp>(
          [](auto product) { return Weights{product.getWeight()}; })
      .Case<MoeRouteOp, MoeGateUpOp>([](auto pair) { return Weights{pair.getGate(), pair.getUp()}; })
      .Case<MoeDownOp>([](MoeDownOp down) { return Weights{down.getDown(), down.getShared()}; })
      .Default([](Operation *) { return Weights{}; });
}

std::optional<ActivationReader> activationReader(LinearOp product, Products products) {
  const bool shares = isa<SharedLaunchOp>(product->getParentOp());
  const LinearShape shape = shapeFor(product, {.products = products}, shares ? kSharedWaves : 0);
  if (!shape.columns)
    return std::nullopt;
  const KernelSource source = kernelSource(shape, shares ? kSharedWaves : 0);
  return ActivationReader{.workgroups = static_cast<int>(source.grid[0].evaluate(0, 1)), .waves = source.threads / 32};
}

bool roundsActivations(Operation *op, Products products) {
  return products == Products::Fast && llvm::any_of(productWeights(op), hasFastKernel);
}

std::vector<Schedule> schedulesOf(Operation *op, Products products, bool fineGrids) {
  return llvm::TypeSwitch<Operation *, std::vector<Schedule>>(op)
      .Case<LinearOp, GroupedLinearOp>([&](auto product) { return columnSchedules(mostColumns(product.getWeight(), products)); })
      .Case<SharedLaunchOp>([&](SharedLaunchOp shared) {
        int most = 1; // each product takes as many of these as it can
        for (Operation *part : shared.getParts())
          if (auto product = dyn_cast<LinearOp>(part))
            most = std::max(most, mostColumns(product.getWeight(), products, kSharedWaves));
        return columnSchedules(most);
      })
      .Case<MoeRouteOp, MoeGateUpOp, MoeDownOp>([&](auto experts) {
        return expertSchedules(expertColumns(shapeFor(experts, {.products = products, .fineGrids = fineGrids})));
      })
      .Case<MaskedAttentionOp>([](MaskedAttentionOp op) {
        const MaskedAttentionShape shape = shapeFor(op, {});
        return attentionSchedules(shape.window, shape.ratio, shape.picks);
      })
      .Default([](Operation *) { return std::vector<Schedule>(); });
}

KernelSpec emitKernelOf(Operation *op, const KernelChoice &choice) {
  return llvm::TypeSwitch<Operation *, KernelSpec>(op)
      .Case<EmbedOp, AddOp, ConcatOp, StreamMeanOp, ShiftTokensOp, QuantizeActivationOp, ToHalfOp, ScaleToHalfOp, LinearOp,
            GroupedLinearOp, ExpertLinearOp, GroupSlotsOp, GroupedExpertLinearOp, RmsNormOp, HeadNormOp, RopeOp, HcCoefficientsOp,
            SinkhornOp, HcReadOp, HcWriteOp, HcHeadOp, HcSiteOp, WindowAppendOp, WindowCopyOp, WindowReadOp, CompressOp,
            IndexScoreOp, SelectTopKOp, AttendOp, MaskedAttentionOp, RouterOp, HashRouterOp, SwigluOp, CombineOp, MoeRouteOp,
            MoeGateUpOp, MoeDownOp, ArgmaxOp, SampleOp>([&](auto known) { return emitKernel(shapeFor(known, choice)); })
      .Case<SharedLaunchOp>([&](SharedLaunchOp shared) { return emitShared(shared, choice); })
      .Default([](Operation *unknown) -> KernelSpec {
        internalError("no emitter for op '{}'", unknown->getName().getStringRef().str());
      });
}

} // namespace ds4
