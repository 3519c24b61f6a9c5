// ds4-bench: the time of a plan's decode step, or of single kernels, on a device, for machines that have a GPU and no compiler.
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "codegen/bench/DeviceKernels.h"
#include "codegen/kernels/step.h"
#include "runtime/bench/DeviceBench.h"
#include "runtime/bench/GeneratedWeights.h"
#include "runtime/hip/Provider.h"
#include "runtime/plan/PlanFile.h"
#include "tools/CommandLine.h"

namespace ds4 {

namespace {

struct Arguments {
  std::string plan, weights = "synth:1", device = "auto";
  int64_t pos = -1;
  int tokens = 1, repeats = 20;
  int prefill = 0;                    // tokens of a chunk of a prompt, which is timed instead of a step; 0: a step
  std::optional<std::string> kernels; // time single kernels whose name contains this, instead of a plan
  bool json = false;
};

// The weights of a file read from it, which is kept in `file`.
std::unique_ptr<WeightSource> openWeights(const Arguments &arguments, const Plan &plan, std::optional<gguf::Reader> &file) {
  constexpr std::string_view kGenerated = "synth:";
  if (!arguments.weights.starts_with(kGenerated)) {
    auto weights = std::make_unique<FileWeights>(file.emplace(gguf::Reader::open(arguments.weights)));
    weights->check(plan);
    return weights;
  }
  uint64_t seed = 0;
  const char *end = arguments.weights.data() + arguments.weights.size();
  auto [rest, error] = std::from_chars(arguments.weights.data() + kGenerated.size(), end, seed);
  if (error != std::errc() || rest != end)
    userError("--weights '{}' has no seed: write a GGUF file, or synth: and a number", arguments.weights);
  return std::make_unique<GeneratedWeights>(plan, seed);
}

nlohmann::ordered_json toJson(const PlaceTime &place, double copy) {
  return {{"place", place.place},
          {"kernel", place.kernel},
          {"launches", place.launches},
          {"us", place.seconds * 1e6},
          {"weight_bytes", place.weightBytes},
          {"share_of_copy", place.seconds > 0 ? place.weightBytes / place.seconds / copy : 0}};
}

void print(const DeviceTimes &times, int tokens) {
  fmt::print("{:<26} {:<18} {:>8} {:>10} {:>10} {:>8}\n", "place", "kernel", "launches", "us", "MB", "of copy");
  for (const PlaceTime &place : times.places)
    fmt::print("{:<26} {:<18} {:>8} {:>10.1f} {:>10.1f} {:>7.0f}%\n", place.place, place.kernel, place.launches,
               place.seconds * 1e6, place.weightBytes * 1e-6,
               place.seconds > 0 ? 100 * place.weightBytes / place.seconds / times.copyBytesPerSecond : 0);
  fmt::print("copy {:.0f} GB/s; step {:.3f} ms, of it the device {:.3f} ms, {:.1f} tokens/s, {} launches\n",
             times.copyBytesPerSecond * 1e-9, times.stepSeconds * 1e3, times.launchSeconds * 1e3, tokens / times.stepSeconds,
             times.launches);
  fmt::print("weights {:.1f} MB a step: {:.0f}% of the copy's rate\n", times.weightBytes * 1e-6,
             100 * times.weightBytes / times.stepSeconds / times.copyBytesPerSecond);
}

int benchKernels(const hip::Provider &provider, const std::string &wanted, int runs, bool json) {
  const std::vector<KernelTime> times = measureKernels(provider, wanted, runs);
  const bool failed = std::ranges::any_of(times, [](const KernelTime &time) { return !time.failure.empty(); });
  if (json) {
    nlohmann::ordered_json out{{"device", provider.deviceName}, {"architecture", provider.architecture}};
    for (const KernelTime &time : times) {
      nlohmann::ordered_json line{{"kernel", time.name},
                                  {"q", time.tokens},
                                  {"launches", time.launches},
                                  {"us", time.microseconds},
                                  {"megabytes", time.megabytes}};
      if (time.limit)
        line["limit_us"] = *time.limit;
      if (!time.failure.empty())
        line["failure"] = time.failure;
      out["kernels"].push_back(std::move(line));
    }
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("{:<48} {:>2} {:>8} {:>10} {:>10} {:>8} {:>8}\n", "kernel", "q", "launches", "us", "limit us", "MB", "GB/s");
    for (const KernelTime &time : times)
      if (time.failure.empty())
        fmt::print("{:<48} {:>2} {:>8} {:>10.2f} {:>10} {:>8.2f} {:>8.0f}\n", time.name, time.tokens, time.launches,
                   time.microseconds, time.limit ? fmt::format("{:.0f}", *time.limit) : "-", time.megabytes,
                   time.megabytes / time.microseconds * 1e3);
      else
        fmt::print("{:<48} {:>2} {}\n", time.name, time.tokens, time.failure);
  }
  return static_cast<int>(failed ? ExitCode::Environment : ExitCode::Success);
}

int bench(const Arguments &arguments) {
  std::shared_ptr<const hip::Provider> provider = hip::openProvider(arguments.device);
  fmt::print(stderr, "{}\n", provider->choice);
  if (arguments.kernels)
    return benchKernels(*provider, *arguments.kernels, arguments.repeats, arguments.json);
  Plan plan = readPlanFile(arguments.plan);
  std::optional<gguf::Reader> file;
  std::unique_ptr<WeightSource> weights = openWeights(arguments, plan, file);
  const int tokens = arguments.prefill ? arguments.prefill : arguments.tokens;
  const int64_t pos = arguments.pos >= 0 ? arguments.pos : plan.context - tokens;
  if (arguments.prefill && !plan.prefill)
    userError("plan '{}' reads prompts in steps: compile it with --prefill-chunk {}, or leave out --prefill", arguments.plan,
              tokens);
  Executor executor(provider, std::move(plan), *weights, {.prefill = arguments.prefill > 0});
  if (arguments.prefill && !executor.prefill())
    environmentError("not enough memory for the chunk of {} tokens that plan '{}' has room for", executor.plan().prefill->maxWidth,
                     arguments.plan);
  Executor &timed = arguments.prefill ? *executor.prefill() : executor;
  const DeviceTimes times = measureDevice(timed, pos, tokens, arguments.repeats);
  if (!arguments.json) {
    print(times, tokens);
    return 0;
  }
  const Plan &loaded = timed.plan();
  nlohmann::ordered_json out{{"model", loaded.modelName},
                             {"device", provider->deviceName},
                             {"target", loaded.target},
                             {"weights", arguments.weights},
                             {"pos", pos},
                             {"q", tokens},
                             {"copy_bytes_per_second", times.copyBytesPerSecond},
                             {"step_ms", times.stepSeconds * 1e3},
                             {"device_ms", times.launchSeconds * 1e3},
                             {"kernels_ms", times.kernelSeconds * 1e3},
                             {"tokens_per_second", tokens / times.stepSeconds},
                             {"launches", times.launches},
                             {"weight_bytes", times.weightBytes},
                             {"share_of_copy", times.weightBytes / times.stepSeconds / times.copyBytesPerSecond}};
  for (const PlaceTime &place : times.places)
    out["places"].push_back(toJson(place, times.copyBytesPerSecond));
  fmt::print("{}\n", out.dump(2));
  return 0;
}

void addOptions(CLI::App &app, Arguments &arguments) {
  CLI::Option *plan = app.add_option("plan", arguments.plan, "plan file");
  app.add_option("--kernels", arguments.kernels,
                 "instead of a plan: single kernels of real size whose name contains this (\"\": all)")
      ->excludes(plan);
  app.add_option("--weights", arguments.weights, "GGUF file, or synth:SEED for generated weights")->capture_default_str();
  app.add_option("--device", arguments.device, "auto, hip, hip:N, sim or cuda")->capture_default_str();
  app.add_option("--pos", arguments.pos, "position of the step (default: the last that the plan has room for)")
      ->check(wholeNumber<int64_t>());
  CLI::Option *tokens =
      app.add_option("--tokens", arguments.tokens, "tokens of the step")->check(CLI::Range(1, 8))->capture_default_str();
  app.add_option("--prefill", arguments.prefill, "instead of a step: a chunk of a prompt of so many tokens")
      ->check(CLI::Range(1, kMaxChunk))
      ->excludes(tokens);
  app.add_option("--repeats", arguments.repeats, "steps of each kind, or runs of each kernel")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_flag("--json", arguments.json, "print JSON");
}

} // namespace
} // namespace ds4

int main(int argc, char **argv) {
  return ds4::runTool("ds4-bench", [&] {
    CLI::App app("Times a plan's decode step on a device, launch by launch, beside the rate of a copy.");
    ds4::Arguments arguments;
    ds4::addOptions(app, arguments);
    if (std::optional<int> done = ds4::parseCommandLine(app, argc, argv, {"--kernels"}))
      return *done;
    if (arguments.plan.empty() && !arguments.kernels)
      ds4::userError("nothing to time: name a plan, or --kernels");
    return ds4::bench(arguments);
  });
}
