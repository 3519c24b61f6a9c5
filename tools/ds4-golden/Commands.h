// The subcommands of ds4-golden. Each adds itself to the command line; its body, set by the parser, returns the exit code.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <mlir/IR/BuiltinOps.h>

#include "ir/reference/Interpreter.h"
#include "models/graph/GraphBuilder.h"
#include "runtime/Weights.h"
#include "tools/ds4-golden/Report.h"
#include "tools/ds4-golden/StepRunner.h"

namespace ds4::golden {

using CommandBody = std::function<int()>;

void addModelCommand(CLI::App &app, CommandBody &body);
void addLayerCommand(CLI::App &app, CommandBody &body);

// What computes the steps, and how the outcome is printed.
struct RunOptions {
  std::string device = "auto"; // as hip::openProvider() takes it, or "reference"
  int width = 8;               // greatest tokens of a step
  bool json = false;
};
void addRunOptions(CLI::App &command, RunOptions &options);

// Both forms of the same weights: as bytes for a device, decoded for the interpreter.
struct Weights {
  WeightSource &bytes;
  reference::Interpreter::WeightSource decoded;
};

// A runner of the module's step function, which was built with `graph`. For a device the module is compiled in place; the
// interpreter keeps using it and the weights.
std::unique_ptr<StepRunner> makeRunner(mlir::ModuleOp module, const ModelTable &table, const GraphOptions &graph,
                                       const Weights &weights, const std::string &device);

// Prints the report and gives the exit code.
int finish(const Report &report, const RunOptions &options);

} // namespace ds4::golden
