#include "tools/ds4-golden/InterpreterRunner.h"

#include "support/Error.h"

namespace ds4::golden {
namespace {

mlir::func::FuncOp stepOf(mlir::ModuleOp module) {
  auto step = module.lookupSymbol<mlir::func::FuncOp>("step");
  if (!step)
    internalError("the module has no step function");
  return step;
}

} // namespace

InterpreterRunner::InterpreterRunner(mlir::ModuleOp module, int maxWidth, reference::Interpreter::WeightSource weights)
    : function_(stepOf(module)), interpreter_(function_, std::move(weights)), maxWidth_(maxWidth) {}

void InterpreterRunner::setInput(const std::string &name, std::span<const float> values) {
  inputs_[name].assign(values.begin(), values.end());
}

void InterpreterRunner::step(std::span<const int32_t> tokens, int64_t pos, bool) {
  reference::StepInput input{.tokens = {tokens.begin(), tokens.end()}, .pos = pos};
  for (mlir::BlockArgument argument : function_.getArguments()) {
    auto name = function_.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), Ds4Dialect::kName);
    auto given = inputs_.find(name.str());
    if (given == inputs_.end())
      continue;
    reference::Shape shape(llvm::cast<mlir::RankedTensorType>(argument.getType()).getShape());
    shape[0] = static_cast<int64_t>(tokens.size());
    input.tensors[name.str()] = reference::Tensor(std::move(shape), {given->second.begin(), given->second.end()});
  }
  outputs_ = interpreter_.run(input);
}

const reference::Tensor &InterpreterRunner::result(const std::string &name) const {
  auto found = outputs_.find(name);
  if (found == outputs_.end())
    internalError("the step has no output \"{}\"", name);
  return found->second;
}

std::vector<float> InterpreterRunner::output(const std::string &name) {
  const std::vector<double> &values = result(name).values;
  return {values.begin(), values.end()};
}

std::vector<int32_t> InterpreterRunner::outputIds(const std::string &name) {
  const std::vector<double> &values = result(name).values;
  return {values.begin(), values.end()};
}

int64_t InterpreterRunner::stateRows(const std::string &name) const { return interpreter_.state(name).rows(); }

std::vector<float> InterpreterRunner::readState(const std::string &name, int64_t firstRow, int64_t rows) {
  std::vector<float> values;
  for (int64_t row = firstRow; row < firstRow + rows; ++row)
    llvm::append_range(values, interpreter_.state(name).row(row));
  return values;
}

void InterpreterRunner::writeState(const std::string &name, int64_t firstRow, std::span<const float> values) {
  reference::State &state = interpreter_.state(name);
  for (size_t i = 0; i < values.size(); ++i)
    state.store(firstRow + static_cast<int64_t>(i) / state.columns(), static_cast<int64_t>(i) % state.columns(), values[i]);
}

} // namespace ds4::golden
