#include "tools/ds4-run/Run.h"

#include <fmt/format.h>

namespace ds4 {

Meter::Meter(const Executor &executor) : executor_(executor) {}

uint64_t Meter::instructionsNow() const {
  const hip::HipTable &table = executor_.provider().table;
  if (!table.ds4simTotals)
    return 0;
  Ds4SimCounters counters{};
  table.ds4simTotals(&counters);
  return counters.instructions;
}

void Meter::start() {
  before_ = instructionsNow();
  since_ = std::chrono::steady_clock::now();
}

void Meter::stop() {
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count();
  instructions_ += instructionsNow() - before_;
}

void Meter::addStep(int64_t tokens, int64_t launches) {
  tokens_ += tokens;
  launches_ += launches;
}

std::string Meter::describe(const char *what) const {
  if (tokens_ == 0)
    return fmt::format("{}: no tokens", what);
  double tokens = double(tokens_);
  std::string line = fmt::format("{}: {} tokens in {:.2f} s, {:.3f} s a token, {:.0f} launches a token", what, tokens_, seconds_,
                                 seconds_ / tokens, double(launches_) / tokens);
  if (instructions_)
    line += fmt::format(", {:.2f} M wave instructions a token (simulated)", double(instructions_) / tokens * 1e-6);
  return line;
}

} // namespace ds4
