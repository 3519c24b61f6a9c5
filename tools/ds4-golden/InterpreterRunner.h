// Steps computed by the double-precision reference interpreter (--device reference).
#pragma once

#include "ir/reference/Interpreter.h"
#include "tools/ds4-golden/StepRunner.h"

namespace ds4::golden {

class InterpreterRunner : public StepRunner {
public:
  // `module` holds the step function; it must outlive the runner.
  InterpreterRunner(mlir::ModuleOp module, int maxWidth, reference::Interpreter::WeightSource weights);

  int maxWidth() const override { return maxWidth_; }
  void reset() override { interpreter_.reset(); }
  void setInput(const std::string &name, std::span<const float> values) override;
  void step(std::span<const int32_t> tokens, int64_t pos, bool head) override;
  std::vector<float> output(const std::string &name) override;
  std::vector<int32_t> outputIds(const std::string &name) override;
  int64_t stateRows(const std::string &name) const override;
  std::vector<float> readState(const std::string &name, int64_t firstRow, int64_t rows) override;
  void writeState(const std::string &name, int64_t firstRow, std::span<const float> values) override;

private:
  const reference::Tensor &result(const std::string &name) const;

  mlir::func::FuncOp function_;
  mutable reference::Interpreter interpreter_;
  int maxWidth_;
  std::map<std::string, std::vector<float>> inputs_;
  std::map<std::string, reference::Tensor> outputs_;
};

} // namespace ds4::golden
