// The subcommands of ds4-golden. Each adds itself to the command line; its body, set by the parser, returns the exit code.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "tools/ds4-golden/LayerCompiler.h"
#include "tools/ds4-golden/Report.h"
#include "tools/ds4-golden/RunOptions.h"

namespace ds4::golden {

using CommandBody = std::function<int()>;

void addModelCommand(CLI::App &app, CommandBody &body);
void addDraftCommand(CLI::App &app, CommandBody &body);
// Without a compiler (null) the layers' plans come from files.
void addLayerCommand(CLI::App &app, CommandBody &body, const LayerCompiler *compiler);

void addRunOptions(CLI::App &command, RunOptions &options);

// Prints the report and gives the exit code.
int finish(const Report &report, const RunOptions &options);

} // namespace ds4::golden
