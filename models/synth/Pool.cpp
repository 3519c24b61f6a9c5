#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/formats/Blocks.h"
#include "models/synth/Generator.h"
#include "support/Error.h"

namespace ds4 {

namespace {

// A half-precision factor of a super-block, relative to the block's first one.
struct ScaleField {
  uint32_t offset;
  float ratio;
};

// The formats without a quantizer: all bytes but these are codes and small scales, of which any value has a meaning. A
// minimum's factor (dmin) is the mean code times d, so that weights scatter about zero.
std::vector<ScaleField> scaleFieldsOf(const Format &format) {
  switch (format.id) {
  case WeightFormat::Q2_K:
    return {{80, 1.0f}, {82, 1.5f}};
  case WeightFormat::Q3_K:
    return {{108, 1.0f}};
  case WeightFormat::Q4_K:
    return {{0, 1.0f}, {2, 7.5f}};
  case WeightFormat::Q5_K:
    return {{0, 1.0f}, {2, 15.5f}};
  case WeightFormat::Q6_K:
    return {{208, 1.0f}};
  case WeightFormat::IQ2_XXS:
  case WeightFormat::IQ3_XXS:
  case WeightFormat::IQ4_XS:
    return {{0, 1.0f}};
  default:
    userError("ds4c cannot generate weights of {}", format.name);
  }
}

void setScales(std::span<const ScaleField> fields, std::byte *block, float d) {
  for (const ScaleField &field : fields)
    storeAt(block, field.offset, floatToHalf(d * field.ratio));
}

double rootMeanSquare(const Format &format, std::span<const std::byte> blocks) {
  std::vector<float> weights(blocks.size() / format.blockBytes * format.blockWeights);
  format.decode(blocks, weights);
  double sum = 0;
  for (float weight : weights)
    sum += static_cast<double>(weight) * weight;
  return std::sqrt(sum / static_cast<double>(weights.size()));
}

std::vector<std::byte> randomBlocks(const Format &format, double amplitude, const std::string &name, uint64_t seed) {
  const std::vector<ScaleField> fields = scaleFieldsOf(format);
  std::vector<std::byte> blocks(kPoolBlocks * format.blockBytes);
  const std::vector<float> bytes = syntheticTensor(name, 0, blocks.size(), {.amplitude = 128, .base = 128}, seed);
  std::ranges::transform(bytes, blocks.begin(), [](float byte) { return static_cast<std::byte>(std::min(byte, 255.0f)); });
  for (uint64_t i = 0; i < kPoolBlocks; ++i)
    setScales(fields, blocks.data() + i * format.blockBytes, 1.0f);
  const auto unit = static_cast<float>(amplitude / std::sqrt(3.0) / rootMeanSquare(format, blocks));
  const std::vector<float> scales = syntheticTensor(name + ".scale", 0, kPoolBlocks, {.amplitude = 0.25, .base = 1}, seed);
  for (uint64_t i = 0; i < kPoolBlocks; ++i)
    setScales(fields, blocks.data() + i * format.blockBytes, unit * scales[i]);
  return blocks;
}

// MIX formats and the rarer meanings of type 107 have no quantizer of their own, but the wire of one that has.
const Format &writtenAs(const Format &format) {
  switch (format.id) {
  case WeightFormat::RocmFp3Mix:
    return formatOf(WeightFormat::RocmFp3);
  case WeightFormat::RocmFp2Mix:
  case WeightFormat::RocmFp2Affine:
  case WeightFormat::RocmFp2S40:
    return formatOf(WeightFormat::RocmFp2);
  default:
    return format;
  }
}

} // namespace

std::vector<std::byte> makePool(const Format &format, double amplitude, uint64_t seed) {
  const std::string name = fmt::format("pool.{}", format.name);
  const Format &wire = writtenAs(format);
  if (!wire.encodeRow)
    return randomBlocks(wire, amplitude, name, seed);
  std::vector<std::byte> blocks(kPoolBlocks * wire.blockBytes);
  wire.encode(syntheticTensor(name, 0, kPoolBlocks * wire.blockWeights, {.amplitude = amplitude}, seed), {}, blocks);
  return blocks;
}

} // namespace ds4
