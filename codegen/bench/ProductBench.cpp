#include "codegen/bench/ProductBench.h"

#include <cmath>
#include <cstring>

#include "codegen/clang/Compiler.h"
#include "codegen/emitters/Emitters.h"
#include "codegen/kernels/step.h"
#include "models/synth/Generator.h"
#include "runtime/providers/simulator/Machine.h"
#include "support/Error.h"

namespace ds4 {
namespace {

constexpr int kRows = 1024, kWidth = 4096, kExperts = 4;
constexpr double kAmplitude = 0.04; // of the weights

struct FormatLimits {
  std::string_view format;
  ProductLimit one, four; // tokens
};
constexpr FormatLimits kLimits[] = {
    {"rocmfp4_fast", {105, 88}, {165, 145}}, {"rocmfp4", {108, 90}, {165, 145}}, {"q8_0", {90, 65}, {150, 130}},
    {"rocmfp2", {70, 56}, {145, 122}},       {"rocmfp3", {108, 88}, {165, 142}},
};

std::optional<ProductLimit> limitOf(std::string_view format, bool routed, int tokens) {
  const double allowance = routed ? 1.15 : 1; // an expert has no other columns to share its weights with
  for (const FormatLimits &limits : kLimits)
    if (limits.format == format && (tokens == 1 || tokens == 4)) {
      const ProductLimit &limit = tokens == 1 || routed ? limits.one : limits.four;
      return ProductLimit{limit.limit * allowance, limit.stretch * allowance};
    }
  return std::nullopt;
}

// A matrix (or kExperts of them, one below the other) as bytes and as numbers.
struct Matrix {
  std::vector<std::byte> bytes;
  std::vector<float> values;
  Matrix(const Format &format, int rows) : values(static_cast<size_t>(rows) * kWidth) {
    const std::vector<std::byte> pool = makePool(format, kAmplitude, 1);
    bytes.resize(format.rowBytes(values.size()));
    for (size_t at = 0; at < bytes.size(); at += pool.size())
      std::memcpy(bytes.data() + at, pool.data(), std::min(pool.size(), bytes.size() - at));
    format.decode(bytes, values);
  }
};

class Launch {
public:
  explicit Launch(const KernelSpec &spec) : spec_(spec) {
    CompileRequest request;
    request.name = spec.symbol + ".hip";
    request.source = spec.source;
    for (const HeaderText &header : kernelHeaders())
      request.headers.emplace_back(header.name, header.text);
    const CompileResult result = compileHip(request);
    if (!result.ok)
      internalError("product bench: {} does not compile: {}", spec.symbol, result.log);
    object_ = sim::CodeObject::load(result.codeObject);
  }
  // Adds a copy of `data` as an argument, at the start of a line, as device memory has it.
  std::byte *pass(const void *data, size_t bytes) {
    std::vector<Line> &buffer = buffers_.emplace_back((bytes + sizeof(Line) - 1) / sizeof(Line));
    std::memcpy(buffer.data(), data, bytes);
    memory_.add(buffer.data(), bytes);
    memory_.markInitialised(buffer.data(), bytes);
    arguments_.push_back(buffer.data());
    return buffer.front().bytes;
  }
  const sim::KernelInfo &kernel() const { return *object_->find(spec_.symbol); }
  sim::Counters run(int tokens) {
    sim::Launch launch;
    launch.object = object_;
    launch.kernel = &kernel();
    for (size_t axis = 0; axis < 3; ++axis)
      launch.grid[axis] = static_cast<uint32_t>(spec_.grid[axis].evaluate(0, tokens));
    launch.block = {static_cast<uint32_t>(spec_.block), 1, 1};
    launch.arguments = std::as_bytes(std::span(arguments_));
    sim::Options options;
    options.countLines = true;
    return sim::run(launch, memory_, options);
  }

private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  KernelSpec spec_;
  std::shared_ptr<sim::CodeObject> object_;
  std::vector<std::vector<Line>> buffers_;
  sim::Memory memory_;
  std::vector<const void *> arguments_;
};

// One slot a token: token t takes expert t mod kExperts.
ProductCost measure(const std::string &format, const Matrix &matrix, const KernelSpec &spec, int tokens, bool routed) {
  Step step{};
  step.q = tokens;
  const std::vector<float> x = syntheticTensor("bench.x", 0, static_cast<uint64_t>(tokens) * kWidth, {});
  std::vector<float> y(static_cast<size_t>(tokens) * kRows);
  std::vector<int> ids(tokens);
  for (int token = 0; token < tokens; ++token)
    ids[token] = routed ? token % kExperts : 0;

  Launch launch(spec);
  launch.pass(&step, sizeof step);
  launch.pass(x.data(), x.size() * sizeof(float));
  if (routed)
    launch.pass(ids.data(), ids.size() * sizeof(int));
  launch.pass(matrix.bytes.data(), matrix.bytes.size());
  const std::byte *result = launch.pass(y.data(), y.size() * sizeof(float));
  const sim::Counters counters = launch.run(tokens);
  std::memcpy(y.data(), result, y.size() * sizeof(float));

  double error = 0, size = 0;
  for (int token = 0; token < tokens; ++token)
    for (int row = 0; row < kRows; ++row) {
      const float *w = matrix.values.data() + (static_cast<size_t>(ids[token]) * kRows + row) * kWidth;
      double expected = 0;
      for (int i = 0; i < kWidth; ++i)
        expected += static_cast<double>(w[i]) * x[static_cast<size_t>(token) * kWidth + i];
      error += std::pow(y[static_cast<size_t>(token) * kRows + row] - expected, 2);
      size += expected * expected;
    }
  const int matrices = routed ? tokens : 1, distinct = std::min(matrices, kExperts);
  const double units = static_cast<double>(matrices) * kRows * kWidth / 1024;
  const double matrixBytes = static_cast<double>(findFormatByName(format)->rowBytes(static_cast<uint64_t>(kRows) * kWidth));
  ProductCost cost;
  cost.op = spec.op;
  cost.format = format;
  cost.rows = kRows;
  cost.width = kWidth;
  cost.tokens = tokens;
  cost.instructions = static_cast<double>(counters.instructions) / units;
  cost.withoutWaits = static_cast<double>(counters.instructions - counters.waits) / units;
  cost.bytes = static_cast<double>(counters.bytesLoaded) / (matrixBytes * distinct + static_cast<double>(x.size()) * 4);
  cost.lines = static_cast<double>(counters.linesRequested) / static_cast<double>(counters.linesLoaded + counters.linesStored);
  cost.vgprs = static_cast<int>(launch.kernel().vgprs);
  cost.ldsBytes = static_cast<int>(launch.kernel().ldsBytes);
  cost.error = std::sqrt(error / size);
  return cost;
}

} // namespace

std::vector<ProductCost> measureProducts(const std::string &chosen) {
  std::vector<ProductCost> costs;
  for (const Format *format : formats()) {
    const std::string name(format->name);
    if ((!chosen.empty() && name != chosen) || format->id == WeightFormat::I32 || format->id == WeightFormat::RocmFp3Mix ||
        format->id == WeightFormat::RocmFp2Mix) // no weights; no device code
      continue;
    const Matrix dense(*format, kRows), experts(*format, kRows * kExperts);
    for (int tokens : {1, 2, 4, 8}) {
      auto add = [&](const KernelSpec &spec, bool routed, bool fast) {
        costs.push_back(measure(name, routed ? experts : dense, spec, tokens, routed));
        costs.back().kernel = fast ? "fast" : "exact";
        if (fast)
          costs.back().limit = limitOf(name, routed, tokens);
      };
      const int columns = fastColumns(name, kWidth, tokens);
      add(emitKernel(LinearShape{name, kRows, kWidth}), false, false);
      add(emitKernel(ExpertLinearShape{name, kExperts, 1, kRows, kWidth}), true, false);
      if (columns) {
        add(emitKernel(LinearShape{name, kRows, kWidth, columns}), false, true);
        add(emitKernel(ExpertLinearShape{name, kExperts, 1, kRows, kWidth, false, true}), true, true);
      }
    }
  }
  if (costs.empty())
    userError("no product kernel reads format '{}': it is one of {}", chosen, supportedFormatNames());
  return costs;
}

} // namespace ds4
