#include "runtime/plan/PlanCheck.h"

#include <algorithm>
#include <elf.h>
#include <utility>

#include "codegen/kernels/step.h"
#include "support/Error.h"

namespace ds4 {

namespace {

constexpr uint64_t kMostBytes = uint64_t(1) << 40; // of a weight, of a state, and of all together: sums stay in 64 bits
constexpr uint32_t kMostWorkItems = 1024;

bool isIdentifier(std::string_view text) {
  auto part = [](char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::all_of(text.begin(), text.end(), part);
}

class Checker {
public:
  Checker(const Plan &plan, std::string_view where, uint32_t mostWidth = kMaxWidth)
      : plan_(plan), where_(where), mostWidth_(mostWidth) {}

  void check() const {
    require(plan_.maxWidth >= 1 && plan_.maxWidth <= mostWidth_, "width");
    require(plan_.context >= 1 && plan_.context <= INT32_MAX - 8, "context");
    require(plan_.vocabulary >= 1 && plan_.vocabulary <= INT32_MAX, "vocabulary");
    sizes();
    compilerInput();
    for (const PlanLaunch &launch : plan_.launches)
      check(launch);
    for (const auto *values : {&plan_.inputs, &plan_.outputs})
      for (const PlanValue &value : *values)
        check(value);
    for (size_t i = 0; i < plan_.ops.size(); ++i)
      for (uint32_t operand : plan_.ops[i].operands)
        require(operand < i, "operand", plan_.ops[i].place);
    // The host looks up a token's logit, and takes one id a token.
    const PlanValue *logits = plan_.findOutput("logits");
    require(!logits || logits->tokenStride == static_cast<uint64_t>(plan_.vocabulary), "logits");
    if (plan_.draft)
      checkDraft(*plan_.draft);
    if (plan_.prefill)
      checkPrefill(*plan_.prefill);
  }

private:
  void require(bool right, std::string_view what, std::string_view name = "") const {
    if (!right)
      userError("plan '{}' is corrupt ({}{}{}): compile it again", where_, what, name.empty() ? "" : " of ", name);
  }

  void sizes() const {
    uint64_t total = plan_.arenaBytes;
    require(total <= kMostBytes, "arena");
    for (const PlanWeight &weight : plan_.weights) {
      require(weight.bytes >= 1 && weight.bytes <= kMostBytes, "size of weight", weight.name);
      require(weight.levelTables() <= weight.bytes, "shape of weight", weight.name);
      total += weight.deviceBytes();
      require(total <= kMostBytes, "sum of sizes");
    }
    for (const PlanState &state : plan_.states) {
      require(state.format == "f16" || state.format == "f32", "format of state", state.name);
      const auto most = static_cast<int64_t>(kMostBytes / 4);
      require(state.rows >= 0 && state.cols >= 0 && (state.cols == 0 || state.rows <= most / state.cols), "size of state",
              state.name);
      total += state.bytes();
      require(total <= kMostBytes, "sum of sizes");
    }
  }

  // Some options make a compiler load plugins or write files, and hipRTC may write sources under their names.
  void compilerInput() const {
    for (const std::string &option : plan_.options)
      require(option.starts_with("-O") || option.starts_with("-D") || option.starts_with("-std="), "compiler option", option);
    for (const PlanHeader &header : plan_.headers)
      require(!header.name.empty() && header.name[0] != '/' && header.name.find("..") == header.name.npos, "name of header",
              header.name);
    for (const PlanKernel &kernel : plan_.kernels) {
      require(isIdentifier(kernel.symbol), "name of kernel", kernel.symbol);
      require(kernel.codeObject.empty() || kernel.codeObject.size() >= sizeof(Elf64_Ehdr), "code object of kernel", kernel.symbol);
      require(kernel.block >= 1 && kernel.block <= kMostWorkItems, "workgroup of kernel", kernel.symbol);
    }
  }

  void check(const PlanLaunch &launch) const {
    require(!launch.variants.empty(), "variants of launch", launch.label);
    require(!launch.usesScratch() || !launch.arguments.empty(), "scratch of launch", launch.label);
    for (const PlanVariant &variant : launch.variants)
      require(variant.kernel < plan_.kernels.size(), "kernel of launch", launch.label);
    for (const PlanArgument &argument : launch.arguments)
      require(argument.value < limit(argument.kind), "argument of launch", launch.label);
    // That guards leave no step out is proven when a plan is made; here at the ends, for each width.
    for (int64_t pos : {int64_t(0), plan_.context - 1})
      for (int64_t q = 1; q <= plan_.maxWidth; q = q < kMaxWidth ? q + 1 : std::max<int64_t>(q + 1, plan_.maxWidth))
        checkAt(launch, pos, q);
  }

  void checkAt(const PlanLaunch &launch, int64_t pos, int64_t q) const {
    launch.at(pos, q);
    const auto holding =
        std::ranges::count_if(launch.variants, [&](const PlanVariant &variant) { return variant.guard.holds(pos, q); });
    require(holding == 1, "guards of launch", launch.label);
  }

  // The drafter's function works on this plan's memory where names are equal.
  void checkDraft(const Plan &draft) const {
    require(!draft.draft && !draft.prefill, "drafter");
    checkPlan(draft, where_);
    require(draft.target == plan_.target && draft.vocabulary == plan_.vocabulary && draft.context == plan_.context, "drafter");
    require(plan_.noiseToken >= 0 && plan_.noiseToken < plan_.vocabulary, "noise token");
    for (const PlanState &state : draft.states)
      require(plan_.findState(state.name) || plan_.drafterKind == "mtp", "drafter's state", state.name);
    checkShared(draft, "drafter");
    const PlanValue *drafts = draft.findOutput("drafts");
    require(drafts && drafts->element == "i32" && drafts->tokenStride == 1, "drafts");
    require(plan_.drafterKind == "dspark" || plan_.drafterKind == "mtp", "kind of drafter");
    if (plan_.drafterKind == "dspark") {
      const PlanValue *confidence = draft.findOutput("confidence");
      require(confidence && confidence->element == "f32" && confidence->tokenStride == 1, "confidence");
    } else {
      const PlanValue *made = draft.findOutput("streams");
      const PlanState *read = draft.findState("mtp.streams");
      require(read && read->format == "f32" && plan_.findState("mtp.streams"), "drafter's state", "mtp.streams");
      require(made && made->element == "f32" && std::cmp_equal(made->tokenStride, read->cols), "streams");
    }
  }

  void checkPrefill(const Plan &prefill) const {
    require(!prefill.draft && !prefill.prefill, "prefill");
    Checker(prefill, where_, kMaxChunk).check();
    require(prefill.target == plan_.target && prefill.vocabulary == plan_.vocabulary && prefill.context == plan_.context,
            "prefill");
    for (const PlanWeight &weight : prefill.weights)
      require(std::ranges::find(plan_.weights, weight.name, &PlanWeight::name) != plan_.weights.end(), "prefill's weight",
              weight.name);
    checkShared(prefill, "prefill");
    const PlanValue *ids = prefill.findInput(kIdsInput);
    require(ids && ids->element == "i32" && ids->tokenStride == 1, "ids");
  }

  // States and weights of one name are the same memory.
  void checkShared(const Plan &part, const std::string &owner) const {
    for (const PlanState &state : part.states)
      if (const PlanState *own = plan_.findState(state.name))
        require(own->kind == state.kind && own->rows == state.rows && own->cols == state.cols && own->format == state.format,
                owner + "'s state", state.name);
    for (const PlanWeight &weight : part.weights)
      for (const PlanWeight &own : plan_.weights)
        require(own.name != weight.name || (own.format == weight.format && own.shape == weight.shape && own.bytes == weight.bytes),
                owner + "'s weight", weight.name);
  }

  uint64_t limit(PlanArgument::Kind kind) const {
    switch (kind) {
    case PlanArgument::Kind::Step:
      return 1;
    case PlanArgument::Kind::Weight:
      return plan_.weights.size();
    case PlanArgument::Kind::State:
      return plan_.states.size();
    case PlanArgument::Kind::Arena:
      return plan_.arenaBytes;
    }
    return 0;
  }

  void check(const PlanValue &value) const {
    require(value.element == "f32" || value.element == "i32", "element of value", value.name);
    require(value.offset <= plan_.arenaBytes && value.bytes <= plan_.arenaBytes - value.offset, "place of value", value.name);
    require(value.tokenStride >= 1 && value.tokenStride <= value.bytes / 4 / plan_.maxWidth, "token stride of value", value.name);
  }

  const Plan &plan_;
  std::string_view where_;
  uint32_t mostWidth_;
};

} // namespace

void checkPlan(const Plan &plan, std::string_view where) { Checker(plan, where).check(); }

} // namespace ds4
