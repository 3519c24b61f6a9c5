#include "passes/KernelShapes.h"

#include "passes/StepMemory.h"
#include "support/Error.h"

namespace ds4 {

using namespace mlir;

static int size(Value value, int dimension) { return static_cast<int>((*shapeOf(value.getType()))[dimension]); }

static int elementsOfToken(Value value) {
  return static_cast<int>(ShapedType::getNumElements(shapeOf(value.getType())->drop_front()));
}

static std::string format(TypedValue<QuantizedType> weight) { return std::string(formatOf(weight.getType().getFormat()).name); }

static std::string element(Value state) { return cast<StateType>(state.getType()).getElement().isF16() ? "f16" : "f32"; }

// Row stride of scores: the capacity of the rows that were scored, or the columns where those are static.
static int scoreStride(Value scores) {
  if (auto score = memoryOwner(scores).getDefiningOp<IndexScoreOp>())
    return static_cast<int>(score.getRows().getType().getRows());
  if (ShapedType::isDynamic(shapeOf(scores.getType())->back()))
    userError("scores of a dynamic number of rows must be the result of a ds4.index_score");
  return size(scores, 1);
}

EmbedShape shapeFor(EmbedOp op, const KernelChoice &) {
  return EmbedShape{.format = format(op.getTable()),
                    .width = size(op.getTable(), 1),
                    .streams = static_cast<int>(op.getStreams()),
                    .idsOfStep = areOfStep(op.getTokens())};
}

ConcatShape shapeFor(ConcatOp op, const KernelChoice &) { return ConcatShape{.a = size(op.getA(), 1), .b = size(op.getB(), 1)}; }

StreamMeanShape shapeFor(StreamMeanOp op, const KernelChoice &) {
  return StreamMeanShape{.width = size(op.getStreams(), 2), .streams = size(op.getStreams(), 1)};
}

ShiftTokensShape shapeFor(ShiftTokensOp, const KernelChoice &) { return ShiftTokensShape{}; }

AddShape shapeFor(AddOp op, const KernelChoice &) { return AddShape{.width = elementsOfToken(op.getA())}; }

QuantizeActivationShape shapeFor(QuantizeActivationOp op, const KernelChoice &) {
  return QuantizeActivationShape{.scheme = stringifyQuantizationScheme(op.getScheme()).str(),
                                 .width = elementsOfToken(op.getX()),
                                 .block = static_cast<int>(op.getBlock())};
}

static int width(TypedValue<QuantizedType> weight) { return static_cast<int>(weight.getType().getShape().back()); }

bool hasFastKernel(TypedValue<QuantizedType> weight) { return fastColumns(format(weight), width(weight), 1) != 0; }

int mostColumns(TypedValue<QuantizedType> weight, Products products, int waves, int wanted) {
  return products == Products::Fast ? fastColumns(format(weight), width(weight), wanted, waves) : 0;
}

static int columns(TypedValue<QuantizedType> weight, const KernelChoice &choice, int waves = 0) {
  return mostColumns(weight, choice.products, waves, choice.schedule == "columns" ? choice.value : 1);
}

static bool isHalf(Value x) { return cast<RankedTensorType>(x.getType()).getElementType().isF16(); }

LinearShape shapeFor(LinearOp op, const KernelChoice &choice, int waves) {
  return LinearShape{.format = format(op.getWeight()),
                     .n = size(op.getWeight(), 0),
                     .k = size(op.getWeight(), 1),
                     .columns = columns(op.getWeight(), choice, waves),
                     .fine = choice.fineGrids,
                     .halves = isHalf(op.getX()),
                     .chunk = choice.chunk && choice.products == Products::Fast};
}

ToHalfShape shapeFor(ToHalfOp op, const KernelChoice &) { return ToHalfShape{.width = size(op.getX(), 1)}; }

ScaleToHalfShape shapeFor(ScaleToHalfOp op, const KernelChoice &) {
  const ArrayRef<int64_t> shape = op.getX().getType().getShape();
  int rows = 1;
  for (int64_t size : shape.drop_front().drop_back())
    rows *= static_cast<int>(size);
  return ScaleToHalfShape{.rows = rows, .width = static_cast<int>(shape.back())};
}

GroupedLinearShape shapeFor(GroupedLinearOp op, const KernelChoice &choice) {
  const int groups = static_cast<int>(op.getGroups());
  return GroupedLinearShape{.format = format(op.getWeight()),
                            .groups = groups,
                            .n = size(op.getWeight(), 0) / groups,
                            .k = size(op.getWeight(), 1),
                            .columns = columns(op.getWeight(), choice),
                            .fine = choice.fineGrids,
                            .halves = isHalf(op.getX()),
                            .chunk = choice.chunk && choice.products == Products::Fast};
}

ExpertLinearShape shapeFor(ExpertLinearOp op, const KernelChoice &choice) {
  return ExpertLinearShape{.format = format(op.getWeight()),
                           .experts = size(op.getWeight(), 0),
                           .used = size(op.getIds(), 1),
                           .n = size(op.getWeight(), 1),
                           .k = size(op.getWeight(), 2),
                           .perSlot = op.getX().getType().getRank() == 3,
                           .fast = columns(op.getWeight(), choice) != 0};
}

GroupedExpertLinearShape shapeFor(GroupedExpertLinearOp op, const KernelChoice &) {
  return GroupedExpertLinearShape{.format = format(op.getWeight()),
                                  .experts = size(op.getWeight(), 0),
                                  .used = size(op.getOrder(), 1),
                                  .n = size(op.getWeight(), 1),
                                  .k = size(op.getWeight(), 2),
                                  .perSlot = cast<RankedTensorType>(op.getX().getType()).getRank() == 3,
                                  .halves = isHalf(op.getX())};
}

GroupSlotsShape shapeFor(GroupSlotsOp op, const KernelChoice &) {
  return GroupSlotsShape{.experts = static_cast<int>(op.getExperts()), .used = size(op.getIds(), 1)};
}

RmsNormShape shapeFor(RmsNormOp op, const KernelChoice &) {
  return RmsNormShape{.format = format(op.getWeight()), .width = size(op.getX(), 1), .eps = static_cast<float>(op.getEps())};
}

HeadNormShape shapeFor(HeadNormOp op, const KernelChoice &) {
  return HeadNormShape{.heads = size(op.getX(), 1), .width = size(op.getX(), 2), .eps = static_cast<float>(op.getEps())};
}

RopeShape shapeFor(RopeOp op, const KernelChoice &) {
  const bool hasHeads = op.getX().getType().getRank() == 3;
  return RopeShape{.heads = hasHeads ? size(op.getX(), 1) : 1,
                   .width = size(op.getX(), hasHeads ? 2 : 1),
                   .rope = op.getRope().getParameters(),
                   .inverse = op.getInverse(),
                   .normEps = static_cast<float>(op.getNormEps().value_or(0))};
}

HcCoefficientsShape shapeFor(HcCoefficientsOp op, const KernelChoice &choice) {
  return HcCoefficientsShape{.fnFormat = format(op.getFn()),
                             .baseFormat = format(op.getBase()),
                             .scaleFormat = format(op.getScale()),
                             .width = size(op.getStreams(), 2),
                             .eps = static_cast<float>(op.getEps()),
                             .chunk = choice.chunk};
}

SinkhornShape shapeFor(SinkhornOp op, const KernelChoice &) {
  return SinkhornShape{.iterations = static_cast<int>(op.getIterations()), .eps = static_cast<float>(op.getEps())};
}

HcReadShape shapeFor(HcReadOp op, const KernelChoice &) { return HcReadShape{.width = size(op.getStreams(), 2)}; }

HcWriteShape shapeFor(HcWriteOp op, const KernelChoice &) { return HcWriteShape{.width = size(op.getStreams(), 2)}; }

HcHeadShape shapeFor(HcHeadOp op, const KernelChoice &) {
  return HcHeadShape{.fnFormat = format(op.getFn()),
                     .baseFormat = format(op.getBase()),
                     .scaleFormat = format(op.getScale()),
                     .width = size(op.getStreams(), 2),
                     .eps = static_cast<float>(op.getEps()),
                     .hcEps = static_cast<float>(op.getHcEps())};
}

HcSiteShape shapeFor(HcSiteOp op, const KernelChoice &choice) {
  return HcSiteShape{.fnFormat = format(op.getFn()),
                     .baseFormat = format(op.getBase()),
                     .scaleFormat = format(op.getScale()),
                     .normFormat = format(op.getNorm()),
                     .width = size(op.getStreams(), 2),
                     .writes = static_cast<bool>(op.getY()),
                     .iterations = static_cast<int>(op.getIterations()),
                     .eps = static_cast<float>(op.getEps()),
                     .hcEps = static_cast<float>(op.getHcEps()),
                     .normEps = static_cast<float>(op.getNormEps()),
                     .clusters = choice.clusters,
                     .deferred = static_cast<int>(op.getDeferred().value_or(0)),
                     .due = static_cast<int>(op.getDue().value_or(0))};
}

WindowAppendShape shapeFor(WindowAppendOp op, const KernelChoice &choice) {
  return WindowAppendShape{
      .element = element(op.getState()), .slots = size(op.getState(), 0), .width = size(op.getState(), 1), .chunk = choice.chunk};
}

CompressShape shapeFor(CompressOp op, const KernelChoice &choice) {
  return CompressShape{.openElement = element(op.getOpen()),
                       .rowElement = element(op.getRows()),
                       .apeFormat = format(op.getApe()),
                       .normFormat = format(op.getNorm()),
                       .ratio = static_cast<int>(op.getRatio()),
                       .slots = size(op.getOpen(), 0),
                       .width = size(op.getRows(), 1),
                       .eps = static_cast<float>(op.getEps()),
                       .rope = op.getRope().getParameters(),
                       .chunk = choice.chunk};
}

WindowCopyShape shapeFor(WindowCopyOp op, const KernelChoice &) {
  return WindowCopyShape{.element = element(op.getTo()),
                         .toSlots = size(op.getTo(), 0),
                         .fromSlots = size(op.getFrom(), 0),
                         .window = static_cast<int>(op.getWindowSize()),
                         .width = size(op.getTo(), 1)};
}

WindowReadShape shapeFor(WindowReadOp op, const KernelChoice &) {
  return WindowReadShape{.element = element(op.getRing()),
                         .slots = size(op.getRing(), 0),
                         .width = size(op.getRing(), 1),
                         .first = static_cast<int>(op.getFirst()),
                         .cols = static_cast<int>(op.getCols())};
}

IndexScoreShape shapeFor(IndexScoreOp op, const KernelChoice &choice) {
  return IndexScoreShape{.element = element(op.getRows()),
                         .heads = size(op.getQ(), 1),
                         .width = size(op.getQ(), 2),
                         .ratio = static_cast<int>(op.getRatio()),
                         .capacity = size(op.getRows(), 0),
                         .scale = static_cast<float>(op.getScale()),
                         .fine = choice.fineGrids && !choice.chunk};
}

SelectTopKShape shapeFor(SelectTopKOp op, const KernelChoice &choice) {
  return SelectTopKShape{.k = static_cast<int>(op.getK()),
                         .ratio = static_cast<int>(op.getRatio()),
                         .capacity = scoreStride(op.getScores()),
                         .whole = choice.chunk};
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

AttendShape shapeFor(AttendOp op, const KernelChoice &) {
  AttendShape shape = attentionShape<AttendShape>(op);
  shape.element = element(op.getWindow());
  shape.block = op.getBlock();
  if (op.getRows())
    shape.rowElement = element(op.getRows());
  return shape;
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

MaskedAttentionShape shapeFor(MaskedAttentionOp op, const KernelChoice &choice) {
  MaskedAttentionShape shape = maskedShape(op, op.getRope());
  if (!hasKernel(op, op.getRope()))
    userError("masked_attention: rows of halves and heads of 128, 256 or 512 channels only: attend and rope take others");
  shape.whole = choice.chunk;
  shape.clusters = choice.clusters;
  if (choice.schedule == "direct_visible")
    shape.visibility = Visibility::DirectVisible;
  else if (choice.schedule == "masked")
    shape.visibility = Visibility::Masked;
  return shape;
}

RouterShape shapeFor(RouterOp op, const KernelChoice &) {
  return RouterShape{.biasFormat = format(op.getBias()),
                     .experts = size(op.getLogits(), 1),
                     .k = static_cast<int>(op.getK()),
                     .scale = static_cast<float>(op.getScale())};
}

HashRouterShape shapeFor(HashRouterOp op, const KernelChoice &) {
  return HashRouterShape{.experts = size(op.getLogits(), 1),
                         .used = size(op.getTable(), 1),
                         .scale = static_cast<float>(op.getScale()),
                         .idsOfStep = areOfStep(op.getTokens())};
}

SwigluShape shapeFor(SwigluOp op, const KernelChoice &) {
  return SwigluShape{.width = elementsOfToken(op.getGate()), .limit = static_cast<float>(op.getLimit())};
}

CombineShape shapeFor(CombineOp op, const KernelChoice &) {
  return CombineShape{.used = size(op.getY(), 1), .width = size(op.getY(), 2)};
}

// Tokens that share an expert's weights.
static int expertColumns(const KernelChoice &choice) { return choice.schedule == "columns" ? choice.value : 1; }

MoeRouteShape shapeFor(MoeRouteOp op, const KernelChoice &choice) {
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

MoeGateUpShape shapeFor(MoeGateUpOp op, const KernelChoice &choice) {
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

MoeDownShape shapeFor(MoeDownOp op, const KernelChoice &choice) {
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

ArgmaxShape shapeFor(ArgmaxOp op, const KernelChoice &) { return ArgmaxShape{.vocabulary = size(op.getLogits(), 1)}; }

SampleShape shapeFor(SampleOp op, const KernelChoice &) { return SampleShape{.vocabulary = size(op.getLogits(), 1)}; }

} // namespace ds4
