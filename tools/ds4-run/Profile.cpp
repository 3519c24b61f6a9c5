#include "tools/ds4-run/Profile.h"

#include <fmt/format.h>

#include "runtime/ResponseDigest.h"
#include "runtime/SessionImage.h"
#include "runtime/trace/ProfileFiles.h"

namespace ds4 {

void addProfileOptions(CLI::App &app, ProfileArguments &arguments) {
  app.add_option_function<std::string>(
         "--profile",
         [&](const std::string &path) {
           arguments.summary = true;
           arguments.trace = path;
         },
         "print time, launches and counted instructions a token on stderr; with a file, write a trace for Perfetto, too")
      ->expected(0, 1)
      ->type_name("[FILE]")
      ->trigger_on_parse();
  app.add_option("--profile-json", arguments.records, "write steps, launches, copies and gaps, one JSON record a line")
      ->type_name("FILE");
}

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

ProfileFiles::ProfileFiles(const ProfileArguments &arguments) {
  if (!arguments.trace.empty())
    trace_.emplace(arguments.trace);
  if (!arguments.records.empty())
    records_.emplace(arguments.records);
}

void ProfileFiles::record(Executor &executor) {
  if (!trace_ && !records_)
    return;
  executor_ = &executor;
  executor.setRecorder(&recorder_.emplace(executor.provider()));
}

void ProfileFiles::finish(std::span<const int32_t> response) {
  if (!recorder_)
    return;
  executor_->setRecorder(nullptr);
  const Plan &plan = executor_->plan();
  const trace::ProfileInfo info{.device =
                                    fmt::format("{} ({})", executor_->provider().deviceName, executor_->provider().architecture),
                                .plan = planIdentity(plan),
                                .responseSha256 = responseDigest(response)};
  if (trace_) {
    trace::writeChromeTrace(*trace_, info, plan, *recorder_);
    trace_->commit();
  }
  if (records_) {
    trace::writeLineRecords(*records_, info, plan, *recorder_);
    records_->commit();
  }
}

} // namespace ds4
