#include "models/synth/Generator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace ds4 {

namespace {

class ValueGenerator : public WeightGenerator {
public:
  ValueGenerator(const ExpectedTensor &tensor, const Format &format, uint64_t seed)
      : name_(tensor.name), range_(weightRange(tensor)), format_(format), seed_(seed) {}

  void generate(uint64_t first, std::span<std::byte> out) const override {
    format_.encode(syntheticTensor(name_, first, out.size() / format_.blockBytes, range_, seed_), {}, out);
  }

private:
  std::string name_;
  SyntheticRange range_;
  const Format &format_;
  uint64_t seed_;
};

class ExpertTableGenerator : public WeightGenerator {
public:
  ExpertTableGenerator(const ExpectedTensor &tensor, uint32_t experts, uint64_t seed)
      : name_(tensor.name), used_(static_cast<uint64_t>(tensor.shape[1])), experts_(experts), seed_(seed) {}

  void generate(uint64_t first, std::span<std::byte> out) const override {
    for (uint64_t done = 0, count = out.size() / sizeof(int32_t); done < count;) {
      const uint64_t row = (first + done) / used_, skip = (first + done) % used_;
      const std::vector<int32_t> ids = rowOf(row);
      const uint64_t taken = std::min(used_ - skip, count - done);
      std::memcpy(out.data() + done * sizeof(int32_t), ids.data() + skip, taken * sizeof(int32_t));
      done += taken;
    }
  }

private:
  // Draw k is one of the ids that are left, counted in ascending order.
  std::vector<int32_t> rowOf(uint64_t row) const {
    const std::vector<float> draws = syntheticTensor(name_, row * used_, used_, {.amplitude = 0.5, .base = 0.5}, seed_);
    std::vector<int32_t> ids, taken; // taken: sorted
    for (float draw : draws) {
      const auto left = experts_ - static_cast<uint32_t>(ids.size());
      auto id = static_cast<int32_t>(std::min(left - 1, static_cast<uint32_t>(draw * static_cast<float>(left))));
      for (int32_t other : taken)
        id += other <= id;
      taken.insert(std::ranges::upper_bound(taken, id), id);
      ids.push_back(id);
    }
    return ids;
  }

  std::string name_;
  uint64_t used_;
  uint32_t experts_;
  uint64_t seed_;
};

class PoolGenerator : public WeightGenerator {
public:
  PoolGenerator(const ExpectedTensor &tensor, const Format &format, std::shared_ptr<const std::vector<std::byte>> pool,
                const MixEntry *mix, uint64_t seed)
      : name_(tensor.name), format_(format), pool_(std::move(pool)), mix_(mix), seed_(seed) {
    uint64_t weights = 1;
    for (int64_t size : tensor.shape)
      weights *= static_cast<uint64_t>(size);
    if (mix_)
      blocksPerSlice_ = weights / format.blockWeights / mix_->slices.size();
  }

  void generate(uint64_t first, std::span<std::byte> out) const override {
    // A draw's lowest two bits choose the codebook of each half of a block; its others, the block.
    constexpr double kChoices = 4 * kPoolBlocks;
    const uint64_t count = out.size() / format_.blockBytes;
    const std::vector<float> draws = syntheticTensor(name_, first, count, {.amplitude = kChoices / 2, .base = kChoices / 2}, seed_);
    for (uint64_t i = 0; i < count; ++i) {
      const auto draw = std::min(static_cast<uint64_t>(draws[i]), 4 * kPoolBlocks - 1);
      std::byte *block = out.data() + i * format_.blockBytes;
      std::memcpy(block, pool_->data() + draw / 4 * format_.blockBytes, format_.blockBytes);
      if (mix_ && mix_->slices[(first + i) / blocksPerSlice_].adaptive) {
        block[format_.blockBytes - 2] |= static_cast<std::byte>((draw & 1) << 7);
        block[format_.blockBytes - 1] |= static_cast<std::byte>((draw & 2) << 6);
      }
    }
  }

private:
  std::string name_;
  const Format &format_;
  std::shared_ptr<const std::vector<std::byte>> pool_;
  const MixEntry *mix_;
  uint64_t seed_, blocksPerSlice_ = 1;
};

} // namespace

SyntheticRange weightRange(const ExpectedTensor &tensor) {
  const std::string_view name = tensor.name;
  if (name == "token_embd.weight")
    return {.amplitude = 1};
  if (tensor.role == WeightRole::Matrix || tensor.role == WeightRole::ExpertMatrix)
    return {.amplitude = 2.5 / std::sqrt(static_cast<double>(tensor.shape.back()))};
  if (name.ends_with("norm.weight"))
    return {.amplitude = 0.25, .base = 1};
  if (name.ends_with("_scale.weight")) // of hyper-connections
    return {.amplitude = 0.25, .base = 0.75};
  if (name.ends_with("exp_probs_b.bias"))
    return {.amplitude = 0.25};
  return {.amplitude = 1}; // sinks, bases, position biases
}

std::unique_ptr<WeightGenerator> makeValueGenerator(const ExpectedTensor &tensor, const Format &format, uint64_t seed) {
  return std::make_unique<ValueGenerator>(tensor, format, seed);
}

std::unique_ptr<WeightGenerator> makeExpertTableGenerator(const ExpectedTensor &tensor, uint32_t experts, uint64_t seed) {
  return std::make_unique<ExpertTableGenerator>(tensor, experts, seed);
}

std::unique_ptr<WeightGenerator> makePoolGenerator(const ExpectedTensor &tensor, const Format &format,
                                                   std::shared_ptr<const std::vector<std::byte>> pool, const MixEntry *mix,
                                                   uint64_t seed) {
  return std::make_unique<PoolGenerator>(tensor, format, std::move(pool), mix, seed);
}

} // namespace ds4
