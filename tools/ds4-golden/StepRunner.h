// What a comparison needs of the thing that computes steps: the executor of a plan, or the reference interpreter.
//
// Names are the ds4.name of arguments and results of the step function. Values are row-major; token t of a step of q
// tokens has the t-th q-th part of an output (a part may end in padding: scores of compressed rows do on a device).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ds4::golden {

class StepRunner {
public:
  virtual ~StepRunner() = default;

  virtual int maxWidth() const = 0;
  // All states as before the first token.
  virtual void reset() = 0;
  virtual void setInput(const std::string &name, std::span<const float> values) = 0;
  // 1 to maxWidth() tokens, the first at `pos`. Without `head` no output of the output head is wanted.
  virtual void step(std::span<const int32_t> tokens, int64_t pos, bool head) = 0;
  virtual std::vector<float> output(const std::string &name) = 0;
  virtual std::vector<int32_t> outputIds(const std::string &name) = 0;

  virtual int64_t stateRows(const std::string &name) const = 0;
  virtual std::vector<float> readState(const std::string &name, int64_t firstRow, int64_t rows) = 0;
  virtual void writeState(const std::string &name, int64_t firstRow, std::span<const float> values) = 0;
};

// Token `t` of `tokens` of an output.
template <typename T> std::span<const T> partOfToken(const std::vector<T> &output, int64_t t, int64_t tokens) {
  size_t stride = output.size() / static_cast<size_t>(tokens);
  return std::span(output).subspan(static_cast<size_t>(t) * stride, stride);
}

} // namespace ds4::golden
