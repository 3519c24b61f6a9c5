#include "tools/ds4c/MemoryText.h"

#include <algorithm>
#include <vector>

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
  return text + fmt::format("at the plan's context of {}; of others: ds4c inspect --memory MODEL.gguf\n", plan.context);
}

std::string memoryText(const Model &model) {
  constexpr int64_t kContexts[] = {4096, 32768, 131072, 262144, 1048576};
  std::string text;
  for (int64_t context : kContexts) {
    CompileOptions options;
    options.graph.context = context;
    options.codeObjects = false;
    const Plan plan = compileModel(ModelTable(model), options);
    const auto kinds = stateByKind(plan);
    if (text.empty()) {
      text = fmt::format("\nmemory of {}, steps of up to {} tokens\n{}\n{:>10}", plan.modelName, plan.maxWidth, weightText(plan),
                         "context");
      for (const auto &[kind, bytes] : kinds)
        text += fmt::format(" {:>14}", kind);
      text += fmt::format(" {:>14} {:>16}\n", "arena", "total bytes");
    }
    text += fmt::format("{:>10}", context);
    for (const auto &[kind, bytes] : kinds)
      text += fmt::format(" {:>14}", bytes);
    text += fmt::format(" {:>14} {:>16}\n", plan.arenaBytes, totalBytes(plan));
  }
  return text;
}

} // namespace ds4
