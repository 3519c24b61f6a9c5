// What C++ code that builds a step relies on: result types from operands, grids as step expressions and back.
#include <gtest/gtest.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/Verifier.h>

#include "ir/Ds4Ops.h"
#include "ir/StepExprAffine.h"

namespace {

using namespace ds4;

class Builders : public testing::Test {
protected:
  Builders() : builder(&context) {
    context.loadDialect<Ds4Dialect>();
    module = mlir::ModuleOp::create(builder.getUnknownLoc());
    function = mlir::func::FuncOp::create(location, "step", builder.getFunctionType({}, {}));
    module->push_back(function);
    builder.setInsertionPointToStart(function.addEntryBlock());
  }

  mlir::Value argument(mlir::Type type) { return function.getBody().front().addArgument(type, location); }
  mlir::Type tensor(llvm::ArrayRef<int64_t> shape) { return mlir::RankedTensorType::get(shape, builder.getF32Type()); }
  mlir::Value weight(llvm::ArrayRef<int64_t> shape, WeightFormat format) {
    return WeightOp::create(builder, location, QuantizedType::get(&context, shape, format), "w");
  }

  static constexpr int64_t T = mlir::ShapedType::kDynamic;
  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  mlir::Location location = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
};

TEST_F(Builders, InferResultsFromOperandsAndAttributes) {
  mlir::Value x = argument(tensor({T, 512}));
  EXPECT_EQ(LinearOp::create(builder, location, x, weight({96, 512}, WeightFormat::Q8_0)).getType(), tensor({T, 96}));
  EXPECT_EQ(GroupedLinearOp::create(builder, location, x, weight({64, 128}, WeightFormat::F16), 4).getType(), tensor({T, 64}));
  auto mix = SinkhornOp::create(builder, location, argument(tensor({T, 24})), 20, 1e-6);
  EXPECT_EQ(mix.getComb().getType(), tensor({T, 4, 4}));
  auto route = RouterOp::create(builder, location, x, weight({512}, WeightFormat::F32), 6, 1.5);
  EXPECT_EQ(route.getIds().getType(), mlir::RankedTensorType::get({T, 6}, builder.getI32Type()));
}

TEST_F(Builders, StatesKeepTheirTypeAndNameTheOperandThatTheyUpdate) {
  auto type = StateType::get(&context, StateKind::Window, {136, 512}, builder.getF16Type());
  mlir::Value state = argument(type), row = argument(tensor({T, 512})), pos = argument(builder.getIndexType());
  auto append = WindowAppendOp::create(builder, location, state, row, pos);
  EXPECT_EQ(append.getUpdated().getType(), type);
  auto primitive = mlir::cast<PrimitiveOpInterface>(append.getOperation());
  EXPECT_EQ(primitive.getUpdatedOperand(0)->get(), state);
  EXPECT_EQ(primitive.getOperandNamed("pos"), pos);
  EXPECT_FALSE(primitive.getOperandNamed("tokens"));
}

TEST_F(Builders, TakeAbsentOptionalOperands) {
  mlir::Value q = argument(tensor({T, 8, 512})), pos = argument(builder.getIndexType());
  mlir::Value window = argument(StateType::get(&context, StateKind::Window, {136, 512}, builder.getF16Type()));
  auto attend = AttendOp::create(builder, location, q, window, weight({8}, WeightFormat::F32), pos, mlir::Value(), mlir::Value(),
                                 0.04, 128, 0);
  EXPECT_EQ(attend.getType(), q.getType());
  auto fused = MaskedAttentionOp::create(builder, location, q, window, weight({8}, WeightFormat::F32), pos, mlir::Value(),
                                         mlir::Value(), 0.04, 128, 0, RopeAttr::get(&context, 64, 1e4));
  EXPECT_EQ(fused.getType(), q.getType());
  EXPECT_FALSE(mlir::cast<PrimitiveOpInterface>(attend.getOperation()).getOperandNamed("rows"));
}

TEST_F(Builders, TakeASiteWithAndWithoutAWrite) {
  mlir::Value streams = argument(tensor({T, 4, 64})), y = argument(tensor({T, 64}));
  mlir::Value fn = weight({24, 256}, WeightFormat::F16), base = weight({24}, WeightFormat::F32),
              scale = weight({3}, WeightFormat::F32);
  mlir::Value norm = weight({64}, WeightFormat::F32), none;
  const mlir::IntegerAttr no; // iterations deferred
  auto first = HcSiteOp::create(builder, location, streams, fn, base, scale, norm, none, none, none, 20, 1e-6, 1e-6, 1e-6, no, no);
  EXPECT_EQ(first.getX().getType(), tensor({T, 64}));
  auto next = HcSiteOp::create(builder, location, first.getNewStreams(), fn, base, scale, norm, y, first.getPost(), first.getComb(),
                               20, 1e-6, 1e-6, 1e-6, no, no);
  EXPECT_EQ(next.getNewStreams().getType(), streams.getType());
  EXPECT_EQ(next.getPreviousComb(), first.getComb());
}

TEST_F(Builders, RopeNeedsOnlyWhatItUses) {
  auto plain = RopeAttr::get(&context, 64, 1e4);
  EXPECT_EQ(plain.getParameters().factor, 1.0);
  auto yarn = RopeAttr::get(&context, 64, 1.6e5, 16.0, 65536, 32.0, 1.0);
  EXPECT_EQ(yarn.getParameters().originalContext, 65536.0);
  EXPECT_NE(plain, yarn);
  EXPECT_EQ(plain, RopeAttr::get(&context, 64, 1e4));
}

TEST_F(Builders, StepExpressionsSurviveTheWayThroughAffineExpressions) {
  for (const char *text : {"q", "pos * 3 - q", "(pos + q) floordiv 4", "(pos + q) ceildiv 128 mod 5 + 7"}) {
    const StepExpr expr = StepExpr::parse(text);
    mlir::FailureOr<mlir::AffineExpr> affine = toAffineExpr(expr, &context);
    ASSERT_TRUE(succeeded(affine)) << text;
    const StepExpr back = toStepExpr(*affine);
    for (int64_t pos : {0, 1, 127, 128, 2621})
      for (int64_t q : {1, 3, 8})
        EXPECT_EQ(back.evaluate(pos, q), expr.evaluate(pos, q)) << text << " at " << pos << ", " << q;
  }
}

TEST_F(Builders, ExpressionsThatAreNotAffineAreRefused) {
  for (const char *text : {"pos * q", "pos floordiv q", "pos mod 0"})
    EXPECT_TRUE(failed(toAffineExpr(StepExpr::parse(text), &context))) << text;
}

} // namespace
