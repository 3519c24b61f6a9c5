#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "compiler/Compile.h"
#include "ir/reference/Interpreter.h"
#include "ir/reference/ModelWeights.h"
#include "models/Model.h"
#include "passes/KernelEmission.h"
#include "passes/PlaceNames.h"
#include "runtime/Executor.h"
#include "support/Error.h"
#include "tools/ProductsOption.h"
#include "tools/RocmFp2Option.h"
#include "tools/TokenIds.h"
#include "tools/ds4-golden/Compare.h"
#include "tools/ds4c/Commands.h"

namespace ds4 {

namespace {

struct Arguments {
  std::string model, ids, rows = "f32", products = "fast";
  double tolerance = 1e-4;
  int64_t context = 4096;
  int width = 1;
  std::optional<WeightFormat> rocmFp2;
};

// Compares each op's results of a step; keeps the first that is out of tolerance and the worst of all. Each op is measured on
// its own: the reference goes on with what the device computed. An op inside a fused kernel has no results of its own to look
// at, and its tolerance passes on to the ops that use it.
class OpComparison {
public:
  OpComparison(const Executor &executor, double tolerance, Products products)
      : executor_(executor), tolerance_(tolerance), products_(products) {}

  void compare(mlir::Operation *op, llvm::ArrayRef<reference::Tensor *> results, int64_t pos) {
    const double tolerance = toleranceOf(op);
    for (auto [index, expected] : llvm::enumerate(results)) {
      std::string label = resultName(op->getResult(static_cast<unsigned>(index)));
      const PlanValue *value = executor_.plan().findOutput(label);
      if (!value) {
        for (mlir::Value result : op->getResults())
          inner_[result] = tolerance;
        continue;
      }
      double error = value->element == "i32" ? takeIds(label, *expected) : takeValues(label, *expected);
      ++compared_;
      if (!(error <= worst_)) // NaN counts as worst
        worst_ = error, worstLabel_ = label, worstPos_ = pos;
      if (!(error <= tolerance) && first_.empty())
        first_ = fmt::format("first differing op: {} ({}) at position {}, relative error {:.3g}, tolerance {:.3g}", label,
                             op->getName().getStringRef().str(), pos, error, tolerance);
    }
  }

  int report() const {
    fmt::print("{} op results compared, worst relative error {:.3g} in {} at position {}\n", compared_, worst_, worstLabel_,
               worstPos_);
    if (first_.empty())
      return 0;
    fmt::print("{}\n", first_);
    return static_cast<int>(ExitCode::OutOfTolerance);
  }

private:
  static constexpr double kHalfActivations = 4e-4; // relative RMS error of a product in half precision

  double toleranceOf(mlir::Operation *op) const {
    double tolerance = mlir::isa<ReshapeOp>(op) ? 0 : tolerance_ + (roundsActivations(op, products_) ? kHalfActivations : 0);
    for (mlir::Value operand : op->getOperands())
      tolerance += inner_.lookup(operand);
    return tolerance;
  }

  // Ids are right or wrong: 0 or infinity.
  double takeIds(const std::string &label, reference::Tensor &expected) const {
    std::vector<int32_t> actual = executor_.outputIds(label);
    bool equal = std::equal(expected.values.begin(), expected.values.end(), actual.begin(), actual.end(),
                            [](double a, int32_t b) { return a == double(b); });
    if (actual.size() == expected.values.size())
      expected.values.assign(actual.begin(), actual.end());
    return equal ? 0 : INFINITY;
  }

  double takeValues(const std::string &label, reference::Tensor &expected) const {
    std::vector<float> raw = executor_.output(label);
    // Scores have room for every row behind those that exist: the device's rows are longer than the reference's.
    size_t tokens = static_cast<size_t>(expected.shape[0]), perToken = expected.values.size() / tokens,
           stride = raw.size() / tokens;
    std::vector<float> actual, wanted;
    for (size_t t = 0; t < tokens; ++t)
      for (size_t i = 0; i < perToken; ++i) {
        double &value = expected.values[t * perToken + i];
        const float computed = raw[t * stride + i];
        if (!std::isinf(value) || computed != value) { // else masked in both
          actual.push_back(computed);
          wanted.push_back(static_cast<float>(value));
        }
        value = computed;
      }
    return golden::relativeRms(actual, wanted);
  }

  const Executor &executor_;
  double tolerance_;
  Products products_;
  llvm::DenseMap<mlir::Value, double> inner_; // tolerances of results that no launch shows
  double worst_ = 0;
  int64_t worstPos_ = 0, compared_ = 0;
  std::string worstLabel_ = "none", first_;
};

int verify(const Arguments &arguments) {
  std::vector<int32_t> ids = parseTokenIds(arguments.ids);
  if (ids.empty())
    userError("--ids is empty: give the tokens to run, such as 0,5,7");
  Model model = Model::open(arguments.model, arguments.rocmFp2);
  checkTokenIds(ids, model.description().vocabulary); // before minutes of compiling
  ModelTable table(model);
  CompileOptions options;
  options.keepAll = true;
  options.graph.rows = arguments.rows == "f32" ? RowElement::F32 : RowElement::F16;
  options.graph.context = std::max<int64_t>(arguments.context, static_cast<int64_t>(ids.size()));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> graph = buildStepGraph(context, table, options.graph);
  options.pipeline.exactProducts = arguments.products == "exact";
  Plan plan = compileModel(table, options);

  FileWeights files(model.file());
  reference::ModelWeights decoded(model);
  // Only the simulator: this program carries a compiler, and must not load a GPU runtime's beside it.
  Executor executor(hip::openProvider("sim"), plan, files);
  reference::Interpreter interpreter(graph->lookupSymbol<mlir::func::FuncOp>("step"),
                                     [&](llvm::StringRef name, QuantizedType) { return decoded(name.str()); });
  OpComparison comparison(executor, arguments.tolerance, options.pipeline.exactProducts ? Products::Exact : Products::Fast);
  for (size_t done = 0; done < ids.size();) {
    size_t q = std::min(ids.size() - done, static_cast<size_t>(arguments.width));
    std::vector<int32_t> tokens(ids.begin() + static_cast<ptrdiff_t>(done), ids.begin() + static_cast<ptrdiff_t>(done + q));
    ds4::StepInput input;
    input.pos = static_cast<int64_t>(done);
    input.tokens = tokens;
    executor.step(input);
    reference::StepInput expected;
    expected.pos = input.pos;
    expected.tokens = tokens;
    interpreter.run(expected, [&](mlir::Operation *op, llvm::ArrayRef<reference::Tensor *> results) {
      if (!mlir::isa<SampleOp>(op)) // runs only when sampling
        comparison.compare(op, results, input.pos);
    });
    done += q;
  }
  return comparison.report();
}

} // namespace

void addVerifyCommand(CLI::App &app, CommandBody &body) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("verify", "run tokens on the simulator and in double precision, and compare every op");
  command->add_option("model", arguments->model, "GGUF file")->required();
  command->add_option("--ids", arguments->ids, "tokens to run, separated by commas")->required();
  command
      ->add_option("--tolerance", arguments->tolerance,
                   "greatest relative RMS error of an op's result; an op in half precision may have 4e-4 more")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  addProductsOption(*command, arguments->products);
  command->add_option("--width", arguments->width, "tokens a step")->check(CLI::Range(1, 8))->capture_default_str();
  command->add_option("--rows", arguments->rows, "element of key-value rows")
      ->check(CLI::IsMember({"f16", "f32"}))
      ->capture_default_str();
  command->add_option("--context", arguments->context, "positions that the state has room for")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  addRocmFp2Option(*command, arguments->rocmFp2);
  command->callback([arguments, &body] { body = [arguments] { return verify(*arguments); }; });
}

} // namespace ds4
