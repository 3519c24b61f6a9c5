// mlir-opt with the ds4 dialect and its passes.
#include <mlir/InitAllDialects.h>
#include <mlir/InitAllPasses.h>
#include <mlir/Tools/mlir-opt/MlirOptMain.h>

#include "ir/Ds4Dialect.h"
#include "passes/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registry.insert<ds4::Ds4Dialect>();
  mlir::registerAllPasses();
  ds4::registerDs4Passes();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "ds4-opt: optimiser of the ds4 dialect\n", registry));
}
