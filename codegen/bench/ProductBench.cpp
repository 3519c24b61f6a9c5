#include "codegen/bench/ProductBench.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "codegen/bench/BenchLaunch.h"
#include "codegen/emitters/Emitters.h"
#include "models/synth/Generator.h"
#include "models/synth/SyntheticCodebooks.h"
#include "support/Error.h"
#include "support/Half.h"

namespace ds4 {
namespace {

constexpr int kWidth = 4096, kExperts = 4;
constexpr double kAmplitude = 0.04; // of the weights

struct FormatLimits {
  std::string_view format;
  ProductLimit one, four; // tokens
};
constexpr FormatLimits kLimits[] = {
    {"rocmfp4_fast", {105, 88}, {165, 145}},
    {"rocmfp4", {108, 90}, {165, 145}},
    {"q8_0", {90, 65}, {150, 130}},
    {"rocmfp2", {70, 56}, {145, 122}},
    {"rocmfp3", {108, 88}, {165, 142}},
    {"rocmfp2_mix", {108, 90}, {180, 155}},
    {"rocmfp3_mix", {140, 112}, {200, 172}},
    // Of our own, from the first good version: no stretch.
    {"q4_k", {85, 85}, {150, 150}},
    {"q5_k", {140, 140}, {205, 205}},
    {"q6_k", {132, 132}, {322, 322}},
    {"q2_k", {85, 85}, {152, 152}},
    {"q4_0", {78, 78}, {140, 140}},
    {"mxfp4", {108, 108}, {170, 170}},
    {"rocmfp8", {112, 112}, {195, 195}},
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

// A matrix (or kExperts of them, one below the other) as bytes of device memory and as numbers.
struct Matrix {
  int rows; // of a slice
  std::vector<std::byte> bytes;
  std::vector<float> values;
  Matrix(const Format &format, int rows, int slices) : rows(rows), values(static_cast<size_t>(slices) * rows * kWidth) {
    const std::vector<std::byte> pool = makePool(format, kAmplitude, 1);
    bytes.resize(format.rowBytes(values.size()));
    for (size_t at = 0; at < bytes.size(); at += pool.size())
      std::memcpy(bytes.data() + at, pool.data(), std::min(pool.size(), bytes.size() - at));
    if (isMix(format))
      addLevels(format, slices);
    else
      format.decode(bytes, values);
  }

private:
  void addLevels(const Format &format, int slices) {
    const SyntheticMixTensor mix = makeSyntheticMix({0, MixTensor::GateExperts}, "bench.w", format, static_cast<uint32_t>(slices),
                                                    static_cast<uint32_t>(rows), kWidth, 1);
    const size_t blockBytes = bytes.size(), ofSlice = blockBytes / slices, each = values.size() / slices;
    bytes.resize(mixLevelsOffset(blockBytes) + slices * sizeof(MixLevels));
    uint32_t random = 1;
    for (int i = 0; i < slices; ++i) {
      const MixSlice &slice = mix.entry.slices[i];
      const std::span<std::byte> blocks = std::span(bytes).subspan(i * ofSlice, ofSlice);
      for (size_t end = format.blockBytes; slice.adaptive && end <= ofSlice; end += format.blockBytes)
        for (size_t back : {1, 2}) { // either codebook
          random = random * 1664525 + 1013904223;
          blocks[end - back] |= static_cast<std::byte>(random >> 24 & 0x80);
        }
      decodeMix(format, slice, blocks, std::span(values).subspan(i * each, each));
      const MixLevels levels = deviceLevels(format, slice);
      std::memcpy(bytes.data() + mixLevelsOffset(blockBytes) + i * sizeof levels, &levels, sizeof levels);
    }
  }
};

// What a kernel read, and what its results are to be.
struct Work {
  std::string format;
  double weights = 0, bytes = 0; // weights multiplied, bytes of distinct weights and inputs
  std::vector<double> expected;
};

ProductCost costOf(const KernelSpec &spec, const Work &work, BenchLaunch &launch, const std::byte *result, int tokens) {
  const sim::Counters counters = launch.run();
  std::vector<float> y(work.expected.size());
  std::memcpy(y.data(), result, y.size() * sizeof(float));
  double error = 0, size = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    error += std::pow(y[i] - work.expected[i], 2);
    size += std::pow(work.expected[i], 2);
  }
  const double units = work.weights / 1024;
  ProductCost cost;
  cost.op = spec.op;
  cost.format = work.format;
  cost.tokens = tokens;
  cost.launch = counters.instructions;
  cost.instructions = static_cast<double>(counters.instructions) / units;
  cost.withoutWaits = static_cast<double>(counters.instructions - counters.waits) / units;
  cost.bytes = static_cast<double>(counters.bytesLoaded) / work.bytes;
  cost.busBytes = static_cast<double>(counters.linesLoaded * sizeof(BenchLaunch::Line)) / work.bytes;
  cost.lines = static_cast<double>(counters.linesRequested) / static_cast<double>(counters.linesLoaded + counters.linesStored);
  cost.vgprs = static_cast<int>(launch.kernel().vgprs);
  cost.ldsBytes = static_cast<int>(launch.kernel().ldsBytes);
  cost.error = std::sqrt(error / size);
  return cost;
}

// One slot a token: token t takes expert t mod kExperts.
ProductCost measure(const std::string &format, const Matrix &matrix, const KernelSpec &spec, int tokens, bool routed) {
  const std::vector<float> x = syntheticTensor("bench.x", 0, static_cast<uint64_t>(tokens) * kWidth, {});
  std::vector<int> ids(tokens);
  for (int token = 0; token < tokens; ++token)
    ids[token] = routed ? token % kExperts : 0;

  const int matrices = routed ? tokens : 1, distinct = std::min(matrices, kExperts);
  Work work{format,
            static_cast<double>(matrices) * matrix.rows * kWidth,
            static_cast<double>(findFormatByName(format)->rowBytes(static_cast<uint64_t>(matrix.rows) * kWidth)) * distinct +
                x.size() * 4.0,
            {}};
  for (int token = 0; token < tokens; ++token)
    for (int row = 0; row < matrix.rows; ++row) {
      const float *w = matrix.values.data() + (static_cast<size_t>(ids[token]) * matrix.rows + row) * kWidth;
      double &sum = work.expected.emplace_back(0);
      for (int i = 0; i < kWidth; ++i)
        sum += static_cast<double>(w[i]) * x[static_cast<size_t>(token) * kWidth + i];
    }

  BenchLaunch launch(spec, 0, tokens);
  launch.pass(x);
  if (routed)
    launch.pass(ids);
  launch.pass(matrix.bytes);
  const std::byte *result = launch.pass(std::vector<float>(work.expected.size()));
  ProductCost cost = costOf(spec, work, launch, result, tokens);
  cost.rows = matrix.rows;
  cost.width = kWidth;
  return cost;
}

// The projection to the coefficients of hyper-connections, which also divides by the root mean square of its input.
ProductCost measureProjection(int tokens) {
  constexpr int kProjected = 24, kColumns = 4 * kWidth;
  constexpr float kEps = 1e-6f;
  const std::vector<float> x = syntheticTensor("bench.x", 0, static_cast<uint64_t>(tokens) * kColumns, {});
  const std::vector<float> drawn = syntheticTensor("bench.w", 0, uint64_t{kProjected} * kColumns, {});
  std::vector<uint16_t> w(drawn.size());
  std::ranges::transform(drawn, w.begin(), floatToHalf);
  const std::vector<float> base(kProjected), scale(3, 1.0f);
  Work work{"f16", double{kProjected} * kColumns, w.size() * 2.0 + x.size() * 4.0 + (base.size() + scale.size()) * 4.0, {}};
  for (int token = 0; token < tokens; ++token) {
    const float *z = x.data() + static_cast<size_t>(token) * kColumns;
    double squares = 0;
    for (int i = 0; i < kColumns; ++i)
      squares += static_cast<double>(z[i]) * z[i];
    for (int row = 0; row < kProjected; ++row) {
      double sum = 0;
      for (int i = 0; i < kColumns; ++i)
        sum += static_cast<double>(halfToFloat(w[static_cast<size_t>(row) * kColumns + i])) * z[i];
      work.expected.push_back(sum / std::sqrt(squares / kColumns + kEps));
    }
  }
  const KernelSpec spec = emitKernel(HcCoefficientsShape{.fnFormat = "f16", .width = kWidth, .eps = kEps});
  BenchLaunch launch(spec, 0, tokens);
  launch.pass(x);
  launch.pass(w);
  launch.pass(base);
  launch.pass(scale);
  const std::byte *result = launch.pass(std::vector<float>(work.expected.size()));
  launch.passScratch();
  ProductCost cost = costOf(spec, work, launch, result, tokens);
  cost.kernel = "exact";
  cost.rows = kProjected;
  cost.width = kColumns;
  const double unit = 1024 / work.weights; // its limits are of a whole launch
  if (tokens == 1)
    cost.limit = ProductLimit{45e3 * unit, 32e3 * unit};
  if (tokens == 4)
    cost.limit = ProductLimit{92e3 * unit, 78e3 * unit};
  return cost;
}

} // namespace

std::vector<ProductCost> measureProducts(const ProductSelection &selection) {
  std::vector<ProductCost> costs;
  const std::string &chosen = selection.format;
  for (const Format *format : formats()) {
    const std::string name(format->name);
    if ((!chosen.empty() && name != chosen) || format->id == WeightFormat::I32) // no weights
      continue;
    const int rows = selection.rows;
    const Matrix dense(*format, rows, 1), experts(*format, rows, selection.experts ? kExperts : 1);
    for (int tokens : selection.tokens) {
      auto add = [&](const KernelSpec &spec, bool routed, bool fast) {
        costs.push_back(measure(name, routed ? experts : dense, spec, tokens, routed));
        costs.back().kernel = fast ? "fast" : "exact";
        if (fast)
          costs.back().limit = limitOf(name, routed, tokens);
      };
      const int columns = fastColumns(name, kWidth, tokens);
      if (selection.exact) {
        add(emitKernel(LinearShape{name, rows, kWidth}), false, false);
        if (selection.experts)
          add(emitKernel(ExpertLinearShape{name, kExperts, 1, rows, kWidth}), true, false);
      }
      if (columns) {
        add(emitKernel(LinearShape{name, rows, kWidth, columns}), false, true);
        if (selection.experts)
          add(emitKernel(ExpertLinearShape{name, kExperts, 1, rows, kWidth, false, true}), true, true);
      }
    }
  }
  if (chosen.empty() || chosen == "f16")
    for (int tokens : selection.tokens)
      costs.push_back(measureProjection(tokens));
  if (costs.empty())
    userError("no product kernel reads format '{}': it is one of {}", chosen, supportedFormatNames());
  return costs;
}

} // namespace ds4
