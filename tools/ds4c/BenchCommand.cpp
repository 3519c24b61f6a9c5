#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/providers/simulator/bench/SimulatorBench.h"
#include "support/Error.h"
#include "tools/ds4c/Commands.h"

namespace ds4 {

namespace {

struct Arguments {
  bool simulator = false, json = false;
};

int benchSimulator(bool json) {
  std::vector<SimulatorSpeed> speeds = measureSimulator();
  double overhead = measureLaunchOverhead();
  if (json) {
    nlohmann::ordered_json out;
    for (const SimulatorSpeed &speed : speeds)
      out["kernels"].push_back({{"kernel", speed.kernel}, {"instructions", speed.instructions}, {"cpu_seconds", speed.cpuSeconds},
                                {"one_thread_seconds", speed.oneThreadSeconds}, {"two_thread_seconds", speed.twoThreadSeconds},
                                {"one_core_rate", speed.oneCoreRate()}, {"speedup", speed.speedup()}});
    out["launch_seconds"] = overhead;
    fmt::print("{}\n", out.dump(2));
    return 0;
  }
  fmt::print("{:<40} {:>12} {:>22} {:>20}\n", "kernel", "wave instr", "M a second, one core", "two threads, times");
  for (const SimulatorSpeed &speed : speeds)
    fmt::print("{:<40} {:>12} {:>22.1f} {:>20.2f}\n", speed.kernel, speed.instructions, speed.oneCoreRate() * 1e-6, speed.speedup());
  fmt::print("launch overhead {:.1f} us\n", overhead * 1e6);
  return 0;
}

int bench(const Arguments &arguments) {
  if (!arguments.simulator)
    userError("nothing to measure: choose --simulator");
  return benchSimulator(arguments.json);
}

} // namespace

void addBenchCommand(CLI::App &app, CommandBody &body) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("bench", "measure; never part of the tests");
  command->add_flag("--simulator", arguments->simulator, "speed of the simulator on this machine");
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments, &body] { body = [arguments] { return bench(*arguments); }; });
}

} // namespace ds4
