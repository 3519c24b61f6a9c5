#include "tools/ds4-run/Loading.h"

#include <chrono>
#include <csignal>
#include <set>

#include <unistd.h>

#include <fmt/format.h>

#include "runtime/hip/DeviceList.h"
#include "support/Error.h"
#include "support/HostMemory.h"

namespace ds4 {

namespace {

std::atomic<bool> interrupted = false;

// While it lives, the first SIGINT sets `interrupted`; the second one finds the default action.
class InterruptGuard {
public:
  InterruptGuard() {
    struct sigaction action{};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, &action, &before_);
  }
  ~InterruptGuard() { ::sigaction(SIGINT, &before_, nullptr); }
  InterruptGuard(const InterruptGuard &) = delete;
  InterruptGuard &operator=(const InterruptGuard &) = delete;

private:
  struct sigaction before_{};
};

double gigabytes(uint64_t bytes) { return double(bytes) * 1e-9; }

// HIP's 70100000 is 7.1.
std::string version(int number) { return fmt::format("{}.{}", number / 10'000'000, number / 100'000 % 100); }

void printDevice(const hip::ListedDevice &device) {
  fmt::print("  {}  {} ({}), {} CUs", device.choice, device.name, device.architecture, device.computeUnits);
  if (device.totalBytes)
    fmt::print(", HIP {:.1f} GB", gigabytes(device.totalBytes));
  if (device.counters)
    fmt::print(", VRAM {:.1f} of {:.1f} GB used, GTT {:.1f} of {:.1f} GB used", gigabytes(device.counters->vramUsed),
               gigabytes(device.counters->vramTotal), gigabytes(device.counters->gttUsed), gigabytes(device.counters->gttTotal));
  fmt::print(": {}\n", device.refusal.empty() ? "usable" : "not usable, " + device.refusal);
}

void listDevices() {
  for (const hip::ListedProvider &provider : hip::listProviders()) {
    if (provider.devices.empty()) {
      fmt::print("{}: none: {}\n", provider.title, provider.failure);
      continue;
    }
    fmt::print("{}: {}, driver {}, runtime {}\n", provider.title, provider.library, version(provider.driverVersion),
               version(provider.runtimeVersion));
    for (const hip::ListedDevice &device : provider.devices)
      printDevice(device);
  }
  if (const std::string problem = hip::kfdProblem(); !problem.empty())
    fmt::print("{}\n", problem);
  fmt::print("memory of the machine: {:.1f} GB available\n", gigabytes(availableHostBytes()));
}

// "loading weights 45 % (3.2 GB/s)" on stderr while it is a terminal.
std::function<void(std::string_view, double)> progressOf(const Plan &plan) {
  if (!::isatty(STDERR_FILENO))
    return {};
  return
      [bytes = plan.weightBytes(), start = std::chrono::steady_clock::time_point()](std::string_view what, double share) mutable {
        const auto now = std::chrono::steady_clock::now();
        std::string rate;
        if (what == "weights") {
          if (start == std::chrono::steady_clock::time_point())
            start = now;
          if (const double seconds = std::chrono::duration<double>(now - start).count(); seconds > 0.1)
            rate = fmt::format(" ({:.2f} GB/s)", share * gigabytes(bytes) / seconds);
        }
        fmt::print(stderr, "\rloading {} {:3.0f} %{}{}", what, share * 100, rate, share >= 1 ? "\r\033[K" : "");
      };
}

// Plans with code objects need no word.
void showKernels(const KernelLoadReport &report) {
  if (report.cached + report.compiled > 0)
    fmt::print(stderr, "kernels: {} from the cache{}, {} compiled, {:.2f} s\n", report.cached,
               report.cacheFolder.empty() ? "" : fmt::format(" {}", report.cacheFolder), report.compiled, report.seconds);
}

} // namespace

void addLoadOptions(CLI::App &app, LoadArguments &arguments) {
  app.add_option("--device", arguments.device, "auto, hip, hip:N, sim or cuda")->capture_default_str();
  app.add_flag_callback(
      "--list-devices",
      [] {
        listDevices();
        throw CLI::Success();
      },
      "print the devices, their memory, and why they can be used or not");
  app.add_option("--threads", arguments.threads, "host threads of the simulator")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str();
  app.add_option("--kernel-cache", arguments.kernelCache,
                 "kernels compiled at load: on, off, readonly (a missing one is an error) or redo")
      ->check(CLI::IsMember({"on", "off", "readonly", "redo"}))
      ->capture_default_str();
  app.add_option("--dump-failed", arguments.dumpFailed, "folder for source, log and command of a kernel that does not compile");
}

ExecutorOptions executorOptions(const LoadArguments &arguments) {
  ExecutorOptions options;
  options.stop = &interrupted;
  options.kernels.cache.policy = parseCachePolicy(arguments.kernelCache);
  // The step, prompts in chunks and a drafter each look into the cache: what all of them find wrong is said once.
  options.kernels.cache.warn = [](const std::string &text) {
    static std::set<std::string> said;
    if (said.insert(text).second)
      fmt::print(stderr, "ds4-run: warning: {}\n", text);
  };
  options.kernels.compiler.dumpFailed = arguments.dumpFailed;
  return options;
}

std::unique_ptr<Executor> loadExecutor(const LoadArguments &arguments, Plan plan, WeightSource &weights) {
  auto provider = hip::openProvider(arguments.device);
  fmt::print(stderr, "{}\n", provider->choice);
  if (provider->table.ds4simSetOption)
    provider->table.ds4simSetOption("threads", std::to_string(arguments.threads).c_str());

  ExecutorOptions options = executorOptions(arguments);
  options.progress = progressOf(plan);
  const InterruptGuard guard;
  auto executor = std::make_unique<Executor>(provider, std::move(plan), weights, options);
  showKernels(executor->kernelReport());
  return executor;
}

} // namespace ds4
