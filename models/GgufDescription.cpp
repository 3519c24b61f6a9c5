#include "models/GgufDescription.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "models/DescriptionCheck.h"
#include "models/DescriptionFields.h"
#include "models/DescriptionFile.h"
#include "models/Names.h"
#include "models/gguf/Reader.h"
#include "support/Error.h"
#include "support/Printable.h"

namespace ds4 {

namespace {

// In one printable line: it goes into plans, and to terminals.
std::string nameOf(const gguf::Reader &file) {
  return oneLine(file.find("general.name") ? file.readString("general.name") : std::filesystem::path(file.path()).stem().string());
}

class MetadataReader {
public:
  // Keys begin with the architecture's name, in the tables with kArchitecture.
  MetadataReader(const gguf::Reader &file, std::string architecture) : file_(file), architecture_(std::move(architecture)) {}

  GgufDescription read();
  GgufDescription readDrafterBlocks(const ModelDescription &target);

private:
  std::string spelling(std::string_view key) const;
  bool has(std::string_view key) const { return file_.find(spelling(key)) != nullptr; }
  bool isArray(std::string_view key) const { return file_.find(spelling(key))->type == gguf::ValueType::Array; }
  uint32_t readInteger(std::string_view key) const;
  // A key that is absent is taken from the known description or noted as missing.
  bool assume(std::string_view key);

  void checkArchitecture() const;
  void checkFixedValues();
  void checkScaling();
  void checkFaults() const;
  void dropNextTokenBlocks();
  void readFields();
  void readRatios();
  std::vector<float> readClamps(std::string_view key) const;

  const gguf::Reader &file_;
  std::string architecture_;
  const DescriptionFile *known_ = nullptr;
  GgufDescription result_;
};

// The file's own spelling of a canonical key; the canonical one when it has none.
std::string MetadataReader::spelling(std::string_view key) const {
  std::string own(key);
  if (key.starts_with(kArchitecture))
    own.replace(0, kArchitecture.size(), architecture_);
  if (!file_.find(own))
    for (std::string_view alias : keyAliases(key))
      if (std::string name = fmt::format("{}.{}", architecture_, alias); file_.find(name))
        return name;
  return own;
}

uint32_t MetadataReader::readInteger(std::string_view key) const {
  const uint64_t value = file_.readUnsigned(spelling(key));
  if (value > std::numeric_limits<uint32_t>::max())
    userError("'{}': key '{}' is {}, which no DS4 model has: the file is damaged", file_.path(), spelling(key), value);
  return static_cast<uint32_t>(value);
}

bool MetadataReader::assume(std::string_view key) {
  const bool known = known_ && std::ranges::find(known_->mayLack, key) != known_->mayLack.end();
  (known ? result_.assumedKeys : result_.missingKeys).push_back(spelling(key));
  return known;
}

void MetadataReader::checkArchitecture() const {
  if (!file_.find("general.architecture"))
    userError("'{}' has no key 'general.architecture': it is no model, name a DeepSeek-V4-Flash .gguf file", file_.path());
  const std::string architecture = file_.readString("general.architecture");
  if (architecture.find("dflash") != std::string::npos)
    userError(
        "'{}' is a draft model ({}), not one that runs alone: name the model that it drafts for, and this one beside it (ds4c "
        "compile --drafter, ds4-run --drafter-weights)",
        file_.path(), quoteName(architecture));
  if (architecture != kArchitecture)
    userError("'{}' has the architecture {}, only '{}' is supported: name a DeepSeek-V4-Flash model", file_.path(),
              quoteName(architecture), kArchitecture);
}

// What every DS4 model agrees on, where the file says it at all.
void MetadataReader::checkFixedValues() {
  auto refuse = [&](std::string_view key, auto value, auto wanted) {
    userError("'{}': key '{}' is {}, a DS4 model has {}", file_.path(), spelling(key), value, wanted);
  };
  if (has(kKvHeadsKey) && readInteger(kKvHeadsKey) != 1)
    refuse(kKvHeadsKey, readInteger(kKvHeadsKey), 1);
  if (has(kValueLengthKey) && result_.model.headWidth && readInteger(kValueLengthKey) != result_.model.headWidth)
    refuse(kValueLengthKey, readInteger(kValueLengthKey), fmt::format("the same as the key's length, {}", result_.model.headWidth));
  if (has(kNormalisedKey) && !file_.readBool(spelling(kNormalisedKey)))
    refuse(kNormalisedKey, false, true);
  if (!has(kGatingKey)) {
    assume(kGatingKey);
  } else if (const std::string key = spelling(kGatingKey); file_.find(key)->type == gguf::ValueType::String) {
    // Newer converters write the function's name.
    std::string function = file_.readString(key);
    std::erase_if(function, [](char c) { return c == '_' || c == '-'; });
    if (function != "sqrtsoftplus")
      refuse(kGatingKey, quoteName(function), "'sqrtsoftplus'");
  } else if (readInteger(kGatingKey) != kSqrtSoftplus) {
    refuse(kGatingKey, readInteger(kGatingKey), fmt::format("{} (sqrt-softplus)", kSqrtSoftplus));
  }
}

void MetadataReader::checkScaling() {
  if (!has(kScalingKey))
    assume(kScalingKey);
  else if (const std::string type = file_.readString(kScalingKey); type != "yarn")
    userError("'{}': key '{}' is {}, a DS4 model has 'yarn'", file_.path(), kScalingKey, quoteName(type));
}

void MetadataReader::checkFaults() const {
  const auto inFile = [&](std::string_view, std::string_view key) { return fmt::format("key '{}'", spelling(key)); };
  if (result_.missingKeys.empty())
    if (const auto faults = faultsOf(result_.model, inFile); !faults.empty())
      userError("'{}': the metadata make no DS4 model: {}: convert the model again", file_.path(), fmt::join(faults, "; "));
}

// Some converters count a next-token block among the blocks, others do not; whether it is there tells the two apart.
void MetadataReader::dropNextTokenBlocks() {
  if (!has(kNextTokenKey))
    return;
  const uint32_t count = readInteger(kNextTokenKey);
  uint32_t &blocks = result_.model.blocks;
  if (count == 0 || count >= blocks)
    return;
  const std::string prefix = fmt::format("blk.{}.nextn.", blocks - count);
  if (std::ranges::any_of(file_.tensors(), [&](const gguf::TensorInfo &tensor) { return tensor.name.starts_with(prefix); }))
    blocks -= count;
}

void MetadataReader::readFields() {
  for (const auto &field : kIntegerFields)
    if (has(field.key))
      result_.model.*field.member = readInteger(field.key);
  for (const auto &field : kFloatFields)
    if (has(field.key))
      result_.model.*field.member = static_cast<float>(file_.readFloat(spelling(field.key)));
  for (const auto &field : kTokenFields)
    if (has(field.key))
      result_.model.*field.member = readInteger(field.key);
}

void MetadataReader::readRatios() {
  const std::string key = spelling(kRatiosKey);
  ModelDescription &model = result_.model;
  const std::vector<uint64_t> values = file_.readUnsignedArray(key);
  if (values.size() < model.blocks)
    userError("'{}': key '{}' has {} entries for {} blocks", file_.path(), key, values.size(), model.blocks);
  for (uint32_t block = 0; block < model.blocks; ++block)
    model.ratios.push_back(static_cast<uint32_t>(std::min<uint64_t>(values[block], std::numeric_limits<uint32_t>::max())));
}

std::vector<float> MetadataReader::readClamps(std::string_view key) const {
  const uint32_t blocks = result_.model.blocks;
  if (!isArray(key))
    return std::vector<float>(blocks, static_cast<float>(file_.readFloat(spelling(key))));
  const std::vector<double> values = file_.readFloatArray(spelling(key));
  if (values.size() < blocks)
    userError("'{}': key '{}' has {} entries for {} blocks", file_.path(), spelling(key), values.size(), blocks);
  return std::vector<float>(values.begin(), values.begin() + blocks);
}

GgufDescription MetadataReader::read() {
  checkArchitecture();
  ModelDescription &model = result_.model;
  model.name = nameOf(file_);
  readFields();
  dropNextTokenBlocks();
  if (model.blocks > kMaxBlocks)
    userError("'{}': the model has {} blocks, at most {} are possible: the file is damaged", file_.path(), model.blocks,
              kMaxBlocks);
  for (const DescriptionFile &built : builtInDescriptions())
    if (!known_ && built.model.blocks == model.blocks && built.model.width == model.width && built.model.heads == model.heads)
      known_ = &built;

  for (const auto &field : kIntegerFields)
    if (!has(field.key) && assume(field.key))
      model.*field.member = known_->model.*field.member;
  for (const auto &field : kFloatFields)
    if (!has(field.key) && assume(field.key))
      model.*field.member = known_->model.*field.member;
  if (has(kRatiosKey))
    readRatios();
  else if (assume(kRatiosKey))
    model.ratios = known_->model.ratios;
  if (has(kClampsKey))
    model.clamps = readClamps(kClampsKey);
  else if (assume(kClampsKey))
    model.clamps = known_->model.clamps;
  model.sharedClamps = has(kSharedClampsKey) ? readClamps(kSharedClampsKey) : model.clamps;
  checkScaling();
  checkFixedValues();
  checkFaults();
  return std::move(result_);
}

GgufDescription MetadataReader::readDrafterBlocks(const ModelDescription &target) {
  ModelDescription &model = result_.model;
  model.name = nameOf(file_);
  readFields();
  // What blocks of ratio 0 with learned routers have no use for, and the vocabulary, which is the target's and not always told.
  for (auto member : {&ModelDescription::vocabulary, &ModelDescription::contextLength, &ModelDescription::yarnOriginalContext,
                      &ModelDescription::indexerHeads, &ModelDescription::indexerWidth, &ModelDescription::indexerTopK})
    if (model.*member == 0)
      model.*member = target.*member;
  for (auto member : {&ModelDescription::compressRopeBase, &ModelDescription::yarnFactor, &ModelDescription::yarnBetaFast,
                      &ModelDescription::yarnBetaSlow})
    if (model.*member == 0)
      model.*member = target.*member;
  model.hashLayers = 0;
  for (const auto &field : kIntegerFields)
    if (model.*field.member == 0 && field.member != &ModelDescription::hashLayers && !has(field.key))
      assume(field.key);
  for (const auto &field : kFloatFields)
    if (model.*field.member == 0 && !has(field.key))
      assume(field.key);
  if (model.blocks > kMaxBlocks)
    userError("'{}': the drafter has {} blocks, at most {} are possible: the file is damaged", file_.path(), model.blocks,
              kMaxBlocks);
  model.ratios.assign(model.blocks, 0);
  if (has(kClampsKey))
    model.clamps = readClamps(kClampsKey);
  else
    assume(kClampsKey);
  model.sharedClamps = has(kSharedClampsKey) ? readClamps(kSharedClampsKey) : model.clamps;
  checkFixedValues();
  checkFaults();
  return std::move(result_);
}

} // namespace

GgufDescription describeGguf(const gguf::Reader &reader) { return MetadataReader(reader, std::string(kArchitecture)).read(); }

GgufDescription describeDrafterBlocks(const gguf::Reader &reader, const std::string &architecture, const ModelDescription &target) {
  return MetadataReader(reader, architecture).readDrafterBlocks(target);
}

ModelDescription ModelDescription::fromGguf(const gguf::Reader &reader) {
  GgufDescription described = describeGguf(reader);
  if (!described.missingKeys.empty())
    userError("'{}' has missing keys {}: convert the model again", reader.path(), fmt::join(described.missingKeys, ", "));
  return std::move(described.model);
}

} // namespace ds4
