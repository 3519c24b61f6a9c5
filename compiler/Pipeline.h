// The pipeline from primitive ops to launches, in one readable place.
#pragma once

#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace ds4 {

struct PipelineOptions {
  int maxWidth = 8;                        // greatest q: the arena has room for it
  bool chunk = false;                      // the function reads a chunk of a prompt, of up to maxWidth tokens
  bool reuseArena = true;                  // false: every value keeps its own place
  bool exactProducts = false;              // no product in half precision
  bool fineGrids = false;                  // launches for devices of more than a hundred multiprocessors
  bool clusters = false;                   // the target has clusters of workgroups
  std::vector<std::string> printIrAfter;   // pass names, or "all"; printed to stderr
  std::vector<std::string> disabledPasses; // names of optional passes that are left out
  std::string crashReproducer;             // a file for MLIR's reproducer; empty = none
};

// The passes that PipelineOptions::disabledPasses may name.
llvm::ArrayRef<llvm::StringRef> optionalPasses();

// Every pass that some pipeline holds, which PipelineOptions::printIrAfter may name.
std::vector<std::string> allPasses();

// Adds the passes in order.
void buildPipeline(mlir::OpPassManager &manager, const PipelineOptions &options);

// The same as text, which `ds4-opt --pass-pipeline` takes.
std::string pipelineText(const PipelineOptions &options);

// Runs it. Throws ds4::Error (Internal) with the first diagnostic when a pass fails.
void runPipeline(mlir::ModuleOp module, const PipelineOptions &options);

} // namespace ds4
