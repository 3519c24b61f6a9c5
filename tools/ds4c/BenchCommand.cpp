#include <array>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "codegen/bench/AttentionBench.h"
#include "codegen/bench/ProductBench.h"
#include "compiler/Pipeline.h"
#include "runtime/providers/simulator/bench/SimulatorBench.h"
#include "support/Error.h"
#include "tools/ds4c/Commands.h"
#include "tools/ds4c/StepBenchCommand.h"
#include "tools/ds4c/StepTime.h"

namespace ds4 {

namespace {

struct Arguments {
  bool simulator = false, products = false, attention = false;
  std::string format;
  StepBenchArguments step;
};

int benchSimulator(bool json) {
  std::vector<SimulatorSpeed> speeds = measureSimulator();
  double overhead = measureLaunchOverhead();
  if (json) {
    nlohmann::ordered_json out;
    for (const SimulatorSpeed &speed : speeds)
      out["kernels"].push_back({{"kernel", speed.kernel},
                                {"instructions", speed.instructions},
                                {"cpu_seconds", speed.cpuSeconds},
                                {"one_thread_seconds", speed.oneThreadSeconds},
                                {"two_thread_seconds", speed.twoThreadSeconds},
                                {"one_core_rate", speed.oneCoreRate()},
                                {"speedup", speed.speedup()}});
    out["launch_seconds"] = overhead;
    fmt::print("{}\n", out.dump(2));
    return 0;
  }
  fmt::print("{:<40} {:>12} {:>22} {:>20}\n", "kernel", "wave instr", "M a second, one core", "two threads, times");
  for (const SimulatorSpeed &speed : speeds)
    fmt::print("{:<40} {:>12} {:>22.1f} {:>20.2f}\n", speed.kernel, speed.instructions, speed.oneCoreRate() * 1e-6,
               speed.speedup());
  fmt::print("launch overhead {:.1f} us\n", overhead * 1e6);
  return 0;
}

nlohmann::ordered_json toJson(const ProductCost &cost) {
  nlohmann::ordered_json out{{"op", cost.op},
                             {"format", cost.format},
                             {"kernel", cost.kernel},
                             {"rows", cost.rows},
                             {"width", cost.width},
                             {"tokens", cost.tokens},
                             {"instructions", cost.instructions},
                             {"without_waits", cost.withoutWaits},
                             {"launch_instructions", cost.launch},
                             {"bytes", cost.bytes},
                             {"bus_bytes", cost.busBytes},
                             {"lines", cost.lines},
                             {"vgprs", cost.vgprs},
                             {"lds_bytes", cost.ldsBytes},
                             {"error", cost.error}};
  if (cost.limit) {
    out["limit"] = cost.limit->limit;
    out["stretch"] = cost.limit->stretch;
  }
  return out;
}

int benchProducts(const std::string &format, bool json) {
  std::vector<ProductCost> costs = measureProducts({.format = format});
  if (json) {
    nlohmann::ordered_json out;
    out["instructions_per"] = "1024 weights";
    for (const ProductCost &cost : costs)
      out["products"].push_back(toJson(cost));
    fmt::print("{}\n", out.dump(2));
    return 0;
  }
  fmt::print("wave instructions per 1,024 weights; bytes over weights and inputs once; lines requested over distinct\n");
  fmt::print("{:<14} {:<15} {:<6} {:>2} {:>8} {:>9} {:>6} {:>8} {:>6} {:>6} {:>6} {:>9} {:>9}\n", "op", "format", "kernel", "q",
             "all", "no waits", "limit", "stretch", "bytes", "lines", "VGPRs", "LDS", "error");
  for (const ProductCost &cost : costs) {
    std::string limit = cost.limit ? fmt::format("{:.0f}", cost.limit->limit) : "-";
    std::string stretch = cost.limit ? fmt::format("{:.0f}", cost.limit->stretch) : "-";
    fmt::print("{:<14} {:<15} {:<6} {:>2} {:>8.1f} {:>9.1f} {:>6} {:>8} {:>6.2f} {:>6.2f} {:>6} {:>9} {:>9.1e}\n", cost.op,
               cost.format, cost.kernel, cost.tokens, cost.instructions, cost.withoutWaits, limit, stretch, cost.bytes, cost.lines,
               cost.vgprs, cost.ldsBytes, cost.error);
  }
  return 0;
}

nlohmann::ordered_json toJson(const AttentionCost &cost) {
  nlohmann::ordered_json out{{"op", cost.op},
                             {"schedule", cost.schedule},
                             {"rows", cost.rows},
                             {"tokens", cost.tokens},
                             {"instructions", cost.instructions},
                             {"without_waits", cost.withoutWaits},
                             {"wmma", cost.wmma},
                             {"longest_wave", cost.longestWave},
                             {"workgroups", cost.workgroups},
                             {"lines", cost.lines},
                             {"scratch_bytes", cost.scratchBytes},
                             {"vgprs", cost.vgprs},
                             {"lds_bytes", cost.ldsBytes},
                             {"error", cost.error}};
  if (cost.limit)
    out["limit"] = *cost.limit;
  if (cost.wmmaLimit)
    out["wmma_limit"] = *cost.wmmaLimit;
  return out;
}

int benchAttention(bool json) {
  const std::vector<AttentionCost> costs = measureAttention();
  if (json) {
    nlohmann::ordered_json out;
    out["instructions_per"] = "launch";
    for (const AttentionCost &cost : costs)
      out["attention"].push_back(toJson(cost));
    fmt::print("{}\n", out.dump(2));
    return 0;
  }
  fmt::print("wave instructions of a launch; lines requested over distinct; scratch of a token\n");
  fmt::print("{:<17} {:<22} {:>6} {:>2} {:>9} {:>9} {:>8} {:>7} {:>7} {:>8} {:>10} {:>6} {:>9} {:>6} {:>6} {:>8}\n", "op",
             "schedule", "rows", "q", "all", "no waits", "limit", "WMMA", "limit", "longest", "workgroups", "lines", "scratch",
             "VGPRs", "LDS", "error");
  auto orNone = [](const std::optional<uint64_t> &limit) { return limit ? fmt::format("{}", *limit) : "-"; };
  for (const AttentionCost &cost : costs)
    fmt::print("{:<17} {:<22} {:>6} {:>2} {:>9} {:>9} {:>8} {:>7} {:>7} {:>8} {:>10} {:>6.2f} {:>9.0f} {:>6} {:>6} {:>8.1e}\n",
               cost.op, cost.schedule, cost.rows, cost.tokens, cost.instructions, cost.withoutWaits, orNone(cost.limit), cost.wmma,
               orNone(cost.wmmaLimit), cost.longestWave, cost.workgroups, cost.lines, cost.scratchBytes, cost.vgprs, cost.ldsBytes,
               cost.error);
  return 0;
}

int bench(const Arguments &arguments) {
  if (!arguments.step.model.empty())
    return benchStep(arguments.step);
  if (arguments.products)
    return benchProducts(arguments.format, arguments.step.json);
  if (arguments.attention)
    return benchAttention(arguments.step.json);
  if (!arguments.simulator)
    userError("nothing to measure: choose --simulator, --products, --attention, --step MODEL or --prefill MODEL");
  return benchSimulator(arguments.step.json);
}

} // namespace

void addBenchCommand(CLI::App &app, CommandBody &body) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("bench", "measure; never part of the tests");
  CLI::Option *simulator = command->add_flag("--simulator", arguments->simulator, "speed of the simulator on this machine");
  CLI::Option *products =
      command->add_flag("--products", arguments->products, "counted costs of the product kernels, format by format");
  command->add_option("--format", arguments->format, "with --products: only this weight format")->needs(products);
  CLI::Option *attention = command->add_flag("--attention", arguments->attention,
                                             "counted costs of index scores, selection and attention at real sizes");
  CLI::Option *step = command->add_option("--step", arguments->step.model,
                                          "counted cost of a decode step of this GGUF, whose weights are not read");
  const auto prefill = [arguments](const std::string &model) {
    arguments->step.model = model;
    arguments->step.prefill = true;
  };
  CLI::Option *chunk = command->add_option_function<std::string>(
      "--prefill", prefill, "counted cost of a chunk of a prompt of this GGUF, whose weights are not read");
  const std::array measured{simulator, products, attention, step, chunk};
  for (size_t i = 0; i < measured.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      measured[i]->excludes(measured[k]);
  std::vector<CLI::Option *> ofModel; // that --step or --prefill names
  ofModel.push_back(command->add_option(
      "--at", arguments->step.at, "position and tokens of the step (32767,1 where it is left out) or of the chunk (7680,512)"));
  ofModel.push_back(command->add_option("--context", arguments->step.context, "positions that the state has room for")
                        ->check(CLI::Range(int64_t(1), kMostContext))
                        ->capture_default_str());
  std::vector<std::string> optional(optionalPasses().begin(), optionalPasses().end());
  ofModel.push_back(command
                        ->add_option("--disable-pass", arguments->step.disabledPasses,
                                     "leave out an optimisation of the step or chunk, by its pass")
                        ->check(CLI::IsMember(optional))
                        ->delimiter(','));
  command->add_flag("--json", arguments->step.json, "print JSON");
  command->callback([arguments, ofModel, &body] {
    for (const CLI::Option *option : ofModel)
      if (option->count() && arguments->step.model.empty())
        throw CLI::RequiresError(option->get_name(), "--step or --prefill");
    body = [arguments] { return bench(*arguments); };
  });
}

} // namespace ds4
