// Writes whole inputs to begin from, one folder a target, by the writers themselves, so that they follow every change of a
// format. Usage: fuzz_seeds FOLDER
#include <filesystem>
#include <fstream>

#include "recipes/BuiltInRecipes.h"
#include "runtime/cache/CacheEntry.h"
#include "runtime/cache/KernelKey.h"
#include "runtime/hip/RtcProtocol.h"
#include "runtime/plan/PlanFile.h"
#include "tests/fuzz/Fuzz.h"
#include "tests/unit/models/SmallModel.h"
#include "tests/unit/runtime/SmallPlan.h"

using namespace ds4;

namespace {

constexpr size_t kDigestBytes = 64; // behind plans and entries; targets append it

std::filesystem::path folder;

std::string pathOf(std::string_view target, std::string_view name) {
  std::filesystem::create_directories(folder / target);
  return (folder / target / name).string();
}

void put(std::string_view target, std::string_view name, std::span<const std::byte> bytes) {
  writeFileAtomically(pathOf(target, name), bytes);
}

void putChecked(std::string_view target, std::string_view name, const std::vector<std::byte> &bytes) {
  put(target, name, bytes);
  put(target, std::string(name) + "-unchecked", std::span(bytes).first(bytes.size() - kDigestBytes));
}

// Without the data, which the target takes for zeros.
void putModel(const test::SmallModel &model, std::string_view name) {
  const std::string path = pathOf("gguf", name);
  model.write(path);
  uint64_t header = File(path).size();
  const gguf::Reader file = gguf::Reader::open(path);
  for (const gguf::TensorInfo &tensor : file.tensors())
    header = std::min(header, tensor.offset);
  std::filesystem::resize_file(path, header);
}

// With everything that a plan may have: variants with guards, ops for reports, a drafter.
Plan richPlan() {
  Plan plan = test::smallPlan();
  PlanLaunch &launch = plan.launches[0];
  const auto grid = launch.variants[0].grid;
  launch.variants = {
      {.kernel = 0, .grid = grid, .guard = {{{.value = StepExpr::q(), .most = 1}}}, .name = "single", .reason = "one token"},
      {.kernel = 0, .grid = grid, .guard = {{{.value = StepExpr::q(), .least = 2}}}, .name = "several"}};
  launch.covers = {"head.norm", "head.logits"};
  plan.ops = {{"head.norm", "rms_norm", {}}, {"head.logits", "linear", {0}}};
  Plan draft = test::smallPlan();
  draft.headers.clear();
  draft.outputs = {{"drafts", "i32", {PlanValue::kTokens}, 0, 1, 8}, {"confidence", "f32", {PlanValue::kTokens, 1}, 32, 1, 8}};
  plan.draft = std::make_shared<const Plan>(std::move(draft));
  plan.drafterKind = "dspark";
  plan.drafterFingerprint = "d";
  plan.noiseToken = 2;
  return plan;
}

int writeSeeds() {
  putModel({}, "whole");
  putModel({.add =
                [](gguf::Writer &writer) {
                  writer.set("tokenizer.ggml.model", std::string("gpt2"));
                  writer.set("tokenizer.ggml.pre", std::string("joyai-llm"));
                  writer.setArray("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b", "ab", "<s>"});
                  writer.setArray("tokenizer.ggml.merges", std::vector<std::string>{"a b"});
                  writer.setArray("tokenizer.ggml.token_type", std::vector<int32_t>{1, 1, 1, 3});
                  writer.set("flag", true);
                  writer.set("wide", 1.5);
                }},
           "tokenizer");
  putChecked("plan", "small", serializePlan(test::smallPlan()));
  putChecked("plan", "rich", serializePlan(richPlan()));
  const KernelKey key{
      .kernel = "ds4_copy_4", .architecture = "gfx1151", .compiler = "hipRTC 7.1", .source = "void f();", .options = {"-O3"}};
  putChecked("cache_entry", "small", encodeEntry({key.text(), std::vector<std::byte>(40)}));
  put("rtc_protocol", "request",
      hip::encode(hip::RtcRequest{
          .name = "k", .architecture = "gfx1151", .options = {"-O3"}, .headers = {{"h", "int a;"}}, .source = "s"}));
  put("rtc_protocol", "answer",
      hip::encode(hip::RtcAnswer{.log = "line 1", .identity = "hipRTC", .codeObject = std::vector<std::byte>(8)}));
  for (const BuiltInRecipe &recipe : builtInRecipes())
    put("recipe", recipe.name, std::as_bytes(std::span(recipe.text)));
  const std::string_view text = "abc  It's 1234 w\xc3\xb6rds <s>x<think>\n\n\xe4\xb8\xad\xe6\x96\x87 \xff\xf0\x9f\x98\x80";
  put("tokenizer", "text", std::as_bytes(std::span(text)));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  return runTool("fuzz_seeds", [&] {
    if (argc != 2)
      userError("usage: fuzz_seeds FOLDER");
    folder = argv[1];
    return writeSeeds();
  });
}
