// A plan with a right checksum and wrong content is refused in one line: a step trusts what was loaded.
#include "runtime/plan/PlanFile.h"

#include <functional>

#include <flatbuffers/flatbuffers.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/Error.h"
#include "support/Sha256.h"
#include "tests/unit/Failure.h"
#include "tests/unit/runtime/SmallPlan.h"

using namespace ds4;
using test::smallPlan;
using testing::HasSubstr;
using testing::Not;

namespace {

// One kernel for a step of one token, and for more the same in one workgroup, with the arena's first bytes as scratch.
void splitAtTwoTokens(Plan &plan) {
  PlanLaunch &launch = plan.launches[0];
  launch.arguments.push_back({PlanArgument::Kind::Arena, 0});
  launch.variants = {{.kernel = 0,
                      .grid = launch.variants[0].grid,
                      .guard = {{{.value = StepExpr::q(), .most = 1}}},
                      .name = "single",
                      .reason = "one token"},
                     {.kernel = 0,
                      .grid = {StepExpr(1), StepExpr(1), StepExpr(1)},
                      .guard = {{{.value = StepExpr::q(), .least = 2}}},
                      .name = "several",
                      .scratch = true}};
}

// The plan with a prefill function, which has a ring of its own; `apply` changes the function.
void addPrefill(Plan &plan, const std::function<void(Plan &)> &apply = {}) {
  Plan prefill = smallPlan();
  prefill.headers.clear();
  prefill.outputs.clear();
  prefill.maxWidth = 16;
  prefill.inputs = {{"ids", "i32", {PlanValue::kTokens}, 0, 1, 64}};
  prefill.states.push_back({"prefill.window", "window", 144, 4, "f16"});
  if (apply)
    apply(prefill);
  plan.prefill = std::make_shared<const Plan>(std::move(prefill));
}

// The plan with a drafter, whose function works on the plan's state; `apply` changes the function.
void addDraft(Plan &plan, const std::function<void(Plan &)> &apply = {}) {
  Plan draft = smallPlan();
  draft.headers.clear();
  draft.outputs = {{"drafts", "i32", {PlanValue::kTokens}, 0, 1, 8}, {"confidence", "f32", {PlanValue::kTokens, 1}, 32, 1, 8}};
  draft.weights.push_back({"dspark.w", "f16", {4, 2}, 1, 64, 16});
  if (apply)
    apply(draft);
  plan.draft = std::make_shared<const Plan>(std::move(draft));
  plan.drafterKind = "dspark";
  plan.drafterFingerprint = "d";
  plan.noiseToken = 2;
}

// The plan with a next-token block, whose function has a ring of its own; `apply` changes the plan before the function is made.
void addMtp(Plan &plan, const std::function<void(Plan &)> &apply = {}) {
  const PlanState streams{"mtp.streams", "window", 16, 4, "f32"};
  plan.states.push_back(streams);
  Plan draft = smallPlan();
  draft.headers.clear();
  draft.outputs = {{"drafts", "i32", {PlanValue::kTokens}, 0, 1, 8}, {"streams", "f32", {PlanValue::kTokens, 4}, 32, 4, 32}};
  draft.states.push_back(streams);
  draft.states.push_back({"mtp.blk.0.window", "window", 16, 4, "f16"});
  if (apply)
    apply(draft);
  plan.draft = std::make_shared<const Plan>(std::move(draft));
  plan.drafterKind = "mtp";
}

struct Damage {
  const char *name;
  std::function<void(Plan &)> apply;
  const char *message; // a part of it
};

std::string refusal(const Plan &plan) {
  try {
    parsePlan(serializePlan(plan), "p");
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ExitCode::User);
    return error.what();
  }
  return "";
}

const std::vector<Damage> kDamages{
    {"OpThatReadsALaterOne", [](Plan &p) { p.ops = {{"a", "linear", {}}, {"b", "add", {0, 1}}}; }, "operand of b"},
    {"DraftOfAnotherContext", [](Plan &p) { addDraft(p, [](Plan &d) { d.context = 15; }); }, "drafter"},
    {"DraftOfADraft", [](Plan &p) { addDraft(p, [](Plan &d) { addDraft(d); }); }, "drafter"},
    {"DraftWithAStateOfItsOwn", [](Plan &p) { addDraft(p, [](Plan &d) { d.states[0].name = "x"; }); }, "drafter's state of x"},
    {"DraftWithALargerState", [](Plan &p) { addDraft(p, [](Plan &d) { d.states[0].rows = 17; }); },
     "drafter's state of blk.0.window"},
    {"DraftWithALargerWeight", [](Plan &p) { addDraft(p, [](Plan &d) { d.weights[0].bytes = 32; }); }, "drafter's weight of w"},
    {"DraftWithoutConfidence", [](Plan &p) { addDraft(p, [](Plan &d) { d.outputs.pop_back(); }); }, "confidence"},
    {"DraftWithADamagedLaunch", [](Plan &p) { addDraft(p, [](Plan &d) { d.launches[0].arguments[0].value = 1; }); },
     "argument of launch of head.logits"},
    {"PrefillOfAnotherContext", [](Plan &p) { addPrefill(p, [](Plan &f) { f.context = 15; }); }, "prefill"},
    {"PrefillOfAPrefill", [](Plan &p) { addPrefill(p, [](Plan &f) { addPrefill(f); }); }, "prefill"},
    {"PrefillWithALargerState", [](Plan &p) { addPrefill(p, [](Plan &f) { f.states[0].rows = 17; }); },
     "prefill's state of blk.0.window"},
    {"PrefillWithAWeightOfItsOwn", [](Plan &p) { addPrefill(p, [](Plan &f) { f.weights[0].name = "x"; }); },
     "prefill's weight of x"},
    {"PrefillWithoutIds", [](Plan &p) { addPrefill(p, [](Plan &f) { f.inputs.clear(); }); }, "ids"},
    {"PrefillOfTooManyTokens", [](Plan &p) { addPrefill(p, [](Plan &f) { f.maxWidth = 4097; }); }, "width"},
    {"NoiseTokenBeyondTheVocabulary", [](Plan &p) { addDraft(p), p.noiseToken = 3; }, "noise token"},
    {"DrafterOfNoKnownKind", [](Plan &p) { addDraft(p), p.drafterKind = "eagle"; }, "kind of drafter"},
    {"DsparkWithAStateOfItsOwn", [](Plan &p) { addMtp(p), p.drafterKind = "dspark"; }, "drafter's state of mtp.blk.0.window"},
    {"MtpWithoutStreams", [](Plan &p) { addMtp(p, [](Plan &f) { f.states.pop_back(), f.states.pop_back(); }); },
     "drafter's state of mtp.streams"},
    {"MtpWhoseStreamsTheStepLacks", [](Plan &p) { addMtp(p), p.states.pop_back(); }, "drafter's state of mtp.streams"},
    {"MtpWithNarrowStreams",
     [](Plan &p) { addMtp(p, [](Plan &f) { f.outputs[1] = {"streams", "f32", {PlanValue::kTokens, 3}, 32, 3, 24}; }); },
     "(streams)"},
    {"WidthOfZero", [](Plan &p) { p.maxWidth = 0; }, "width"},
    {"WidthBeyondTheStepBlock", [](Plan &p) { p.maxWidth = 9; }, "width"},
    {"ContextOfZero", [](Plan &p) { p.context = 0; }, "context"},
    {"HugeContext", [](Plan &p) { p.context = INT64_MAX; }, "context"},
    {"NegativeVocabulary", [](Plan &p) { p.vocabulary = -1; }, "vocabulary"},
    {"HugeArena", [](Plan &p) { p.arenaBytes = uint64_t(1) << 60; }, "arena"},
    {"HugeWeight", [](Plan &p) { p.weights[0].bytes = uint64_t(1) << 63; }, "size of weight of w"},
    {"EmptyWeight", [](Plan &p) { p.weights[0].bytes = 0; }, "size of weight of w"},
    {"WeightsWhoseSumOverflows", [](Plan &p) { p.weights.assign(1 << 12, {"w", "f16", {1}, 0, 0, uint64_t(1) << 40}); },
     "sum of sizes"},
    {"NegativeState", [](Plan &p) { p.states[0].rows = -1; }, "size of state"},
    {"StateWhoseSizeOverflows", [](Plan &p) { p.states[0].rows = p.states[0].cols = int64_t(1) << 33; }, "size of state"},
    {"StateOfUnknownFormat", [](Plan &p) { p.states[0].format = "q8_0"; }, "format of state"},
    {"CompilerPlugin", [](Plan &p) { p.options.push_back("-fplugin=evil.so"); }, "compiler option of -fplugin=evil.so"},
    {"HeaderOutsideItsFolder", [](Plan &p) { p.headers[0].name = "a/../../x"; }, "name of header"},
    {"HeaderWithAbsolutePath", [](Plan &p) { p.headers[0].name = "/x"; }, "name of header"},
    {"KernelNamedAsAPath", [](Plan &p) { p.kernels[0].symbol = "../x"; }, "name of kernel"},
    {"KernelWithoutName", [](Plan &p) { p.kernels[0].symbol = ""; }, "name of kernel"},
    {"EmptyWorkgroup", [](Plan &p) { p.kernels[0].block = 0; }, "workgroup of kernel"},
    {"HugeWorkgroup", [](Plan &p) { p.kernels[0].block = 2048; }, "workgroup of kernel"},
    {"CodeObjectOfOneByte", [](Plan &p) { p.kernels[0].codeObject = {std::byte{1}}; }, "code object of kernel"},
    {"LaunchOfNoKernel", [](Plan &p) { p.launches[0].variants[0].kernel = 1; }, "kernel of launch of head.logits"},
    {"StepArgumentBeyondTheBlock", [](Plan &p) { p.launches[0].arguments[0].value = 1; }, "argument of launch"},
    {"ArgumentOfNoWeight", [](Plan &p) { p.launches[0].arguments[1].value = 1; }, "argument of launch"},
    {"ArgumentOfNoState", [](Plan &p) { p.launches[0].arguments[2].value = UINT64_MAX; }, "argument of launch"},
    {"ArgumentBeyondTheArena", [](Plan &p) { p.launches[0].arguments[3].value = 64; }, "argument of launch"},
    {"ArgumentOfUnknownKind", [](Plan &p) { p.launches[0].arguments[0].kind = static_cast<PlanArgument::Kind>(200); },
     "argument of launch"},
    {"LaunchWithoutVariants", [](Plan &p) { p.launches[0].variants.clear(); }, "variants of launch of head.logits"},
    {"SecondVariantOfNoKernel",
     [](Plan &p) {
       splitAtTwoTokens(p);
       p.launches[0].variants[1].kernel = 1;
     },
     "kernel of launch of head.logits"},
    {"StepOfNoVariant",
     [](Plan &p) {
       splitAtTwoTokens(p);
       p.launches[0].variants[1].guard.ranges[0].least = 3;
     },
     "no variant for 2 tokens at position 0"},
    {"StepOfTwoVariants",
     [](Plan &p) {
       splitAtTwoTokens(p);
       p.launches[0].variants[1].guard.ranges.clear();
     },
     "guards of launch of head.logits"},
    {"GuardThatDividesByZero",
     [](Plan &p) { p.launches[0].variants[0].guard.ranges = {{.value = StepExpr(1).floorDiv(StepExpr::pos())}}; }, "divides by 0"},
    {"ScratchWithoutArguments",
     [](Plan &p) {
       p.launches[0].arguments.clear();
       p.launches[0].variants[0].scratch = true;
     },
     "scratch of launch of head.logits"},
    {"NegativeGrid", [](Plan &p) { p.launches[0].variants[0].grid[0] = StepExpr(-1); }, "-1 workgroups along axis 0"},
    {"HugeGrid", [](Plan &p) { p.launches[0].variants[0].grid[1] = StepExpr(65536); }, "65536 workgroups along axis 1"},
    {"GridThatDividesByZero", [](Plan &p) { p.launches[0].variants[0].grid[2] = StepExpr(1).floorDiv(StepExpr::pos()); },
     "divides by 0"},
    {"GridThatOverflows", [](Plan &p) { p.launches[0].variants[0].grid[0] = StepExpr(INT64_MAX) * StepExpr(2); }, "64 bits"},
    {"ValueBeyondTheArena", [](Plan &p) { p.outputs[0].offset = 48; }, "place of value of logits"},
    {"ValueWhoseEndOverflows", [](Plan &p) { p.outputs[0].bytes = UINT64_MAX; }, "place of value of logits"},
    {"ValueOfUnknownElement", [](Plan &p) { p.outputs[0].element = "f64"; }, "element of value of logits"},
    {"ValueWithoutStride", [](Plan &p) { p.outputs[1].tokenStride = 0; }, "token stride of value of next"},
    {"StrideBeyondTheValue", [](Plan &p) { p.outputs[1].tokenStride = 2; }, "token stride of value of next"},
    {"LogitsOfAnotherVocabulary", [](Plan &p) { p.vocabulary = 4; }, "logits"},
};

class DamagedPlan : public testing::TestWithParam<Damage> {};

} // namespace

TEST_P(DamagedPlan, IsRefusedInOneLine) {
  Plan plan = smallPlan();
  GetParam().apply(plan);
  EXPECT_THAT(refusal(plan), HasSubstr(GetParam().message));
  EXPECT_THAT(refusal(plan), Not(HasSubstr("\n")));
}
INSTANTIATE_TEST_SUITE_P(PlanFile, DamagedPlan, testing::ValuesIn(kDamages),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(PlanFile, ReadsWhatItWrote) {
  const Plan plan = parsePlan(serializePlan(smallPlan()), "p");
  EXPECT_EQ(plan.vocabulary, 3);
  EXPECT_EQ(plan.weights[0].shape, (std::vector<int64_t>{4, 2}));
  EXPECT_EQ(plan.launches[0].arguments[3].value, 32u);
  EXPECT_EQ(plan.launches[0].at(5, 2).grid[0], 2u);
  EXPECT_EQ(plan.outputs[0].tokenStride, 3u);
  EXPECT_EQ(plan.sizes.expertsUsed, 6u);
  EXPECT_EQ(plan.sizes.indexerTopK, 512u);
  EXPECT_EQ(plan.sizes.ratios, (std::vector<uint32_t>{0, 4, 128}));
}

TEST(PlanFile, KeepsVariantsAndWhichIsTaken) {
  Plan written = smallPlan();
  splitAtTwoTokens(written);
  const Plan plan = parsePlan(serializePlan(written), "p");
  const PlanLaunch &launch = plan.launches[0];
  ASSERT_EQ(launch.variants.size(), 2u);
  EXPECT_EQ(launch.variants[0].guard.toString(), "q <= 1");
  EXPECT_EQ(launch.variants[0].name, "single");
  EXPECT_EQ(launch.variants[0].reason, "one token");
  const PlanChoice one = launch.at(5, 1), two = launch.at(5, 2);
  EXPECT_EQ(one.variant, 0u);
  EXPECT_EQ(one.arguments, 4u); // its kernel takes no scratch
  EXPECT_EQ(two.variant, 1u);
  EXPECT_EQ(two.arguments, 5u);
  EXPECT_EQ(two.grid[0], 1u);
}

TEST(PlanFile, KeepsTheDrafter) {
  Plan plan = smallPlan();
  addDraft(plan);
  const Plan read = parsePlan(serializePlan(plan), "p");
  ASSERT_TRUE(read.draft);
  EXPECT_EQ(read.drafterKind, "dspark");
  EXPECT_EQ(read.noiseToken, 2);
  EXPECT_EQ(read.drafterFingerprint, "d");
  EXPECT_EQ(read.draft->outputs.size(), 2u);
  ASSERT_EQ(read.drafterWeights().size(), 1u); // the other is the plan's
  EXPECT_EQ(read.drafterWeights()[0].name, "dspark.w");
}

TEST(PlanFile, KeepsTheNextTokenBlock) {
  Plan plan = smallPlan();
  addMtp(plan);
  const Plan read = parsePlan(serializePlan(plan), "p");
  EXPECT_EQ(read.drafterKind, "mtp");
  ASSERT_EQ(read.ownStates(*read.draft).size(), 1u); // the other is the plan's
  EXPECT_EQ(read.ownStates(*read.draft)[0].name, "mtp.blk.0.window");
  EXPECT_EQ(read.draftBytes(), read.draft->arenaBytes + 16 * 4 * 2);
}

TEST(PlanFile, KeepsThePrefillFunction) {
  Plan plan = smallPlan();
  addPrefill(plan);
  const Plan read = parsePlan(serializePlan(plan), "p");
  ASSERT_TRUE(read.prefill);
  EXPECT_EQ(read.prefill->maxWidth, 16u);
  EXPECT_TRUE(read.prefill->findInput(kIdsInput));
  ASSERT_EQ(read.ownStates(*read.prefill).size(), 1u); // the other is the plan's
  EXPECT_EQ(read.ownStates(*read.prefill)[0].name, "prefill.window");
}

TEST(PlanFile, AnyFlippedByteIsNoticed) {
  std::vector<std::byte> bytes = serializePlan(smallPlan());
  for (std::byte &byte : bytes) {
    byte ^= std::byte{0x10};
    EXPECT_THROW(parsePlan(bytes, "p"), Error);
    byte ^= std::byte{0x10};
  }
}

TEST(PlanFile, AnyTruncationIsNoticed) {
  const std::vector<std::byte> bytes = serializePlan(smallPlan());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(parsePlan(std::span(bytes).first(size), "p"), Error);
}

// A plan of another version, of whose tables nothing else is known here.
std::vector<std::byte> planOfVersion(uint32_t version) {
  flatbuffers::FlatBufferBuilder builder;
  const auto table = builder.StartTable();
  builder.AddElement<uint32_t>(4, version, 0); // the first field
  builder.Finish(flatbuffers::Offset<flatbuffers::Table>(builder.EndTable(table)), "DS4P");
  std::string file(reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize());
  file += sha256Hex(file);
  const auto *first = reinterpret_cast<const std::byte *>(file.data());
  return {first, first + file.size()};
}

TEST(PlanFile, AnotherVersionIsNotCalledDamaged) {
  const auto refusalOf = [](uint32_t version) {
    const auto [code, message] = test::failure([&] { parsePlan(planOfVersion(version), "p"); });
    EXPECT_EQ(code, ExitCode::User);
    EXPECT_THAT(message, Not(HasSubstr("\n")));
    return message;
  };
  EXPECT_THAT(refusalOf(kPlanVersion + 1), HasSubstr(fmt::format("'p' is of a newer format version, {}", kPlanVersion + 1)));
  EXPECT_THAT(refusalOf(kPlanVersion - 1), HasSubstr(fmt::format("'p' is of an older format version, {}", kPlanVersion - 1)));
  EXPECT_THAT(refusalOf(kPlanVersion), HasSubstr("damaged"));
}
