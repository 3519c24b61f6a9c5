#include "runtime/Executor.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "support/Error.h"
#include "support/Half.h"

namespace ds4 {

void Executor::reset() {
  states_.fill(0, stream_.handle()); // the sequence of a draft or prefill function is the target's
  arena_.fill(0, stream_.handle());  // the counters of the scratch: a step that failed may have left them anyhow
  stream_.synchronize();
}

void Executor::step(const StepInput &input) {
  checkInput(input);
  if (recorder_)
    recorder_->beginStep(input.pos, input.tokens.size());
  writeStepBlock(input);
  int64_t q = static_cast<int64_t>(input.tokens.size());
  launches_ = 0;
  for (size_t i = 0; i < bound_.size(); ++i) {
    const BoundLaunch &bound = bound_[i];
    if ((bound.head && !input.head) || (bound.sampling && input.temperature <= 0))
      continue;
    const PlanChoice choice = plan_.launches[i].at(input.pos, q);
    if (choice.isEmpty())
      continue;
    const PlanKernel &kernel = plan_.kernels[choice.kernel];
    const hip::LaunchShape shape{.grid = choice.grid, .block = {kernel.block, 1, 1}};
    const std::span arguments = std::span(bound.arguments).first(choice.arguments);
    if (hook_)
      hook_(i, stream_.handle());
    if (recorder_)
      recorder_->beginLaunch(i, choice.variant, stream_.handle());
    stream_.launch(bound.functions[choice.variant], shape, std::as_bytes(arguments), kernel.symbol);
    ++launches_;
  }
  if (hook_)
    hook_(bound_.size(), stream_.handle());
  if (recorder_)
    recorder_->endLaunches(stream_.handle());
  stream_.synchronize();
  if (recorder_)
    recorder_->endStep();
  lastWidth_ = q;
}

void Executor::checkInput(const StepInput &input) const {
  int64_t q = static_cast<int64_t>(input.tokens.size());
  if (q < 1 || q > plan_.maxWidth)
    userError("a step of {} tokens: this plan takes 1 to {}", q, plan_.maxWidth);
  if (input.pos < 0 || input.pos + q > plan_.context)
    userError("position {} is beyond this plan's context of {}: compile with a larger --context", input.pos + q - 1, plan_.context);
  for (int32_t token : input.tokens)
    if (token < 0 || token >= plan_.vocabulary)
      userError("token id {} is not in the vocabulary of {}", token, plan_.vocabulary);
  if (input.temperature > 0 && static_cast<int64_t>(input.random.size()) < q)
    internalError("sampling {} tokens needs as many random numbers, got {}", q, input.random.size());
}

void Executor::writeStepBlock(const StepInput &input) {
  Step step{};
  step.pos = static_cast<int>(input.pos);
  step.q = static_cast<int>(input.tokens.size());
  if (const PlanValue *ids = plan_.findInput(kIdsInput)) {
    const auto tokens = std::as_bytes(input.tokens);
    transfer(Direction::ToDevice, tokens.size(), [&] { arena_.upload(tokens, ids->offset); });
  } else {
    std::copy(input.tokens.begin(), input.tokens.end(), step.token);
  }
  step.temperature = std::max(input.temperature, 0.0f); // 0: no token is sampled
  step.topP = input.topP;
  if (input.temperature > 0)
    std::copy_n(input.random.begin(), step.q, step.random);
  const auto bytes = std::as_bytes(std::span(&step, 1)).first(offsetof(Step, unknownExperts)); // the count stays
  transfer(Direction::ToDevice, bytes.size(), [&] { stepBlock_.upload(bytes); });
}

uint32_t Executor::unknownExperts() const {
  uint32_t count = 0;
  stepBlock_.download(std::as_writable_bytes(std::span(&count, 1)), offsetof(Step, unknownExperts));
  return prefill_ ? count + prefill_->unknownExperts() : count;
}

const PlanValue &Executor::output(std::string_view name, std::string_view element) const {
  const PlanValue *value = plan_.findOutput(name);
  if (!value)
    userError("the plan returns no value '{}'", name);
  if (value->element != element)
    userError("value '{}' holds {}, not {}", name, value->element, element);
  return *value;
}

template <typename T> std::vector<T> Executor::download(const PlanValue &value) const {
  std::vector<T> values(lastWidth_ * value.tokenStride);
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(values));
  transfer(Direction::ToHost, bytes.size(), [&] { arena_.download(bytes, value.offset); });
  return values;
}

std::vector<float> Executor::output(std::string_view name) const { return download<float>(output(name, "f32")); }
std::vector<int32_t> Executor::outputIds(std::string_view name) const { return download<int32_t>(output(name, "i32")); }

void Executor::setInput(std::string_view name, std::span<const float> values) {
  const PlanValue *value = plan_.findInput(name);
  if (!value)
    userError("the plan takes no input '{}'", name);
  if (values.size_bytes() > value->bytes)
    userError("input '{}' has room for {} bytes, got {}", name, value->bytes, values.size_bytes());
  transfer(Direction::ToDevice, values.size_bytes(), [&] { arena_.upload(std::as_bytes(values), value->offset); });
}

void Executor::downloadState(size_t index, std::span<std::byte> out) const {
  transfer(Direction::ToHost, out.size(), [&] { states_.download(index, out); });
}

void Executor::uploadState(size_t index, std::span<const std::byte> bytes) {
  transfer(Direction::ToDevice, bytes.size(), [&] { states_.upload(index, bytes); });
}

size_t Executor::stateIndex(std::string_view name) const {
  auto at = std::find_if(plan_.states.begin(), plan_.states.end(), [&](const PlanState &state) { return state.name == name; });
  if (at == plan_.states.end())
    userError("the plan has no state '{}'", name);
  return static_cast<size_t>(at - plan_.states.begin());
}

std::vector<float> Executor::readState(std::string_view name, int64_t firstRow, int64_t rows) const {
  if (target_)
    return target_->readState(name, firstRow, rows);
  size_t index = stateIndex(name);
  const PlanState &state = plan_.states[index];
  if (firstRow < 0 || rows < 0 || firstRow + rows > state.rows)
    userError("state '{}' has {} rows, rows {} to {} were asked for", name, state.rows, firstRow, firstRow + rows);
  size_t count = static_cast<size_t>(rows * state.cols), first = static_cast<size_t>(firstRow * state.cols);
  std::vector<float> values(count);
  if (state.format == "f32") {
    states_.download(index, std::as_writable_bytes(std::span(values)), first * 4);
  } else {
    std::vector<uint16_t> halves(count);
    states_.download(index, std::as_writable_bytes(std::span(halves)), first * 2);
    std::transform(halves.begin(), halves.end(), values.begin(), halfToFloat);
  }
  return values;
}

void Executor::writeState(std::string_view name, int64_t firstRow, std::span<const float> values) {
  if (target_)
    return target_->writeState(name, firstRow, values);
  size_t index = stateIndex(name);
  const PlanState &state = plan_.states[index];
  size_t first = static_cast<size_t>(firstRow * state.cols);
  if (firstRow < 0 || first + values.size() > static_cast<size_t>(state.rows * state.cols))
    userError("state '{}' has {} rows of {}, {} values do not fit from row {} on", name, state.rows, state.cols, values.size(),
              firstRow);
  if (state.format == "f32") {
    states_.upload(index, std::as_bytes(values), first * 4);
  } else {
    std::vector<uint16_t> halves(values.size());
    std::transform(values.begin(), values.end(), halves.begin(), floatToHalf);
    states_.upload(index, std::as_bytes(std::span(halves)), first * 2);
  }
}

} // namespace ds4
