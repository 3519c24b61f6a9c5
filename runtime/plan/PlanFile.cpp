#include "runtime/plan/PlanFile.h"

#include "plan_generated.h"
#include "runtime/plan/PlanCheck.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Sha256.h"

namespace ds4 {

namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
namespace fb = plan::fb;

// The file is the FlatBuffer followed by its SHA-256 in binary-safe hex: a flipped bit inside a source text or a code
// object would pass the verifier.
constexpr size_t kDigestBytes = 64;
constexpr size_t kHeadBytes = 16; // a FlatBuffer's root offset and identifier lie in these

Offset<fb::Expr> put(FlatBufferBuilder &builder, const StepExpr &expr) {
  std::vector<fb::ExprNode> nodes;
  for (const StepExpr::Node &node : expr.nodes())
    nodes.emplace_back(static_cast<uint8_t>(node.op), node.value);
  return fb::CreateExpr(builder, builder.CreateVectorOfStructs(nodes));
}

StepExpr get(const fb::Expr *expr) {
  std::vector<StepExpr::Node> nodes;
  if (expr && expr->nodes())
    for (const fb::ExprNode *node : *expr->nodes())
      nodes.push_back({static_cast<StepExpr::Op>(node->op()), node->value()});
  return StepExpr::fromNodes(std::move(nodes));
}

// A vector of tables, one element at a time.
template <typename Table, typename Items, typename Make> auto putAll(FlatBufferBuilder &builder, const Items &items, Make make) {
  std::vector<Offset<Table>> offsets;
  for (const auto &item : items)
    offsets.push_back(make(item));
  return builder.CreateVector(offsets);
}

Offset<fb::Kernel> put(FlatBufferBuilder &builder, const PlanKernel &kernel) {
  auto code = builder.CreateVector(reinterpret_cast<const uint8_t *>(kernel.codeObject.data()), kernel.codeObject.size());
  return fb::CreateKernel(builder, builder.CreateString(kernel.symbol), builder.CreateString(kernel.op),
                          builder.CreateString(kernel.source), kernel.block, kernel.vgprBudget, kernel.ldsBudget, kernel.vgprs,
                          kernel.sgprs, kernel.ldsBytes, code);
}

Offset<fb::Variant> put(FlatBufferBuilder &builder, const PlanVariant &variant) {
  auto grid = putAll<fb::Expr>(builder, variant.grid, [&](const StepExpr &expr) { return put(builder, expr); });
  auto guard = putAll<fb::Range>(builder, variant.guard.ranges, [&](const StepRange &range) {
    return fb::CreateRange(builder, put(builder, range.value), range.least, range.most);
  });
  return fb::CreateVariant(builder, variant.kernel, grid, guard, builder.CreateString(variant.name),
                           builder.CreateString(variant.reason), variant.scratch);
}

Offset<fb::Launch> put(FlatBufferBuilder &builder, const PlanLaunch &launch) {
  std::vector<fb::Argument> arguments;
  for (const PlanArgument &argument : launch.arguments)
    arguments.emplace_back(static_cast<uint8_t>(argument.kind), argument.value);
  auto variants = putAll<fb::Variant>(builder, launch.variants, [&](const PlanVariant &variant) { return put(builder, variant); });
  return fb::CreateLaunch(builder, builder.CreateVectorOfStructs(arguments), builder.CreateString(launch.label),
                          builder.CreateVectorOfStrings(launch.covers), variants);
}

Offset<fb::Op> put(FlatBufferBuilder &builder, const PlanOp &op) {
  return fb::CreateOp(builder, builder.CreateString(op.place), builder.CreateString(op.name), builder.CreateVector(op.operands));
}

Offset<fb::Value> put(FlatBufferBuilder &builder, const PlanValue &value) {
  return fb::CreateValue(builder, builder.CreateString(value.name), builder.CreateString(value.element),
                         builder.CreateVector(value.dims), value.offset, value.tokenStride, value.bytes);
}

PlanKernel get(const fb::Kernel &in) {
  PlanKernel kernel{in.symbol()->str(), in.op()->str(), in.source()->str(), in.block(),     in.vgpr_budget(),
                    in.lds_budget(),    in.vgprs(),     in.sgprs(),         in.lds_bytes(), {}};
  if (const auto *code = in.code_object()) {
    auto *first = reinterpret_cast<const std::byte *>(code->data());
    kernel.codeObject.assign(first, first + code->size());
  }
  return kernel;
}

PlanVariant get(const fb::Variant &in, std::string_view label, std::string_view where) {
  PlanVariant variant{.kernel = in.kernel(), .scratch = in.scratch()};
  if (in.grid()->size() != variant.grid.size())
    userError("plan '{}': launch '{}' has a grid of {} dimensions: compile the plan again", where, label, in.grid()->size());
  for (size_t i = 0; i < variant.grid.size(); ++i)
    variant.grid[i] = get(in.grid()->Get(i));
  if (in.guard())
    for (const fb::Range *range : *in.guard())
      variant.guard.ranges.push_back({get(range->value()), range->least(), range->most()});
  if (in.name())
    variant.name = in.name()->str();
  if (in.reason())
    variant.reason = in.reason()->str();
  return variant;
}

PlanLaunch get(const fb::Launch &in, std::string_view where) {
  PlanLaunch launch;
  launch.label = in.label()->str();
  if (in.variants())
    for (const fb::Variant *variant : *in.variants())
      launch.variants.push_back(get(*variant, launch.label, where));
  for (const fb::Argument *argument : *in.arguments())
    launch.arguments.push_back({static_cast<PlanArgument::Kind>(argument->kind()), argument->value()});
  if (in.covers())
    for (const auto *place : *in.covers())
      launch.covers.push_back(place->str());
  return launch;
}

PlanOp get(const fb::Op &in) {
  PlanOp op{in.place()->str(), in.name()->str(), {}};
  if (in.operands())
    op.operands.assign(in.operands()->begin(), in.operands()->end());
  return op;
}

PlanValue get(const fb::Value &in) {
  return {in.name()->str(), in.element()->str(), {in.dims()->begin(), in.dims()->end()},
          in.offset(),      in.token_stride(),   in.bytes()};
}

Offset<fb::Plan> put(FlatBufferBuilder &builder, const Plan &plan) {
  auto weights = putAll<fb::Weight>(builder, plan.weights, [&](const PlanWeight &w) {
    return fb::CreateWeight(builder, builder.CreateString(w.name), builder.CreateString(w.format), builder.CreateVector(w.shape),
                            w.shard, w.offset, w.bytes);
  });
  auto states = putAll<fb::State>(builder, plan.states, [&](const PlanState &s) {
    return fb::CreateState(builder, builder.CreateString(s.name), builder.CreateString(s.kind), s.rows, s.cols,
                           builder.CreateString(s.format));
  });
  auto headers = putAll<fb::Header>(builder, plan.headers, [&](const PlanHeader &h) {
    return fb::CreateHeader(builder, builder.CreateString(h.name), builder.CreateString(h.text));
  });
  auto put1 = [&](const auto &item) { return put(builder, item); };
  auto kernels = putAll<fb::Kernel>(builder, plan.kernels, put1);
  auto launches = putAll<fb::Launch>(builder, plan.launches, put1);
  auto inputs = putAll<fb::Value>(builder, plan.inputs, put1);
  auto outputs = putAll<fb::Value>(builder, plan.outputs, put1);
  auto ops = putAll<fb::Op>(builder, plan.ops, put1);
  auto sizes = fb::CreateSizes(builder, plan.sizes.expertsUsed, plan.sizes.window, plan.sizes.indexerTopK,
                               builder.CreateVector(plan.sizes.ratios));
  const Offset<fb::Plan> draft = plan.draft ? put(builder, *plan.draft) : Offset<fb::Plan>();
  const Offset<fb::Plan> prefill = plan.prefill ? put(builder, *plan.prefill) : Offset<fb::Plan>();
  return fb::CreatePlan(builder, kPlanVersion, builder.CreateString(plan.generator), builder.CreateString(plan.target),
                        builder.CreateString(plan.modelName), builder.CreateString(plan.modelFingerprint), plan.vocabulary,
                        plan.context, plan.maxWidth, plan.arenaBytes, builder.CreateVectorOfStrings(plan.options), weights, states,
                        kernels, headers, launches, inputs, outputs, builder.CreateString(plan.ir), ops, draft,
                        builder.CreateString(plan.drafterFingerprint), plan.noiseToken, sizes, prefill,
                        builder.CreateString(plan.drafterKind));
}

// `in` has the version that this reads.
Plan get(const fb::Plan &in, std::string_view where) {
  Plan plan;
  plan.generator = in.generator()->str();
  plan.target = in.target()->str();
  plan.modelName = in.model_name()->str();
  plan.modelFingerprint = in.model_fingerprint()->str();
  plan.vocabulary = in.vocabulary();
  plan.context = in.context();
  plan.maxWidth = in.max_width();
  plan.arenaBytes = in.arena_bytes();
  plan.ir = in.ir()->str();
  if (in.options())
    for (const auto *option : *in.options())
      plan.options.push_back(option->str());
  for (const fb::Weight *w : *in.weights())
    plan.weights.push_back(
        {w->name()->str(), w->format()->str(), {w->shape()->begin(), w->shape()->end()}, w->shard(), w->offset(), w->bytes()});
  for (const fb::State *s : *in.states())
    plan.states.push_back({s->name()->str(), s->kind()->str(), s->rows(), s->cols(), s->format()->str()});
  for (const fb::Header *h : *in.headers())
    plan.headers.push_back({h->name()->str(), h->text()->str()});
  for (const fb::Kernel *kernel : *in.kernels())
    plan.kernels.push_back(get(*kernel));
  for (const fb::Launch *launch : *in.launches())
    plan.launches.push_back(get(*launch, where));
  if (in.ops())
    for (const fb::Op *op : *in.ops())
      plan.ops.push_back(get(*op));
  if (const fb::Sizes *sizes = in.sizes()) {
    plan.sizes = {sizes->experts_used(), sizes->window(), sizes->indexer_top_k(), {}};
    if (sizes->ratios())
      plan.sizes.ratios.assign(sizes->ratios()->begin(), sizes->ratios()->end());
  }
  for (const fb::Value *value : *in.inputs())
    plan.inputs.push_back(get(*value));
  for (const fb::Value *value : *in.outputs())
    plan.outputs.push_back(get(*value));
  if (in.draft())
    plan.draft = std::make_shared<const Plan>(get(*in.draft(), where));
  if (in.prefill())
    plan.prefill = std::make_shared<const Plan>(get(*in.prefill(), where));
  if (in.drafter_fingerprint())
    plan.drafterFingerprint = in.drafter_fingerprint()->str();
  plan.noiseToken = in.noise_token();
  if (plan.draft) // older plans do not tell
    plan.drafterKind = in.drafter_kind() ? in.drafter_kind()->str() : "dspark";
  return plan;
}

// What holds in plans of every version, so that a newer one is known as that and not called damaged: the identifier, the
// checksum behind the FlatBuffer, and the version as the first field of its root table.
std::optional<uint32_t> versionOf(std::span<const std::byte> body) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(body.data());
  flatbuffers::Verifier verifier(bytes, body.size());
  const flatbuffers::uoffset_t root = verifier.VerifyOffset(0);
  if (root == 0 || !verifier.VerifyTableStart(bytes + root))
    return std::nullopt;
  const auto *table = reinterpret_cast<const flatbuffers::Table *>(bytes + root);
  if (!table->VerifyField<uint32_t>(verifier, fb::Plan::VT_VERSION, sizeof(uint32_t)))
    return std::nullopt;
  return table->GetField<uint32_t>(fb::Plan::VT_VERSION, 0);
}

void checkVersion(std::span<const std::byte> body, std::string_view where) {
  const std::optional<uint32_t> version = versionOf(body);
  if (version && *version > kPlanVersion)
    userError("plan '{}' is of a newer format version, {}, this program reads version {}: run it with the ds4-run of the ds4c that "
              "compiled it, or compile it again with this ds4c",
              where, *version, kPlanVersion);
  if (version && *version < kPlanVersion)
    userError("plan '{}' is of an older format version, {}, this program reads version {}: compile it again with this ds4c", where,
              *version, kPlanVersion);
}

bool startsAsPlan(std::span<const std::byte> bytes) {
  return bytes.size() >= kHeadBytes && fb::PlanBufferHasIdentifier(bytes.data());
}

[[noreturn]] void refuseAsNoPlan(std::string_view where) {
  userError("'{}' is not a ds4c plan: name a .ds4plan file made by `ds4c compile`", where);
}

} // namespace

std::vector<std::byte> serializePlan(const Plan &plan) {
  FlatBufferBuilder builder(1 << 20);
  builder.Finish(put(builder, plan), fb::PlanIdentifier());
  auto *first = reinterpret_cast<const std::byte *>(builder.GetBufferPointer());
  std::vector<std::byte> bytes(first, first + builder.GetSize());
  std::string digest = sha256Hex({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  auto *text = reinterpret_cast<const std::byte *>(digest.data());
  bytes.insert(bytes.end(), text, text + digest.size());
  return bytes;
}

Plan parsePlan(std::span<const std::byte> bytes, std::string_view where) {
  if (bytes.size() < kHeadBytes + kDigestBytes || !startsAsPlan(bytes))
    refuseAsNoPlan(where);
  std::span<const std::byte> body = bytes.first(bytes.size() - kDigestBytes);
  std::string_view digest(reinterpret_cast<const char *>(body.data() + body.size()), kDigestBytes);
  if (sha256Hex({reinterpret_cast<const char *>(body.data()), body.size()}) != digest)
    userError("plan '{}' is truncated or damaged (its checksum does not match): compile it again", where);
  checkVersion(body, where);
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(body.data()), body.size(), 64, 1u << 28);
  if (!fb::VerifyPlanBuffer(verifier))
    userError("plan '{}' is damaged (its tables are not well formed): compile it again", where);

  Plan plan = get(*fb::GetPlan(body.data()), where);
  checkPlan(plan, where);
  return plan;
}

Plan readPlanFile(const std::string &path) {
  const File file(path);
  std::array<std::byte, kHeadBytes> head;
  // Another file may be a model of a hundred gigabytes: only plans are read whole.
  if (file.size() < head.size() || file.size() > FLATBUFFERS_MAX_BUFFER_SIZE)
    refuseAsNoPlan(path);
  file.read(0, head);
  if (!startsAsPlan(head))
    refuseAsNoPlan(path);
  return parsePlan(file.readAll(), path);
}

} // namespace ds4
