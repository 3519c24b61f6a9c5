#include "passes/KernelEmission.h"

#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/TypeSwitch.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/SharedLaunch.h"
#include "ir/Ds4Ops.h"
#include "passes/StepMemory.h"
#include "support/Error.h"

namespace ds4 {

using namespace mlir;

static int size(Value value, int dimension) { return static_cast<int>((*shapeOf(value.getType()))[dimension]); }

static int elementsOfToken(Value value) {
  return static_cast<int>(ShapedType::getNumElements(shapeOf(value.getType())->drop_front()));
}

static std::string format(TypedValue<QuantizedType> weight) { return std::string(formatOf(weight.getType().getFormat()).name); }

static StateType stateType(Value state) { return cast<StateType>(state.getType()); }

static std::string element(Value state) { return stateType(state).getElement().isF16() ? "f16" : "f32"; }

// Row stride of scores: the capacity of the rows that were scored, or the columns where those are static.
static int scoreStride(Value scores) {
  if (auto score = memoryOwner(scores).getDefiningOp<IndexScoreOp>())
    return static_cast<int>(score.getRows().getType().getRows());
  if (ShapedType::isDynamic(shapeOf(scores.getType())->back()))
    userError("scores of a dynamic number of rows must be the result of a ds4.index_score");
  return size(scores, 1);
}

static KernelSpec emit(EmbedOp op) {
  return emitKernel(
      EmbedShape{.format = format(op.getTable()), .width = size(op.getTable(), 1), .streams = static_cast<int>(op.getStreams())});
}

static KernelSpec emit(AddOp op) { return emitKernel(AddShape{.width = elementsOfToken(op.getA())}); }

static KernelSpec emit(QuantizeActivationOp op) {
  return emitKernel(QuantizeActivationShape{.scheme = stringifyQuantizationScheme(op.getScheme()).str(),
                                            .width = elementsOfToken(op.getX()),
                                            .block = static_cast<int>(op.getBlock())});
}

static LinearShape shapeFor(LinearOp op) {
  return LinearShape{.format = format(op.getWeight()), .n = size(op.getWeight(), 0), .k = size(op.getWeight(), 1)};
}

static KernelSpec emit(GroupedLinearOp op) {
  const int groups = static_cast<int>(op.getGroups());
  return emitKernel(GroupedLinearShape{
      .format = format(op.getWeight()), .groups = groups, .n = size(op.getWeight(), 0) / groups, .k = size(op.getWeight(), 1)});
}

static KernelSpec emit(ExpertLinearOp op) {
  return emitKernel(ExpertLinearShape{.format = format(op.getWeight()),
                                      .experts = size(op.getWeight(), 0),
                                      .used = size(op.getIds(), 1),
                                      .n = size(op.getWeight(), 1),
                                      .k = size(op.getWeight(), 2),
                                      .perSlot = op.getX().getType().getRank() == 3});
}

static RmsNormShape shapeFor(RmsNormOp op) {
  return RmsNormShape{.format = format(op.getWeight()), .width = size(op.getX(), 1), .eps = static_cast<float>(op.getEps())};
}

static HeadNormShape shapeFor(HeadNormOp op) {
  return HeadNormShape{.heads = size(op.getX(), 1), .width = size(op.getX(), 2), .eps = static_cast<float>(op.getEps())};
}

static RopeShape shapeFor(RopeOp op) {
  const bool hasHeads = op.getX().getType().getRank() == 3;
  return RopeShape{.heads = hasHeads ? size(op.getX(), 1) : 1,
                   .width = size(op.getX(), hasHeads ? 2 : 1),
                   .rope = op.getRope().getParameters(),
                   .inverse = op.getInverse()};
}

static KernelSpec emit(HcCoefficientsOp op) {
  return emitKernel(HcCoefficientsShape{.fnFormat = format(op.getFn()),
                                        .baseFormat = format(op.getBase()),
                                        .scaleFormat = format(op.getScale()),
                                        .width = size(op.getStreams(), 2),
                                        .eps = static_cast<float>(op.getEps())});
}

static KernelSpec emit(SinkhornOp op) {
  return emitKernel(SinkhornShape{.iterations = static_cast<int>(op.getIterations()), .eps = static_cast<float>(op.getEps())});
}

static KernelSpec emit(HcReadOp op) { return emitKernel(HcReadShape{.width = size(op.getStreams(), 2)}); }

static HcWriteShape shapeFor(HcWriteOp op) { return HcWriteShape{.width = size(op.getStreams(), 2)}; }

static HcHeadShape shapeFor(HcHeadOp op) {
  return HcHeadShape{.fnFormat = format(op.getFn()),
                     .baseFormat = format(op.getBase()),
                     .scaleFormat = format(op.getScale()),
                     .width = size(op.getStreams(), 2),
                     .eps = static_cast<float>(op.getEps()),
                     .hcEps = static_cast<float>(op.getHcEps())};
}

static KernelSpec emit(HcSiteOp op) {
  return emitKernel(HcSiteShape{.fnFormat = format(op.getFn()),
                                .baseFormat = format(op.getBase()),
                                .scaleFormat = format(op.getScale()),
                                .normFormat = format(op.getNorm()),
                                .width = size(op.getStreams(), 2),
                                .writes = static_cast<bool>(op.getY()),
                                .iterations = static_cast<int>(op.getIterations()),
                                .eps = static_cast<float>(op.getEps()),
                                .hcEps = static_cast<float>(op.getHcEps()),
                                .normEps = static_cast<float>(op.getNormEps())});
}

static WindowAppendShape shapeFor(WindowAppendOp op) {
  return WindowAppendShape{.element = element(op.getState()), .slots = size(op.getState(), 0), .width = size(op.getState(), 1)};
}

static CompressShape shapeFor(CompressOp op) {
  return CompressShape{.openElement = element(op.getOpen()),
                       .rowElement = element(op.getRows()),
                       .apeFormat = format(op.getApe()),
                       .normFormat = format(op.getNorm()),
                       .ratio = static_cast<int>(op.getRatio()),
                       .slots = size(op.getOpen(), 0),
                       .width = size(op.getRows(), 1),
                       .eps = static_cast<float>(op.getEps()),
                       .rope = op.getRope().getParameters()};
}

static KernelSpec emit(IndexScoreOp op) {
  return emitKernel(IndexScoreShape{.element = element(op.getRows()),
                                    .heads = size(op.getQ(), 1),
                                    .width = size(op.getQ(), 2),
                                    .ratio = static_cast<int>(op.getRatio()),
                                    .capacity = size(op.getRows(), 0),
                                    .scale = static_cast<float>(op.getScale())});
}

static KernelSpec emit(SelectTopKOp op) {
  return emitKernel(SelectTopKShape{
      .k = static_cast<int>(op.getK()), .ratio = static_cast<int>(op.getRatio()), .capacity = scoreStride(op.getScores())});
}

static KernelSpec emit(AttendOp op) {
  AttendShape shape{.element = element(op.getWindow()),
                    .sinkFormat = format(op.getSinks()),
                    .heads = size(op.getQ(), 1),
                    .width = size(op.getQ(), 2),
                    .slots = size(op.getWindow(), 0),
                    .window = static_cast<int>(op.getWindowSize()),
                    .ratio = static_cast<int>(op.getRatio()),
                    .picks = op.getPicks() ? size(op.getPicks(), 1) : 0,
                    .scale = static_cast<float>(op.getScale())};
  if (op.getRows())
    shape.rowElement = element(op.getRows());
  return emitKernel(shape);
}

static KernelSpec emit(RouterOp op) {
  return emitKernel(RouterShape{.biasFormat = format(op.getBias()),
                                .experts = size(op.getLogits(), 1),
                                .k = static_cast<int>(op.getK()),
                                .scale = static_cast<float>(op.getScale())});
}

static KernelSpec emit(HashRouterOp op) {
  return emitKernel(HashRouterShape{
      .experts = size(op.getLogits(), 1), .used = size(op.getTable(), 1), .scale = static_cast<float>(op.getScale())});
}

static KernelSpec emit(SwigluOp op) {
  return emitKernel(SwigluShape{.width = elementsOfToken(op.getGate()), .limit = static_cast<float>(op.getLimit())});
}

static KernelSpec emit(CombineOp op) { return emitKernel(CombineShape{.used = size(op.getY(), 1), .width = size(op.getY(), 2)}); }

static ArgmaxShape shapeFor(ArgmaxOp op) { return ArgmaxShape{.vocabulary = size(op.getLogits(), 1)}; }

static SampleShape shapeFor(SampleOp op) { return SampleShape{.vocabulary = size(op.getLogits(), 1)}; }

template <typename Op> static KernelSpec emit(Op op) { return emitKernel(shapeFor(op)); }

// What an op contributes to a shared launch; nothing when it cannot share one.
static std::optional<KernelSource> sharedSource(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<KernelSource>>(op)
      .Case<LinearOp>([](LinearOp linear) { return kernelSource(shapeFor(linear), kSharedWaves); })
      .Case<RmsNormOp, HeadNormOp, RopeOp, WindowAppendOp, CompressOp, HcWriteOp, HcHeadOp, ArgmaxOp, SampleOp>(
          [](auto known) { return kernelSource(shapeFor(known)); })
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

static KernelSpec emit(SharedLaunchOp op) {
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
    std::optional<KernelSource> source = sharedSource(part);
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

KernelSpec emitKernelOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, KernelSpec>(op)
      .Case<EmbedOp, AddOp, QuantizeActivationOp, LinearOp, GroupedLinearOp, ExpertLinearOp, RmsNormOp, HeadNormOp, RopeOp,
            HcCoefficientsOp, SinkhornOp, HcReadOp, HcWriteOp, HcHeadOp, HcSiteOp, WindowAppendOp, CompressOp, IndexScoreOp,
            SelectTopKOp, AttendOp, RouterOp, HashRouterOp, SwigluOp, CombineOp, ArgmaxOp, SampleOp, SharedLaunchOp>(
          [](auto known) { return emit(known); })
      .Default([](Operation *unknown) -> KernelSpec {
        internalError("no emitter for op '{}'", unknown->getName().getStringRef().str());
      });
}

} // namespace ds4
