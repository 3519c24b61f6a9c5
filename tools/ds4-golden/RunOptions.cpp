#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/Error.h"
#include "tools/ds4-golden/Commands.h"

namespace ds4::golden {

void addRunOptions(CLI::App &command, RunOptions &options) {
  command.add_option("--device", options.device, "auto, hip, hip:N, sim, cuda, or reference: the double-precision interpreter")
      ->capture_default_str();
  command.add_option("--width", options.width, "greatest number of tokens in a step")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  command.add_flag("--json", options.json, "print the outcome as JSON");
}

int finish(const Report &report, const RunOptions &options) {
  if (options.json)
    fmt::print("{}\n", report.toJson().dump(2));
  else
    report.print();
  return static_cast<int>(report.passed() ? ExitCode::Success : ExitCode::OutOfTolerance);
}

} // namespace ds4::golden
