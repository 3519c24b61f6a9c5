#include "passes/KernelEmission.h"

#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/TypeSwitch.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/SharedLaunch.h"
#include "codegen/kernels/step.h"
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
  return emitKernel(EmbedShape{.format = format(op.getTable()),
                               .width = size(op.getTable(), 1),
                               .streams = static_cast<int>(op.getStreams()),
                               .idsOfStep = areOfStep(op.getTokens())});
}

static KernelSpec emit(ConcatOp op) { return emitKernel(ConcatShape{.a = size(op.getA(), 1), .b = size(op.getB(), 1)}); }

static KernelSpec emit(StreamMeanOp op) {
  return emitKernel(StreamMeanShape{.width = size(op.getStreams(), 2), .streams = size(op.getStreams(), 1)});
}

static KernelSpec emit(ShiftTokensOp) { return emitKernel(ShiftTokensShape{}); }

static KernelSpec emit(AddOp op) { return emitKernel(AddShape{.width = elementsOfToken(op.getA())}); }

static KernelSpec emit(QuantizeActivationOp op) {
  return emitKernel(QuantizeActivationShape{.scheme = stringifyQuantizationScheme(op.getScheme()).str(),
                                            .width = elementsOfToken(op.getX()),
                                            .block = static_cast<int>(op.getBlock())});
}

// A product's weight: rows of how many weights, and whether a fast kernel exists for them.
static int width(TypedValue<QuantizedType> weight) { return static_cast<int>(weight.getType().getShape().back()); }
static bool hasFastKernel(TypedValue<QuantizedType> weight) { return fastColumns(format(weight), width(weight), 1) != 0; }
// Most of `wanted` tokens that can share a decoded weight, in a workgroup of `waves` where those are given; 0: the product is
// exact.
static int mostColumns(TypedValue<QuantizedType> weight, Products products, int waves = 0, int wanted = kMaxWidth) {
  return products == Products::Fast ? fastColumns(format(weight), width(weight), wanted, waves) : 0;
}
static int columns(TypedValue<QuantizedType> weight, const KernelChoice &choice, int waves = 0) {
  return mostColumns(weight, choice.products, waves, choice.schedule == "columns" ? choice.value : 1);
}

static LinearShape shapeFor(LinearOp op, const KernelChoice &choice, int waves = 0) {
  return LinearShape{.format = format(op.getWeight()),
                     .n = size(op.getWeight(), 0),
                     .k = size(op.getWeight(), 1),
                     .columns = columns(op.getWeight(), choice, waves),
                     .fine = choice.fineGrids && waves == 0, // shared launches: not measured yet
                     .halves = cast<RankedTensorType>(op.getX().getType()).getElementType().isF16(),
                     .chunk = choice.chunk && choice.products == Products::Fast};
}

static ToHalfShape shapeFor(ToHalfOp op) { return ToHalfShape{.width = size(op.getX(), 1)}; }

static KernelSpec emit(LinearOp op, const KernelChoice &choice) { return emitKernel(shapeFor(op, choice)); }

static KernelSpec emit(GroupedLinearOp op, const KernelChoice &choice) {
  const int groups = static_cast<int>(op.getGroups());
  return emitKernel(GroupedLinearShape{.format = format(op.getWeight()),
                                       .groups = groups,
                                       .n = size(op.getWeight(), 0) / groups,
                                       .k = size(op.getWeight(), 1),
                                       .columns = columns(op.getWeight(), choice),
                                       .fine = choice.fineGrids,
                                       .chunk = choice.chunk && choice.products == Products::Fast});
}

static KernelSpec emit(ExpertLinearOp op, const KernelChoice &choice) {
  return emitKernel(ExpertLinearShape{.format = format(op.getWeight()),
                                      .experts = size(op.getWeight(), 0),
                                      .used = size(op.getIds(), 1),
                                      .n = size(op.getWeight(), 1),
                                      .k = size(op.getWeight(), 2),
                                      .perSlot = op.getX().getType().getRank() == 3,
                                      .fast = columns(op.getWeight(), choice) != 0});
}

bool canGroupExperts(ExpertLinearOp op) { return chunkHalves(format(op.getWeight()), size(op.getWeight(), 2)) != 0; }

static KernelSpec emit(GroupedExpertLinearOp op) {
  return emitKernel(GroupedExpertLinearShape{.format = format(op.getWeight()),
                                             .experts = size(op.getWeight(), 0),
                                             .used = size(op.getOrder(), 1),
                                             .n = size(op.getWeight(), 1),
                                             .k = size(op.getWeight(), 2),
                                             .perSlot = op.getX().getType().getRank() == 3});
}

static KernelSpec emit(GroupSlotsOp op) {
  return emitKernel(GroupSlotsShape{.experts = static_cast<int>(op.getExperts()), .used = size(op.getIds(), 1)});
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

static KernelSpec emit(HcCoefficientsOp op, const KernelChoice &choice) {
  return emitKernel(HcCoefficientsShape{.fnFormat = format(op.getFn()),
                                        .baseFormat = format(op.getBase()),
                                        .scaleFormat = format(op.getScale()),
                                        .width = size(op.getStreams(), 2),
                                        .eps = static_cast<float>(op.getEps()),
                                        .byRows = choice.chunk});
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

static KernelSpec emit(WindowAppendOp op, const KernelChoice &choice) {
  WindowAppendShape shape = shapeFor(op);
  shape.chunk = choice.chunk;
  return emitKernel(shape);
}

static KernelSpec emit(CompressOp op, const KernelChoice &choice) {
  CompressShape shape = shapeFor(op);
  shape.chunk = choice.chunk;
  return emitKernel(shape);
}

static KernelSpec emit(WindowCopyOp op) {
  return emitKernel(WindowCopyShape{.element = element(op.getTo()),
                                    .toSlots = size(op.getTo(), 0),
                                    .fromSlots = size(op.getFrom(), 0),
                                    .window = static_cast<int>(op.getWindowSize()),
                                    .width = size(op.getTo(), 1)});
}

static IndexScoreShape shapeFor(IndexScoreOp op) {
  return IndexScoreShape{.element = element(op.getRows()),
                         .heads = size(op.getQ(), 1),
                         .width = size(op.getQ(), 2),
                         .ratio = static_cast<int>(op.getRatio()),
                         .capacity = size(op.getRows(), 0),
                         .scale = static_cast<float>(op.getScale())};
}

static SelectTopKShape shapeFor(SelectTopKOp op, const KernelChoice &choice = {}) {
  return SelectTopKShape{.k = static_cast<int>(op.getK()),
                         .ratio = static_cast<int>(op.getRatio()),
                         .capacity = scoreStride(op.getScores()),
                         .whole = choice.chunk};
}

static KernelSpec emit(SelectTopKOp op, const KernelChoice &choice) { return emitKernel(shapeFor(op, choice)); }

bool canFuseIndexer(IndexScoreOp score) {
  constexpr int kMostRows = 16384; // that the waves of one workgroup hold in registers, beside what scoring needs
  const IndexScoreShape shape = shapeFor(score);
  return shape.capacity <= kMostRows && kernelSource(shape).threads == 32 * kSharedWaves;
}

// What attend's and masked_attention's shapes have in common.
template <typename Shape, typename Attention> static Shape attentionShape(Attention op) {
  Shape shape;
  shape.sinkFormat = format(op.getSinks());
  shape.heads = size(op.getQ(), 1);
  shape.width = size(op.getQ(), 2);
  shape.slots = size(op.getWindow(), 0);
  shape.window = static_cast<int>(op.getWindowSize());
  shape.ratio = static_cast<int>(op.getRatio());
  shape.picks = op.getPicks() ? size(op.getPicks(), 1) : 0;
  shape.scale = static_cast<float>(op.getScale());
  return shape;
}

static KernelSpec emit(AttendOp op) {
  AttendShape shape = attentionShape<AttendShape>(op);
  shape.element = element(op.getWindow());
  shape.block = op.getBlock();
  if (op.getRows())
    shape.rowElement = element(op.getRows());
  return emitKernel(shape);
}

template <typename Attention> static MaskedAttentionShape maskedShape(Attention op, RopeAttr rope) {
  MaskedAttentionShape shape = attentionShape<MaskedAttentionShape>(op);
  shape.rope = rope.getParameters();
  return shape;
}

template <typename Attention> static bool hasKernel(Attention op, RopeAttr rope) {
  return maskedShape(op, rope).hasKernel(element(op.getWindow()), op.getRows() ? element(op.getRows()) : "f16");
}

bool hasMaskedAttention(AttendOp attend, RopeAttr rope) { return hasKernel(attend, rope); }

static KernelSpec emit(MaskedAttentionOp op, const KernelChoice &choice) {
  MaskedAttentionShape shape = maskedShape(op, op.getRope());
  if (!hasKernel(op, op.getRope()))
    userError("masked_attention: rows of halves and heads of 128, 256 or 512 channels only: attend and rope take others");
  shape.whole = choice.chunk;
  if (choice.schedule == "direct_visible")
    shape.visibility = Visibility::DirectVisible;
  else if (choice.schedule == "masked")
    shape.visibility = Visibility::Masked;
  return emitKernel(shape);
}

static KernelSpec emit(RouterOp op) {
  return emitKernel(RouterShape{.biasFormat = format(op.getBias()),
                                .experts = size(op.getLogits(), 1),
                                .k = static_cast<int>(op.getK()),
                                .scale = static_cast<float>(op.getScale())});
}

static KernelSpec emit(HashRouterOp op) {
  return emitKernel(HashRouterShape{.experts = size(op.getLogits(), 1),
                                    .used = size(op.getTable(), 1),
                                    .scale = static_cast<float>(op.getScale()),
                                    .idsOfStep = areOfStep(op.getTokens())});
}

static KernelSpec emit(SwigluOp op) {
  return emitKernel(SwigluShape{.width = elementsOfToken(op.getGate()), .limit = static_cast<float>(op.getLimit())});
}

static KernelSpec emit(CombineOp op) { return emitKernel(CombineShape{.used = size(op.getY(), 1), .width = size(op.getY(), 2)}); }

// Tokens that share an expert's weights.
static int expertColumns(const KernelChoice &choice) { return choice.schedule == "columns" ? choice.value : 1; }

static MoeRouteShape shapeFor(MoeRouteOp op, const KernelChoice &choice) {
  MoeRouteShape shape{.routerFormat = format(op.getRouter()),
                      .format = format(op.getGate()),
                      .experts = size(op.getRouter(), 0),
                      .used = static_cast<int>(op.getK()),
                      .width = size(op.getRouter(), 1),
                      .hidden = size(op.getGate(), 0),
                      .hashed = static_cast<bool>(op.getTable()),
                      .scale = static_cast<float>(op.getScale()),
                      .limit = static_cast<float>(op.getLimit()),
                      .fast = choice.products == Products::Fast,
                      .fine = choice.fineGrids,
                      .columns = expertColumns(choice)};
  if (op.getBias())
    shape.biasFormat = format(op.getBias());
  return shape;
}

static MoeGateUpShape shapeFor(MoeGateUpOp op, const KernelChoice &choice) {
  return MoeGateUpShape{.format = format(op.getGate()),
                        .experts = size(op.getGate(), 0),
                        .used = size(op.getIds(), 1),
                        .n = size(op.getGate(), 1),
                        .k = size(op.getGate(), 2),
                        .limit = static_cast<float>(op.getLimit()),
                        .fast = choice.products == Products::Fast,
                        .fine = choice.fineGrids,
                        .columns = expertColumns(choice)};
}

static MoeDownShape shapeFor(MoeDownOp op, const KernelChoice &choice) {
  return MoeDownShape{.format = format(op.getDown()),
                      .sharedFormat = format(op.getShared()),
                      .experts = size(op.getDown(), 0),
                      .used = size(op.getIds(), 1),
                      .n = size(op.getDown(), 1),
                      .k = size(op.getDown(), 2),
                      .sharedK = size(op.getShared(), 1),
                      .fast = choice.products == Products::Fast,
                      .fine = choice.fineGrids,
                      .columns = expertColumns(choice)};
}

static ArgmaxShape shapeFor(ArgmaxOp op) { return ArgmaxShape{.vocabulary = size(op.getLogits(), 1)}; }

static SampleShape shapeFor(SampleOp op) { return SampleShape{.vocabulary = size(op.getLogits(), 1)}; }

template <typename Op> static KernelSpec emit(Op op) { return emitKernel(shapeFor(op)); }
static KernelSpec emit(MoeRouteOp op, const KernelChoice &choice) { return emitKernel(shapeFor(op, choice)); }
static KernelSpec emit(WindowReadOp op) {
  return emitKernel(WindowReadShape{.element = element(op.getRing()),
                                    .slots = size(op.getRing(), 0),
                                    .width = size(op.getRing(), 1),
                                    .first = static_cast<int>(op.getFirst()),
                                    .cols = static_cast<int>(op.getCols())});
}
static KernelSpec emit(MoeGateUpOp op, const KernelChoice &choice) { return emitKernel(shapeFor(op, choice)); }
static KernelSpec emit(MoeDownOp op, const KernelChoice &choice) { return emitKernel(shapeFor(op, choice)); }

// What an op contributes to a shared launch; nothing when it cannot share one.
static std::optional<KernelSource> sharedSource(Operation *op, const KernelChoice &choice) {
  return llvm::TypeSwitch<Operation *, std::optional<KernelSource>>(op)
      .Case<LinearOp>([&](LinearOp linear) { return kernelSource(shapeFor(linear, choice, kSharedWaves), kSharedWaves); })
      .Case<SelectTopKOp>([](SelectTopKOp select) { return kernelSource(shapeFor(select), kSharedWaves); })
      .Case<RmsNormOp, HeadNormOp, ToHalfOp, RopeOp, WindowAppendOp, CompressOp, IndexScoreOp, HcWriteOp, HcHeadOp, ArgmaxOp,
            SampleOp>([](auto known) { return kernelSource(shapeFor(known)); })
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

static KernelSpec emit(SharedLaunchOp op, const KernelChoice &choice) {
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
        return attentionSchedules(static_cast<int>(op.getWindowSize()), static_cast<int>(op.getRatio()),
                                  op.getPicks() ? size(op.getPicks(), 1) : 0);
      })
      .Default([](Operation *) { return std::vector<Schedule>(); });
}

KernelSpec emitKernelOf(Operation *op, const KernelChoice &choice) {
  return llvm::TypeSwitch<Operation *, KernelSpec>(op)
      .Case<EmbedOp, AddOp, ConcatOp, StreamMeanOp, ShiftTokensOp, QuantizeActivationOp, ToHalfOp, LinearOp, GroupedLinearOp,
            ExpertLinearOp, GroupSlotsOp, GroupedExpertLinearOp, RmsNormOp, HeadNormOp, RopeOp, HcCoefficientsOp, SinkhornOp,
            HcReadOp, HcWriteOp, HcHeadOp, HcSiteOp, WindowAppendOp, WindowCopyOp, WindowReadOp, CompressOp, IndexScoreOp,
            SelectTopKOp, AttendOp, MaskedAttentionOp, RouterOp, HashRouterOp, SwigluOp, CombineOp, MoeRouteOp, MoeGateUpOp,
            MoeDownOp, ArgmaxOp, SampleOp, SharedLaunchOp>([&](auto known) {
        if constexpr (requires { emit(known, choice); })
          return emit(known, choice);
        else
          return emit(known);
      })
      .Default([](Operation *unknown) -> KernelSpec {
        internalError("no emitter for op '{}'", unknown->getName().getStringRef().str());
      });
}

} // namespace ds4
