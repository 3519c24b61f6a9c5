// The reference interpreter against a drafter's results computed by others: the meaning of the drafter's ops, of what the target's
// step keeps for it and of the draft function.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <mlir/IR/MLIRContext.h>

#include "ir/reference/ModelWeights.h"
#include "models/graph/GraphBuilder.h"
#include "tools/ds4-golden/DraftCheck.h"
#include "tools/ds4-golden/InterpreterRunner.h"

using namespace ds4;

namespace {

const std::string kModels = DS4C_SHARED_DIR "/models/";
const std::string kGoldens = DS4C_SHARED_DIR "/goldens/dspark_goldens.json";

class ReferenceDrafter : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(kGoldens))
      GTEST_SKIP() << "no expected values at " << kGoldens;
  }
};

} // namespace

TEST_P(ReferenceDrafter, Agrees) {
  std::vector<golden::DraftCase> cases = golden::readDraftGoldens(kGoldens);
  std::erase_if(cases, [&](const golden::DraftCase &entry) { return entry.name != GetParam(); });
  ASSERT_EQ(cases.size(), 1u);

  mlir::MLIRContext context;
  const Model model = Model::open(kModels + "ds4-tiny-f16.gguf");
  const DrafterModel drafter = DrafterModel::open(kModels + "ds4-tiny-dspark-f16.gguf", model);
  EXPECT_TRUE(drafter.warnings().empty());
  const ModelTable table(model, drafter);
  const GraphOptions options{.rows = RowElement::F32, .context = 512, .taps = true};
  auto step = buildStepGraph(context, table, options), draft = buildDraftGraph(context, table, options);
  reference::ModelWeights weights(model, &drafter);
  const auto source = [&](llvm::StringRef name, QuantizedType) { return weights(name.str()); };
  golden::InterpreterRunner target(*step, 8, source), drafting(*draft, 5, source);

  golden::Report report;
  golden::checkDrafter(target, drafting, drafter.description(), cases, {}, report);
  EXPECT_GT(report.rows().size(), 60u);
  for (const golden::Report::Row &row : report.rows())
    EXPECT_TRUE(row.holds()) << row.subject << ": " << row.quantity << " is " << row.value << ", the limit " << row.limit;
}

// Lengths below, at and above the ring's 128 rows.
INSTANTIATE_TEST_SUITE_P(Cases, ReferenceDrafter, testing::Values("text_5", "recall_a", "text_128", "text_129"),
                         [](const auto &info) { return std::string(info.param); });
