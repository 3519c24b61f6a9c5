#include "models/graph/GraphBuilder.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/Ds4Dialect.h"
#include "ir/Ds4Ops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "support/Error.h"

using namespace ds4;
using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;

namespace {

struct Graph {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp step() { return module->lookupSymbol<mlir::func::FuncOp>("step"); }

  std::map<std::string, int> opCounts() {
    std::map<std::string, int> counts;
    step().walk([&](mlir::Operation *op) { ++counts[op->getName().getStringRef().str()]; });
    return counts;
  }
  std::set<std::string> resultNames() {
    std::set<std::string> names;
    for (unsigned i = 0; i < step().getNumResults(); ++i)
      names.insert(step().getResultAttrOfType<mlir::StringAttr>(i, "ds4.name").str());
    return names;
  }
};

const ModelTable &tiny() {
  static const ModelTable table(Model::open(DS4C_SOURCE_DIR "/models/tiny/ds4-tiny-mixed.gguf"));
  return table;
}

} // namespace

TEST(GraphBuilder, WritesTheWholeStepOfTheTinyModel) {
  Graph graph;
  graph.module = buildStepGraph(graph.context, tiny(), {});
  ASSERT_TRUE(succeeded(mlir::verify(*graph.module)));
  auto counts = graph.opCounts();
  EXPECT_EQ(counts["ds4.sinkhorn"], 16);     // two sub-layers in each of 8 layers
  EXPECT_EQ(counts["ds4.compress"], 9);      // 6 compressors, 3 of them with an indexer's
  EXPECT_EQ(counts["ds4.select_top_k"], 3);  // ratio-4 layers
  EXPECT_EQ(counts["ds4.hash_router"], 3);   // layers 0 to 2
  EXPECT_EQ(counts["ds4.router"], 5);
  EXPECT_EQ(counts["ds4.attend"], 8);
  EXPECT_THAT(graph.resultNames(), IsSupersetOf({"logits", "next", "sampled", "blk.0.window", "blk.2.indexer", "blk.3.compressed"}));
  EXPECT_THAT(graph.resultNames(), Not(Contains("blk.0.compressed"))); // window-only layer
}

TEST(GraphBuilder, ReturnsTapsOnRequest) {
  Graph graph;
  GraphOptions options;
  options.taps = true;
  graph.module = buildStepGraph(graph.context, tiny(), options);
  EXPECT_THAT(graph.resultNames(), IsSupersetOf({"blk.0.streams", "blk.7.streams", "blk.2.indexer.picks", "blk.5.router.weights"}));
}

TEST(GraphBuilder, StateHasRoomForTheContext) {
  Graph graph;
  GraphOptions options;
  options.context = 1000;
  options.rows = RowElement::F32;
  graph.module = buildStepGraph(graph.context, tiny(), options);
  for (auto argument : graph.step().getArguments()) {
    auto state = mlir::dyn_cast<StateType>(argument.getType());
    if (!state)
      continue;
    EXPECT_TRUE(state.getElement().isF32());
    if (state.getKind() == StateKind::Indexer) {
      EXPECT_EQ(state.getRows(), 250);
    }
    if (state.getKind() == StateKind::Window) {
      EXPECT_EQ(state.getRows(), 136);
    }
  }
}

TEST(GraphBuilder, WritesOneLayerAlone) {
  Graph graph;
  graph.module = buildLayerGraph(graph.context, tiny(), 2, {});
  ASSERT_TRUE(succeeded(mlir::verify(*graph.module)));
  EXPECT_THAT(graph.resultNames(), IsSupersetOf({"streams_out", "attn_hc.post", "attn_hc.comb", "attn_hc.collapsed", "ffn_hc.post",
                                                 "attn.out", "mlp.out", "router.ids", "window_row_new", "indexer.scores", "indexer.picks"}));
}

TEST(GraphBuilder, RefusesOptionsThatMakeNoSense) {
  mlir::MLIRContext context;
  GraphOptions wide;
  wide.maxWidth = 9;
  EXPECT_THROW(buildStepGraph(context, tiny(), wide), Error);
  GraphOptions empty;
  empty.context = 0;
  EXPECT_THROW(buildStepGraph(context, tiny(), empty), Error);
}
