// The subcommands of ds4c. Each adds itself to the command line and returns its exit code when run.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace ds4 {

// Runs the chosen subcommand; set by the command that the user named.
using CommandBody = std::function<int()>;

void addCompileCommand(CLI::App &app, CommandBody &body);  // MODEL.gguf -> plan
void addInspectCommand(CLI::App &app, CommandBody &body);  // what a plan holds
void addQuantizeCommand(CLI::App &app, CommandBody &body); // MODEL.gguf -> the same in other formats
void addSynthCommand(CLI::App &app, CommandBody &body);    // description -> a model with generated weights
void addVerifyCommand(CLI::App &app, CommandBody &body);   // device against reference, op by op
void addBenchCommand(CLI::App &app, CommandBody &body);    // counted costs
void addCacheCommand(CLI::App &app, CommandBody &body);    // kernels compiled at load

} // namespace ds4
