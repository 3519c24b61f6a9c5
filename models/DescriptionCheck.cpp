#include "models/DescriptionCheck.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/DescriptionFields.h"

namespace ds4 {

std::vector<std::string> faultsOf(const ModelDescription &model) {
  // Products of two of these stay far below 2^63.
  constexpr uint32_t kMaxInteger = 1 << 24;
  std::vector<std::string> faults;
  auto want = [&](bool holds, std::string fault) {
    if (!holds)
      faults.push_back(std::move(fault));
  };

  for (const auto &field : kIntegerFields) {
    const uint32_t value = model.*field.member;
    const bool mayBeZero = field.member == &ModelDescription::hashLayers || field.member == &ModelDescription::sharedExperts;
    want((value > 0 || mayBeZero) && value <= kMaxInteger,
         fmt::format("{} is {}, 1 to {} is wanted", field.yaml, value, kMaxInteger));
  }
  for (const auto &field : kFloatFields)
    want(std::isfinite(model.*field.member) && model.*field.member > 0,
         fmt::format("{} is {}, a positive number is wanted", field.yaml, model.*field.member));
  for (const auto &field : kTokenFields)
    if (const auto token = model.*field.member)
      want(*token < model.vocabulary, fmt::format("{} is {}, outside the vocabulary of {}", field.yaml, *token, model.vocabulary));
  if (!faults.empty())
    return faults;

  want(model.blocks <= kMaxBlocks, fmt::format("blocks is {}, at most {} are possible", model.blocks, kMaxBlocks));
  want(model.ratios.size() == model.blocks,
       fmt::format("compress_ratios has {} entries for {} blocks", model.ratios.size(), model.blocks));
  for (uint32_t ratio : model.ratios)
    if (ratio != 0 && ratio != 4 && ratio != 128) {
      want(false, fmt::format("compress_ratios holds {}, only 0, 4 and 128 are known", ratio));
      break;
    }
  for (const auto *clamps : {&model.clamps, &model.sharedClamps}) {
    want(clamps->size() == model.blocks, fmt::format("a SwiGLU clamp has {} entries for {} blocks", clamps->size(), model.blocks));
    want(std::ranges::all_of(*clamps, [](float limit) { return limit > 0 && std::isfinite(limit); }),
         "a SwiGLU clamp is not positive");
  }
  want(model.ropeWidth % 2 == 0 && model.ropeWidth <= model.headWidth && model.ropeWidth <= model.indexerWidth,
       fmt::format("rope_width is {}: not even, or wider than a head ({}) or an indexer head ({})", model.ropeWidth,
                   model.headWidth, model.indexerWidth));
  want(model.heads % model.outputGroups == 0,
       fmt::format("{} heads do not divide into {} output_groups", model.heads, model.outputGroups));
  want(model.expertsUsed <= model.experts, fmt::format("{} experts_used of {} experts", model.expertsUsed, model.experts));
  want(model.hashLayers <= model.blocks, fmt::format("{} hash_layers of {} blocks", model.hashLayers, model.blocks));
  want(model.streams <= 64, fmt::format("streams is {}, at most 64 are possible", model.streams));
  return faults;
}

} // namespace ds4
