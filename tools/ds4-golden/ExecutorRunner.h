// Steps computed by the executor of a plan, on whatever device a provider offers.
#pragma once

#include <memory>

#include "runtime/Executor.h"
#include "tools/ds4-golden/StepRunner.h"

namespace ds4::golden {

class ExecutorRunner : public StepRunner {
public:
  // `weights` is used during construction alone. Throws as Executor does.
  ExecutorRunner(std::shared_ptr<const hip::Provider> provider, Plan plan, WeightSource &weights)
      : executor_(std::move(provider), std::move(plan), weights) {}

  int maxWidth() const override { return static_cast<int>(executor_.plan().maxWidth); }
  void reset() override { executor_.reset(); }
  void setInput(const std::string &name, std::span<const float> values) override { executor_.setInput(name, values); }
  void step(std::span<const int32_t> tokens, int64_t pos, bool head) override;
  std::vector<float> output(const std::string &name) override { return executor_.output(name); }
  std::vector<int32_t> outputIds(const std::string &name) override { return executor_.outputIds(name); }
  int64_t stateRows(const std::string &name) const override;
  std::vector<float> readState(const std::string &name, int64_t firstRow, int64_t rows) override {
    return executor_.readState(name, firstRow, rows);
  }
  void writeState(const std::string &name, int64_t firstRow, std::span<const float> values) override {
    executor_.writeState(name, firstRow, values);
  }

private:
  Executor executor_;
};

} // namespace ds4::golden
