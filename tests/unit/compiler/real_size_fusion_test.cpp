// Layers of the real model's size, but for the number of experts, with every pass and with none, on random state, around the edges
// of the variants' guards. Products are exact, so that what differs is the order of sums. DS4_LONG_TESTS=1 takes all points.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <gtest/gtest.h>
#include <mlir/IR/MLIRContext.h>

#include "compiler/Compile.h"
#include "models/DescriptionFile.h"
#include "models/synth/Synth.h"
#include "runtime/Executor.h"
#include "runtime/bench/GeneratedWeights.h"
#include "tests/unit/compiler/LayerSteps.h"
#include "tools/ds4-golden/Compare.h"

namespace ds4 {
namespace {

constexpr int64_t kContext = 32'768;

bool isLong() { return std::getenv("DS4_LONG_TESTS") != nullptr; }

// DeepSeek-V4-Flash of four layers and 16 experts: a file of holes.
std::string modelFile(int layer) {
  const std::string path = testing::TempDir() + "ds4-real-size-" + std::to_string(layer) + ".gguf";
  for (const DescriptionFile &file : builtInDescriptions()) {
    if (file.model.name != "ds4-flash-0731")
      continue;
    ModelDescription model = file.model;
    model.blocks = 4;
    model.ratios.resize(model.blocks);
    model.clamps.resize(model.blocks);
    model.sharedClamps.resize(model.blocks);
    model.experts = 16;
    model.vocabulary = 1024;
    synthesizeModel(model, Recipe::open("rocmfpx-mix"), path, {.sparse = true});
    return path;
  }
  ADD_FAILURE() << "no description of the real model";
  return path;
}

// A window of 128 positions in a ring of 136; rows of 4 and of 128 positions; 512 rows are picked, which 2,048 positions make.
std::vector<StepPoint> pointsAtEdges() {
  std::vector<StepPoint> points;
  for (int64_t edge : {0, 3, 127, 128, 136, 2044, 2047, 2048, 2052, 4095, 32'760})
    for (int64_t pos : {edge - 1, edge})
      for (int q : {1, 4, edge % 3 ? 2 : 8})
        if (pos >= 0 && pos + q <= kContext)
          points.push_back({pos, q});
  return points;
}

class Layer {
public:
  Layer(const Model &model, int index, bool fused) {
    CompileOptions options;
    options.graph.context = kContext;
    options.pipeline.exactProducts = true;
    if (!fused)
      for (llvm::StringRef pass : optionalPasses())
        options.pipeline.disabledPasses.push_back(pass.str());
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    const ModelTable table(model);
    Plan plan = compileStep(*buildLayerGraph(context, table, index, options.graph), table, options);
    launches_ = plan.launches.size();
    GeneratedWeights weights(plan, 1);
    executor_ = std::make_unique<Executor>(hip::openProvider("sim"), std::move(plan), weights);
    fillStates(*executor_);
  }
  size_t launches() const { return launches_; }

  void step(const StepPoint &point) { stepAt(*executor_, point); }
  std::vector<float> output(const char *name) { return executor_->output(name); }

private:
  std::unique_ptr<Executor> executor_;
  size_t launches_ = 0;
};

class RealSizeFusion : public testing::TestWithParam<int> {};

} // namespace

TEST_P(RealSizeFusion, EqualsSeparateLaunches) {
  const std::string path = modelFile(GetParam());
  const Model model = Model::open(path);
  Layer fused(model, GetParam(), true), separate(model, GetParam(), false);
  EXPECT_LE(fused.launches(), 20u); // exact products share fewer launches than those in half precision
  EXPECT_GT(separate.launches(), 30u);
  const std::vector<StepPoint> points = pointsAtEdges();
  ASSERT_GE(points.size(), 40u);
  double worst = 0;
  for (size_t i = 0; i < points.size(); i += isLong() ? 1 : 24) {
    const StepPoint &point = points[i];
    SCOPED_TRACE("position " + std::to_string(point.pos) + ", " + std::to_string(point.q) + " tokens");
    fused.step(point);
    separate.step(point);
    const double streams = golden::relativeRms(fused.output("streams_out"), separate.output("streams_out"));
    const double attention = golden::relativeRms(fused.output("attn.out"), separate.output("attn.out"));
    EXPECT_LE(streams, 1e-5);
    EXPECT_LE(attention, 1e-5);
    worst = std::max({worst, streams, attention});
  }
  std::printf("layer %d: %zu launches for %zu, worst relative difference %.1e\n", GetParam(), fused.launches(), separate.launches(),
              worst);
  std::filesystem::remove(path);
}

// Window alone; ratio 4 with an indexer; ratio 128.
INSTANTIATE_TEST_SUITE_P(Layers, RealSizeFusion, testing::Values(0, 2, 3),
                         [](const auto &info) { return "Layer" + std::to_string(info.param); });

} // namespace ds4
