#include "runtime/providers/simulator/bench/SimulatorBench.h"

#include "codegen/clang/Compiler.h"
#include "codegen/emitters/Emitters.h"
#include "runtime/providers/simulator/Machine.h"
#include "support/Error.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <limits>

namespace ds4 {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kRuns = 5;
constexpr size_t kStepBlockBytes = 256;

std::shared_ptr<sim::CodeObject> compile(const KernelSpec &spec) {
  CompileRequest request;
  request.name = spec.symbol + ".hip";
  request.source = spec.source;
  request.options = {"-O3", "-std=c++20"};
  for (const HeaderText &header : kernelHeaders())
    request.headers.emplace_back(std::string(header.name), std::string(header.text));
  const CompileResult result = compileHip(request);
  if (!result.ok)
    internalError("simulator bench: {} does not compile: {}", spec.symbol, result.log);
  return sim::CodeObject::load(result.codeObject);
}

double threadCpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

// A launch with its own buffers: the step block, then what the kernel takes, `bytes` zero bytes each.
class Bench {
public:
  Bench(const KernelSpec &spec, std::initializer_list<size_t> bytes) : name_(spec.symbol), object_(compile(spec)) {
    std::vector<size_t> sizes{kStepBlockBytes};
    sizes.insert(sizes.end(), bytes);
    for (size_t size : sizes) {
      buffers_.emplace_back(size);
      memory_.add(buffers_.back().data(), size);
      const void *pointer = buffers_.back().data();
      const size_t at = arguments_.size();
      arguments_.resize(at + sizeof pointer);
      std::memcpy(arguments_.data() + at, &pointer, sizeof pointer);
    }
    launch_.object = object_;
    launch_.kernel = object_->find(spec.symbol);
    for (size_t axis = 0; axis < 3; axis++)
      launch_.grid[axis] = uint32_t(std::max<int64_t>(spec.grid[axis].evaluate(0, 1), 1));
    launch_.block = {uint32_t(spec.block), 1, 1};
    launch_.arguments = arguments_;
  }

  double wallSeconds(unsigned threads, SimulatorSpeed &speed) {
    sim::Options options;
    options.threads = threads;
    const auto begin = Clock::now();
    const double cpu = threadCpuSeconds();
    speed.instructions = sim::run(launch_, memory_, options).instructions;
    if (threads == 1)
      speed.cpuSeconds = std::min(speed.cpuSeconds, threadCpuSeconds() - cpu);
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  SimulatorSpeed measure() {
    constexpr double never = std::numeric_limits<double>::infinity();
    SimulatorSpeed speed{name_, 0, never, never, never};
    for (int k = 0; k < kRuns; k++) {
      speed.oneThreadSeconds = std::min(speed.oneThreadSeconds, wallSeconds(1, speed));
      speed.twoThreadSeconds = std::min(speed.twoThreadSeconds, wallSeconds(2, speed));
    }
    return speed;
  }

private:
  std::string name_;
  std::shared_ptr<sim::CodeObject> object_;
  sim::Memory memory_;
  std::vector<std::vector<std::byte>> buffers_;
  std::vector<std::byte> arguments_;
  sim::Launch launch_;
};

} // namespace

std::vector<SimulatorSpeed> measureSimulator() {
  constexpr int rows = 4096, width = 4096;
  constexpr size_t vector = 4 * 4096;
  std::vector<SimulatorSpeed> all;
  all.push_back(Bench(emitKernel(LinearShape{"q8_0", rows, width}), {vector, size_t(rows) * width / 32 * 34, vector}).measure());
  all.push_back(Bench(emitKernel(LinearShape{"f16", rows, width}), {vector, size_t(rows) * width * 2, vector}).measure());
  return all;
}

double measureLaunchOverhead() {
  constexpr int launches = 500;
  Bench bench(emitKernel(AddShape{64}), {4096, 4096, 4096});
  SimulatorSpeed ignored;
  bench.wallSeconds(2, ignored); // decodes
  const auto begin = Clock::now();
  for (int k = 0; k < launches; k++)
    bench.wallSeconds(2, ignored);
  return std::chrono::duration<double>(Clock::now() - begin).count() / launches;
}

} // namespace ds4
