// The bundled model on the simulator, compiled and loaded once for a test binary.
#pragma once

#include <memory>

#include "compiler/Compile.h"
#include "models/Model.h"
#include "runtime/Session.h"

namespace ds4 {

inline std::unique_ptr<Executor> loadBundledModel(int64_t context) {
  Model model = Model::open(DS4C_SOURCE_DIR "/models/tiny/ds4-tiny-q8_0.gguf");
  CompileOptions options;
  options.graph.context = context;
  Plan plan = compileModel(ModelTable(model), options);
  FileWeights weights(model.file());
  return std::make_unique<Executor>(hip::openProvider("sim"), std::move(plan), weights);
}

} // namespace ds4
