// The reference interpreter against whole-model and single-layer results computed by others: the meaning of every op and
// of the graph that is built of them.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <mlir/IR/MLIRContext.h>

#include "ir/reference/ModelWeights.h"
#include "models/graph/GraphBuilder.h"
#include "tools/ds4-golden/InterpreterRunner.h"
#include "tools/ds4-golden/LayerCheck.h"
#include "tools/ds4-golden/ModelCheck.h"

using namespace ds4;

namespace {

// The original of the bundled model, which is not in the repository.
const std::string kModel = DS4C_SHARED_DIR "/models/ds4-tiny-f16.gguf";
const std::string kModelGoldens = DS4C_SHARED_DIR "/goldens/tiny_goldens.json";
const std::string kBundledModel = DS4C_SOURCE_DIR "/models/tiny/ds4-tiny-mixed.gguf";
const std::string kBundledGoldens = DS4C_SOURCE_DIR "/tests/goldens/bundled/bundled_goldens.json";
const std::string kLayerGoldens = DS4C_SOURCE_DIR "/tests/goldens/layer/layer_goldens.json";

void expectPassed(const golden::Report &report) {
  EXPECT_GT(report.rows().size(), 0u);
  for (const golden::Report::Row &row : report.rows())
    EXPECT_TRUE(row.holds()) << row.subject << ": " << row.quantity << " is " << row.value << ", the limit " << row.limit;
}

// Runs one case with states of the given element.
golden::Report runCase(const std::string &name, RowElement rows, int width, const std::string &file = kModel,
                       const std::string &goldens = kModelGoldens) {
  mlir::MLIRContext context;
  Model model = Model::open(file);
  auto module = buildStepGraph(context, ModelTable(model), {.rows = rows, .context = 512, .maxWidth = width, .taps = true});
  reference::ModelWeights weights(model);
  golden::InterpreterRunner runner(*module, width, [&](llvm::StringRef weight, QuantizedType) { return weights(weight.str()); });
  std::vector<golden::ModelCase> cases = golden::readModelGoldens(goldens);
  std::erase_if(cases, [&](const golden::ModelCase &entry) { return entry.name != name; });
  golden::Report report;
  golden::checkModel(runner, model.description(), cases, {.width = width, .exact = rows == RowElement::F32}, report);
  return report;
}

class ReferenceModel : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(kModelGoldens))
      GTEST_SKIP() << "no expected values at " << kModelGoldens;
  }
};

class BundledModel : public testing::TestWithParam<const char *> {};
class ReferenceLayer : public testing::TestWithParam<const char *> {};

} // namespace

TEST_P(ReferenceModel, AgreesWithSinglePrecisionRows) { expectPassed(runCase(GetParam(), RowElement::F32, 8)); }

// Lengths around the ratios 4 and 128 and the selection of 64 rows.
INSTANTIATE_TEST_SUITE_P(Cases, ReferenceModel, testing::Values("text_1", "text_4", "text_5", "text_129", "text_300", "genesis"),
                         [](const auto &info) { return std::string(info.param); });

TEST_F(ReferenceModel, AgreesTokenByToken) { expectPassed(runCase("text_63", RowElement::F32, 1)); }
TEST_F(ReferenceModel, AgreesInDistributionWithHalfPrecisionRows) { expectPassed(runCase("recall_4", RowElement::F16, 8)); }

TEST_P(BundledModel, AgreesWithSinglePrecisionRows) {
  expectPassed(runCase(GetParam(), RowElement::F32, 8, kBundledModel, kBundledGoldens));
}
INSTANTIATE_TEST_SUITE_P(Cases, BundledModel,
                         testing::Values("text_1", "text_5", "text_63", "text_128", "text_129", "text_300", "recall_0"),
                         [](const auto &info) { return std::string(info.param); });

TEST_P(ReferenceLayer, Agrees) {
  golden::LayerGoldens goldens(kLayerGoldens);
  auto step = std::ranges::find(goldens.steps(), GetParam(), &golden::LayerStep::tag);
  ASSERT_NE(step, goldens.steps().end());
  mlir::MLIRContext context;
  ModelTable table(goldens.description(step->kind), goldens.weights(step->kind), "layer");
  auto module = buildLayerGraph(context, table, 0, {.rows = RowElement::F32, .context = 4096});
  std::map<std::string, std::vector<float>> weights;
  golden::InterpreterRunner runner(*module, 8, [&](llvm::StringRef name, QuantizedType) {
    return std::span<const float>(weights[name.str()] = goldens.weightValues(step->kind, name.str()));
  });
  golden::Report report;
  golden::checkLayerStep(runner, goldens, *step, report);
  expectPassed(report);
}

INSTANTIATE_TEST_SUITE_P(Steps, ReferenceLayer, testing::Values("w.t301.n4", "c4.t2622.n4", "c128.t2558.n4"), [](const auto &info) {
  std::string name = info.param;
  std::ranges::replace(name, '.', '_');
  return name;
});
