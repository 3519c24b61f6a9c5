// The bundled model on the simulator, from a plan that the build compiled.
#pragma once

#include <memory>

#include <fmt/format.h>

#include "models/gguf/Reader.h"
#include "runtime/Session.h"
#include "runtime/plan/PlanFile.h"

namespace ds4 {

// `context` is one of those in CMakeLists.txt.
inline std::unique_ptr<Executor> loadBundledModel(int64_t context) {
  FileWeights weights{gguf::Reader(DS4C_TINY_MODEL)};
  Plan plan = readPlanFile(fmt::format("{}-{}.ds4plan", DS4C_TINY_PLAN, context));
  return std::make_unique<Executor>(hip::openProvider("sim"), std::move(plan), weights);
}

} // namespace ds4
