#include "tools/ds4c/MemoryText.h"

#include <fmt/format.h>

#include "compiler/Compile.h"
#include "tools/ds4c/PlanSummary.h"

namespace ds4 {

static uint64_t totalBytes(const Plan &plan) { return plan.weightBytes() + plan.stateBytes() + plan.arenaBytes; }

static std::string weightText(const Plan &plan) {
  std::string text;
  for (const auto &[format, bytes] : weightsByFormat(plan))
    text += fmt::format("  weights {:<12} {:>14}\n", format, bytes);
  return text;
}

std::string memoryText(const Plan &plan) {
  std::string text = "\nmemory                        bytes\n" + weightText(plan);
  for (const auto &[kind, bytes] : stateByKind(plan))
    text += fmt::format("  state {:<14} {:>14}\n", kind, bytes);
  text += fmt::format("  {:<20} {:>14}\n  {:<20} {:>14}\n", "arena", plan.arenaBytes, "total", totalBytes(plan));
  if (plan.draft)
    text += fmt::format("beside it, for drafts: weights {}, scratch {}\n", bytesOf(plan.drafterWeights()), plan.draftBytes());
  if (plan.prefill)
    text += fmt::format("beside it, for prompts in chunks of up to {} tokens, where there is room: {}\n", plan.prefill->maxWidth,
                        plan.prefillBytes());
  return text + fmt::format("at the plan's context of {}; of others: ds4c inspect --memory MODEL.gguf\n", plan.context);
}

namespace {

// Each of a few context lengths with the model's step, planned for it without a kernel.
template <typename Visit> void forContexts(const Model &model, Visit visit) {
  for (int64_t context : {4096, 32768, 131072, 262144, 1048576}) {
    CompileOptions options;
    options.graph.context = context;
    options.codeObjects = false;
    visit(compileModel(ModelTable(model), options));
  }
}

} // namespace

std::string memoryText(const Model &model) {
  std::string text;
  forContexts(model, [&](const Plan &plan) {
    const auto kinds = stateByKind(plan);
    if (text.empty()) {
      text = fmt::format("\nmemory of {}, steps of up to {} tokens\n{}\n{:>10}", plan.modelName, plan.maxWidth, weightText(plan),
                         "context");
      for (const auto &[kind, bytes] : kinds)
        text += fmt::format(" {:>14}", kind);
      text += fmt::format(" {:>14} {:>16}\n", "arena", "total bytes");
    }
    text += fmt::format("{:>10}", plan.context);
    for (const auto &[kind, bytes] : kinds)
      text += fmt::format(" {:>14}", bytes);
    text += fmt::format(" {:>14} {:>16}\n", plan.arenaBytes, totalBytes(plan));
  });
  return text;
}

nlohmann::ordered_json memoryJson(const Plan &plan) {
  nlohmann::ordered_json out{{"weights", weightsByFormat(plan)}, {"arena", plan.arenaBytes}};
  for (const auto &[kind, bytes] : stateByKind(plan))
    out["state"][kind] = bytes;
  out["total"] = totalBytes(plan);
  if (plan.draft)
    out["drafts"] = {{"weights", bytesOf(plan.drafterWeights())}, {"scratch", plan.draftBytes()}};
  if (plan.prefill)
    out["chunks"] = {{"max_tokens", plan.prefill->maxWidth}, {"bytes", plan.prefillBytes()}};
  return out;
}

nlohmann::ordered_json memoryJson(const Model &model) {
  nlohmann::ordered_json out;
  forContexts(model, [&](const Plan &plan) {
    nlohmann::ordered_json memory = memoryJson(plan);
    if (out.empty())
      out = {{"max_width", plan.maxWidth}, {"weights", memory["weights"]}};
    memory.erase("weights");
    memory.update({{"context", plan.context}});
    out["contexts"].push_back(std::move(memory));
  });
  return out;
}

} // namespace ds4
