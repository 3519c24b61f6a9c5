#include "codegen/bench/BenchLaunch.h"

#include <cstring>

#include "codegen/clang/Compiler.h"
#include "codegen/emitters/Emitters.h"
#include "support/Error.h"

namespace ds4 {

BenchLaunch::BenchLaunch(const KernelSpec &spec, int pos, int tokens) : spec_(spec) {
  CompileRequest request;
  request.name = spec.symbol + ".hip";
  request.source = spec.source;
  for (const HeaderText &header : kernelHeaders())
    request.headers.emplace_back(header.name, header.text);
  const CompileResult result = compileHip(request);
  if (!result.ok)
    internalError("bench: {} does not compile: {}", spec.symbol, result.log);
  object_ = sim::CodeObject::load(result.codeObject);
  step_.pos = pos;
  step_.q = tokens;
  pass(std::as_bytes(std::span(&step_, 1)));
}

std::byte *BenchLaunch::pass(std::span<const std::byte> data) {
  std::vector<Line> &buffer = buffers_.emplace_back((data.size() + sizeof(Line) - 1) / sizeof(Line));
  std::memcpy(buffer.data(), data.data(), data.size());
  memory_.add(buffer.data(), data.size());
  memory_.markInitialised(buffer.data(), data.size());
  arguments_.push_back(buffer.data());
  return buffer.front().bytes;
}

void BenchLaunch::passScratch() {
  if (spec_.scratchBytes)
    pass(std::vector<std::byte>(spec_.scratchBytes));
}

sim::Counters BenchLaunch::run() {
  sim::Launch launch;
  launch.object = object_;
  launch.kernel = &kernel();
  for (size_t axis = 0; axis < 3; ++axis)
    launch.grid[axis] = static_cast<uint32_t>(spec_.grid[axis].evaluate(step_.pos, step_.q));
  launch.block = {static_cast<uint32_t>(spec_.block), 1, 1};
  launch.arguments = std::as_bytes(std::span(arguments_));
  sim::Options options;
  options.countLines = true;
  return sim::run(launch, memory_, options);
}

} // namespace ds4
