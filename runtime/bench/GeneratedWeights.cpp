#include "runtime/bench/GeneratedWeights.h"

#include <algorithm>
#include <cstring>

#include "models/formats/MixCodebooks.h"
#include "models/synth/Generator.h"
#include "support/Half.h"

namespace ds4 {

namespace {

constexpr double kAmplitude = 0.04; // of matrices with some thousand columns

std::vector<std::byte> bytesOf(const auto &values) {
  auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

} // namespace

GeneratedWeights::GeneratedWeights(const Plan &plan, uint64_t seed) {
  for (const PlanWeight &weight : plan.weights) {
    if (weight.shape.size() == 3)
      experts_ = static_cast<int>(weight.shape[0]);
    if (weight.format != "i32" && !pools_.contains(weight.format))
      pools_[weight.format] = makePool(*findFormatByName(weight.format), kAmplitude, seed);
  }
  std::vector<int32_t> ids(static_cast<size_t>(experts_));
  for (size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<int32_t>(i);
  pools_["i32"] = bytesOf(ids);
  pools_["ones f32"] = bytesOf(std::vector<float>(256, 1.0f));
  pools_["ones f16"] = bytesOf(std::vector<uint16_t>(256, floatToHalf(1.0f)));
}

void GeneratedWeights::read(const PlanWeight &weight, uint64_t offset, std::span<std::byte> out) const {
  const bool isVector = weight.shape.size() == 1 && (weight.format == "f32" || weight.format == "f16");
  const std::vector<std::byte> &pool = pools_.at(isVector ? "ones " + weight.format : weight.format);
  const Format *format = findFormatByName(weight.format);
  const uint64_t block = format ? format->blockBytes : sizeof(int32_t);
  uint64_t at = (offset + std::hash<std::string>()(weight.name) % 97 * 31 * block) % pool.size();
  for (size_t done = 0; done < out.size();) {
    const size_t piece = std::min<size_t>(out.size() - done, pool.size() - at);
    std::memcpy(out.data() + done, pool.data() + at, piece);
    done += piece;
    at = 0;
  }
}

void GeneratedWeights::readLevels(const PlanWeight &weight, std::span<MixLevels> out) {
  std::ranges::fill(out, deviceLevels(*findFormatByName(weight.format), MixSlice{}));
}

} // namespace ds4
