// ds4-run's way from a plan to an executor: the device, the kernel cache, progress, and SIGINT.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "runtime/Executor.h"

namespace ds4 {

struct LoadArguments {
  std::string device = "auto";
  unsigned threads = 2; // of the simulator
  std::string kernelCache = "on", dumpFailed;
};

// Adds --device, --list-devices, --threads, --kernel-cache and --dump-failed.
void addLoadOptions(CLI::App &app, LoadArguments &arguments);

// How an executor loads, without progress.
ExecutorOptions executorOptions(const LoadArguments &arguments);

// Opens the device and loads; says on stderr what was chosen and, where kernels were compiled or found, how many. SIGINT ends
// it with ds4::Error (exit code 130), a second one at once.
std::unique_ptr<Executor> loadExecutor(const LoadArguments &arguments, Plan plan, WeightSource &weights);

} // namespace ds4
