// Layers of the bundled model with attention fused and not, on random state, around every edge of the variants' guards.
#include <array>
#include <memory>
#include <set>

#include <gtest/gtest.h>
#include <mlir/IR/MLIRContext.h>

#include "compiler/Compile.h"
#include "runtime/Executor.h"
#include "tests/unit/compiler/LayerSteps.h"
#include "tools/ds4-golden/Compare.h"

namespace ds4 {
namespace {

constexpr int64_t kContext = 1024;

// A layer alone, whose products are exact: what differs is attention.
class Layer {
public:
  explicit Layer(int index) : file_(gguf::Reader::open(DS4C_TINY_MODEL)), weights_(file_), index_(index) {
    options_.graph.context = kContext;
    options_.pipeline.exactProducts = true;
  }

  Plan plan(bool fused) {
    CompileOptions options = options_;
    if (!fused)
      options.pipeline.disabledPasses = {"ds4-fuse-masked-attention"};
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    const ModelTable table(Model::open(DS4C_TINY_MODEL));
    return compileStep(*buildLayerGraph(context, table, index_, options.graph), table, options);
  }

  std::unique_ptr<Executor> load(Plan plan) {
    auto executor = std::make_unique<Executor>(hip::openProvider("sim"), std::move(plan), weights_);
    fillStates(*executor);
    return executor;
  }

private:
  gguf::Reader file_;
  FileWeights weights_;
  int index_;
  CompileOptions options_;
};

// The bundled model's window has 128 positions, its ring 136; 64 rows are picked, which 256 positions make.
std::vector<StepPoint> pointsAtEdges() {
  std::vector<StepPoint> points;
  for (int64_t edge : {0, 3, 127, 128, 136, 255, 259, 512, 1015})
    for (int64_t pos : {edge - 5, edge - 1, edge, edge + 1})
      for (int q : {1, 3, 8})
        if (pos >= 0 && pos + q <= kContext)
          points.push_back({pos, q});
  return points;
}

std::vector<float> attentionAt(Executor &executor, const StepPoint &point) {
  stepAt(executor, point);
  return executor.output("attn.out");
}

// Steps change the state: both executors make the same ones.
void compare(Executor &one, Executor &other, auto check) {
  for (const StepPoint &point : pointsAtEdges()) {
    SCOPED_TRACE("position " + std::to_string(point.pos) + ", " + std::to_string(point.q) + " tokens");
    check(attentionAt(one, point), attentionAt(other, point));
  }
}

const PlanLaunch *attentionOf(const Plan &plan) {
  for (const PlanLaunch &launch : plan.launches)
    if (plan.kernels[launch.variants.front().kernel].op == "masked_attention")
      return &launch;
  return nullptr;
}

class MaskedAttentionFusion : public testing::TestWithParam<int> {};
class MaskedAttentionVariants : public testing::TestWithParam<int> {};

std::string layerName(const testing::TestParamInfo<int> &info) { return "Layer" + std::to_string(info.param); }

} // namespace

TEST_P(MaskedAttentionFusion, EqualsSeparateLaunches) {
  Layer layer(GetParam());
  Plan plan = layer.plan(true);
  ASSERT_TRUE(attentionOf(plan));
  const std::unique_ptr<Executor> fused = layer.load(std::move(plan)), separate = layer.load(layer.plan(false));
  ASSERT_GE(pointsAtEdges().size(), 40u);
  ASSERT_EQ(separate->plan().launches.size(), fused->plan().launches.size() + 1);
  compare(*fused, *separate,
          [](const std::vector<float> &a, const std::vector<float> &b) { EXPECT_LE(golden::relativeRms(a, b), 1e-5); });
}

// One variant is legal everywhere: where another one is taken, it gives the same bits. The points take each variant.
TEST_P(MaskedAttentionVariants, GiveTheSameBits) {
  Layer layer(GetParam());
  Plan plan = layer.plan(true), single = plan;
  for (PlanLaunch &launch : single.launches)
    if (launch.label == attentionOf(plan)->label) {
      launch.variants = {launch.variants.back()};
      launch.variants[0].guard = {};
    }
  std::set<size_t> taken;
  for (const StepPoint &point : pointsAtEdges())
    taken.insert(attentionOf(plan)->at(point.pos, point.q).variant);
  EXPECT_EQ(taken.size(), attentionOf(plan)->variants.size());
  const std::unique_ptr<Executor> all = layer.load(std::move(plan)), one = layer.load(std::move(single));
  compare(*all, *one, [](const std::vector<float> &a, const std::vector<float> &b) { EXPECT_EQ(a, b); });
}

// Window alone; ratio 4 with an indexer; ratio 128, which has one variant.
INSTANTIATE_TEST_SUITE_P(Layers, MaskedAttentionFusion, testing::Values(0, 2, 3), layerName);
INSTANTIATE_TEST_SUITE_P(Layers, MaskedAttentionVariants, testing::Values(0, 2), layerName);

} // namespace ds4
