// ds4-golden of machines that have a GPU and no compiler: layers alone, by plans that were compiled elsewhere.
#include "tools/CommandLine.h"
#include "tools/ds4-golden/Commands.h"

int main(int argc, char **argv) {
  return ds4::runTool("ds4-golden", [&] {
    CLI::App app("Compares layers with expected values and prints the error of every tensor.");
    app.require_subcommand(1);
    ds4::golden::CommandBody body;
    ds4::golden::addLayerCommand(app, body, nullptr);
    if (auto done = ds4::parseCommandLine(app, argc, argv))
      return *done;
    return body();
  });
}
