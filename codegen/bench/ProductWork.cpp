#include "codegen/bench/ProductWork.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "models/synth/Generator.h"
#include "models/synth/SyntheticCodebooks.h"

namespace ds4 {

static constexpr double kAmplitude = 0.04; // of the weights

BenchMatrix::BenchMatrix(const Format &format, int rows, int width, int slices)
    : rows(rows), width(width), values(static_cast<size_t>(slices) * rows * width) {
  const std::vector<std::byte> pool = makePool(format, kAmplitude, 1);
  bytes.resize(format.rowBytes(values.size()));
  for (size_t at = 0; at < bytes.size(); at += pool.size())
    std::memcpy(bytes.data() + at, pool.data(), std::min(pool.size(), bytes.size() - at));
  if (isMix(format))
    addLevels(format, slices);
  else
    format.decode(bytes, values);
}

double BenchMatrix::product(int slice, int row, const float *x) const {
  const float *w = values.data() + (static_cast<size_t>(slice) * rows + row) * width;
  double sum = 0;
  for (int i = 0; i < width; ++i)
    sum += static_cast<double>(w[i]) * x[i];
  return sum;
}

void BenchMatrix::addLevels(const Format &format, int slices) {
  const SyntheticMixTensor mix = makeSyntheticMix({0, MixTensor::GateExperts}, "bench.w", format, static_cast<uint32_t>(slices),
                                                  static_cast<uint32_t>(rows), static_cast<uint32_t>(width), 1);
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

ProductCost costOf(const KernelSpec &spec, const BenchWork &work, BenchLaunch &launch, const std::byte *result, int tokens) {
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

ProductCost costOfLaunch(const KernelSpec &spec, const BenchWork &work, BenchLaunch &launch, const std::byte *result, int tokens,
                         const ProductLimit &one, const ProductLimit &four) {
  ProductCost cost = costOf(spec, work, launch, result, tokens);
  cost.kernel = "exact";
  const double unit = 1024 / work.weights;
  if (tokens == 1 || tokens == 4) {
    const ProductLimit &limit = tokens == 1 ? one : four;
    cost.limit = ProductLimit{limit.limit * unit, limit.stretch * unit};
  }
  return cost;
}

} // namespace ds4
