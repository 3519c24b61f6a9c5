// The bundled model from a plan that the build compiled, on the simulator or on the device named by DS4C_TEST_DEVICE (the plan
// must then be for that).
#pragma once

#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "models/gguf/Reader.h"
#include "runtime/Session.h"
#include "runtime/plan/PlanFile.h"

namespace ds4 {

// `context` is one of those in CMakeLists.txt.
inline std::unique_ptr<Executor> loadBundledModel(int64_t context) {
  const char *device = std::getenv("DS4C_TEST_DEVICE");
  const gguf::Reader file = gguf::Reader::open(DS4C_TINY_MODEL);
  FileWeights weights(file);
  Plan plan = readPlanFile(fmt::format("{}-{}.ds4plan", DS4C_TINY_PLAN, context));
  return std::make_unique<Executor>(hip::openProvider(device ? device : "sim"), std::move(plan), weights);
}

} // namespace ds4
