// ds4-golden: compares what plans compute with expected values from elsewhere; exit code 1 when out of tolerance.
#include "support/Error.h"
#include "tools/CommandLine.h"
#include "tools/ds4-golden/Commands.h"
#include "tools/ds4-golden/MlirLayerCompiler.h"

int main(int argc, char **argv) {
  return ds4::runTool("ds4-golden", [&] {
    CLI::App app("Compares models and layers with expected values and prints the error of every tensor.");
    app.require_subcommand(1);
    ds4::golden::CommandBody body;
    ds4::golden::addModelCommand(app, body);
    ds4::golden::addDraftCommand(app, body);
    const ds4::golden::MlirLayerCompiler compiler;
    ds4::golden::addLayerCommand(app, body, &compiler);
    if (auto done = ds4::parseCommandLine(app, argc, argv))
      return *done;
    return body();
  });
}
