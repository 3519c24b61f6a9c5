// ds4c: the compiler's command line.
#include "support/Error.h"
#include "tools/CommandLine.h"
#include "tools/ds4c/Commands.h"

int main(int argc, char **argv) {
  return ds4::runTool("ds4c", [&] {
    CLI::App app("Compiles DeepSeek-V4-Flash models into plans of gfx1151 kernels.");
    app.require_subcommand(1);
    ds4::CommandBody body;
    ds4::addCompileCommand(app, body);
    ds4::addInspectCommand(app, body);
    ds4::addQuantizeCommand(app, body);
    ds4::addSynthCommand(app, body);
    ds4::addVerifyCommand(app, body);
    ds4::addBenchCommand(app, body);
    ds4::addCacheCommand(app, body);
    if (std::optional<int> done = ds4::parseCommandLine(app, argc, argv))
      return *done;
    return body();
  });
}
