#include "models/DescriptionCheck.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/DescriptionFields.h"
#include "support/RopeTable.h"

namespace ds4 {

namespace {

struct Range {
  uint32_t least, most;
};

// Of most fields any number does; products of two of them stay far below 2^63.
Range rangeOf(uint32_t ModelDescription::*member) {
  constexpr uint32_t kMaxInteger = 1 << 24, kMaxIterations = 1000;
  if (member == &ModelDescription::hashLayers)
    return {0, kMaxInteger};
  if (member == &ModelDescription::streams) // the kernels' layouts have four
    return {4, 4};
  if (member == &ModelDescription::sinkhornIterations) // serial in every site of a step
    return {1, kMaxIterations};
  return {1, kMaxInteger};
}

std::string textOf(Range range) {
  return range.least == range.most ? fmt::format("{}", range.least) : fmt::format("{} to {}", range.least, range.most);
}

// Collects what is wrong.
class Check {
public:
  Check(const ModelDescription &model, const FieldName &nameOf) : model_(model), nameOf_(nameOf) {}

  std::vector<std::string> run() {
    checkFields();
    if (faults_.empty()) {
      checkBlocks();
      checkShapes();
      checkRotation();
    }
    return std::move(faults_);
  }

private:
  void want(bool holds, std::string fault) {
    if (!holds)
      faults_.push_back(std::move(fault));
  }
  std::string nameOf(float ModelDescription::*member) const {
    const auto *field = std::ranges::find(kFloatFields, member, &DescriptionField<float>::member);
    return nameOf_(field->yaml, field->key);
  }

  void checkFields();
  void checkBlocks();
  void checkShapes();
  void checkRotation();

  const ModelDescription &model_;
  const FieldName &nameOf_;
  std::vector<std::string> faults_;
};

void Check::checkFields() {
  for (const auto &field : kIntegerFields) {
    const uint32_t value = model_.*field.member;
    const Range range = rangeOf(field.member);
    want(value >= range.least && value <= range.most,
         fmt::format("{} is {}, {} is wanted", nameOf_(field.yaml, field.key), value, textOf(range)));
  }
  for (const auto &field : kFloatFields)
    want(std::isfinite(model_.*field.member) && model_.*field.member > 0,
         fmt::format("{} is {}, a positive number is wanted", nameOf_(field.yaml, field.key), model_.*field.member));
  for (const auto &field : kTokenFields)
    if (const auto token = model_.*field.member)
      want(*token < model_.vocabulary,
           fmt::format("{} is {}, outside the vocabulary of {}", nameOf_(field.yaml, field.key), *token, model_.vocabulary));
}

void Check::checkBlocks() {
  want(model_.blocks <= kMaxBlocks, fmt::format("blocks is {}, at most {} are possible", model_.blocks, kMaxBlocks));
  want(model_.ratios.size() == model_.blocks,
       fmt::format("compress_ratios has {} entries for {} blocks", model_.ratios.size(), model_.blocks));
  for (uint32_t ratio : model_.ratios)
    if (ratio != 0 && ratio != 4 && ratio != 128) {
      want(false, fmt::format("compress_ratios holds {}, only 0, 4 and 128 are known", ratio));
      break;
    }
  for (const auto *clamps : {&model_.clamps, &model_.sharedClamps}) {
    want(clamps->size() == model_.blocks,
         fmt::format("a SwiGLU clamp has {} entries for {} blocks", clamps->size(), model_.blocks));
    want(std::ranges::all_of(*clamps, [](float limit) { return limit > 0 && std::isfinite(limit); }),
         "a SwiGLU clamp is not positive");
  }
}

void Check::checkShapes() {
  want(model_.ropeWidth % 2 == 0 && model_.ropeWidth <= model_.headWidth && model_.ropeWidth <= model_.indexerWidth,
       fmt::format("rope_width is {}: not even, or wider than a head ({}) or an indexer head ({})", model_.ropeWidth,
                   model_.headWidth, model_.indexerWidth));
  want(model_.heads % model_.outputGroups == 0,
       fmt::format("{} heads do not divide into {} output_groups", model_.heads, model_.outputGroups));
  want(model_.expertsUsed <= model_.experts, fmt::format("{} experts_used of {} experts", model_.expertsUsed, model_.experts));
  want(model_.hashLayers <= model_.blocks, fmt::format("{} hash_layers of {} blocks", model_.hashLayers, model_.blocks));
}

// A base or a factor near 0 makes frequencies that no kernel's source can spell.
void Check::checkRotation() {
  const auto isFinite = [](const RopeParameters &rope) {
    return std::ranges::all_of(ropeFrequencies(rope), [](float frequency) { return std::isfinite(frequency); });
  };
  const auto wantFinite = [&](float ModelDescription::*member, const RopeParameters &rope) {
    want(isFinite(rope), fmt::format("{} is {}, from which no finite rotary frequencies follow", nameOf(member), model_.*member));
  };
  const int dims = static_cast<int>(model_.ropeWidth);
  wantFinite(&ModelDescription::ropeBase, {.dims = dims, .base = model_.ropeBase});
  const RopeParameters plain{.dims = dims, .base = model_.compressRopeBase};
  wantFinite(&ModelDescription::compressRopeBase, plain);
  if (isFinite(plain))
    wantFinite(&ModelDescription::yarnFactor, {.dims = dims,
                                               .base = model_.compressRopeBase,
                                               .factor = model_.yarnFactor,
                                               .originalContext = static_cast<double>(model_.yarnOriginalContext),
                                               .betaFast = model_.yarnBetaFast,
                                               .betaSlow = model_.yarnBetaSlow});
}

} // namespace

std::vector<std::string> faultsOf(const ModelDescription &model, const FieldName &nameOf) { return Check(model, nameOf).run(); }

} // namespace ds4
