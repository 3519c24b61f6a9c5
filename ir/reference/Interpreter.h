// Runs a step function of primitive ops in double precision, op by op, with states that persist from step to step.
//
// What a plan computes on a device is compared with this; the observer sees every op's results, so the first op that
// differs can be named. Not thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/Ds4Dialect.h"
#include "ir/Ds4Ops.h"
#include "ir/reference/Reference.h"

namespace ds4::reference {

struct StepInput {
  std::vector<int32_t> tokens;
  int64_t pos = 0;
  std::map<std::string, Tensor> tensors; // the step function's further tensor arguments, by ds4.name
  double temperature = 1, topP = 1;      // of ds4.sample
  std::vector<double> uniforms;          // of ds4.sample, one a token; zeros when there are fewer
};

class Interpreter {
public:
  // Decoded values of a weight, row-major, by the name in the IR. They must stay valid while the interpreter lives; each
  // name is asked for once.
  using WeightSource = std::function<std::span<const float>(llvm::StringRef name, QuantizedType type)>;
  // Called after each op that has tensor results, with those in order; states are left out. It may change the values: later ops
  // then see what it wrote.
  using Observer = std::function<void(mlir::Operation *op, llvm::ArrayRef<Tensor *> results)>;

  // `step` must outlive the interpreter. Throws ds4::Error (Internal) when an argument has no ds4.name.
  Interpreter(mlir::func::FuncOp step, WeightSource weights);

  // One step: the tensor results by ds4.name. States are updated. Throws ds4::Error (Internal) when an input is missing or
  // the function holds an op that is not primitive.
  std::map<std::string, Tensor> run(const StepInput &input, const Observer &observer = {});

  // A state by the ds4.name of its argument, to look at or to fill before a step.
  State &state(const std::string &name);
  // All states as before the first token.
  void reset();

private:
  class Step;

  mlir::func::FuncOp step_;
  WeightSource weightSource_;
  std::map<std::string, std::unique_ptr<State>> states_;
  llvm::DenseMap<mlir::Value, Weight> weights_; // results of ds4.weight ops
};

} // namespace ds4::reference
