#include "models/DrafterModel.h"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "codegen/kernels/step.h"
#include "models/DescriptionFields.h"
#include "models/GgufDescription.h"
#include "models/MtpBlock.h"
#include "models/Names.h"
#include "models/TensorMatch.h"
#include "models/TypeMeaning.h"
#include "models/formats/MixCodebooks.h"
#include "support/Error.h"
#include "support/Printable.h"

namespace ds4 {

namespace {

struct Dialect {
  std::string_view architecture, blockSize, noiseToken, taps;
  uint32_t firstTap; // the number of the target's first block among the taps
};

constexpr std::array<Dialect, 2> kDialects{{
    {"deepseek4-dflash-draft", "deepseek4-dflash-draft.dflash.block_size", "deepseek4-dflash-draft.dflash.mask_token_id",
     "deepseek4-dflash-draft.dflash.capture_layer_ids", 0},
    {"dflash", "dflash.block_size", "tokenizer.ggml.mask_token_id", "dflash.target_layers", 1},
}};

std::string architectureOf(const gguf::Reader &file) {
  return file.find("general.architecture") ? file.readString("general.architecture") : "";
}

const Dialect &dialectOf(const gguf::Reader &file) {
  const std::string architecture = architectureOf(file);
  const auto found = std::ranges::find(kDialects, architecture, &Dialect::architecture);
  if (found == kDialects.end())
    userError("'{}' has the architecture {}: a drafter's is '{}' or '{}', or it is '{}' with a next-token block", file.path(),
              quoteName(architecture), kDialects[0].architecture, kDialects[1].architecture, kArchitecture);
  return *found;
}

// What every drafter of this kind agrees on, where the file says it.
void checkKind(const gguf::Reader &file, const DrafterDescription &drafter) {
  const auto require = [&](std::string_view key, uint64_t wanted) {
    const std::string name = fmt::format("{}.dflash.{}", kDialects[0].architecture, key);
    if (file.find(name) && file.readUnsigned(name) != wanted)
      userError("'{}': key '{}' is {}, {} is wanted: it is no DSpark drafter of the known form", file.path(), name,
                file.readUnsigned(name), wanted);
  };
  require("head_hc_enabled", 1);
  require("dspark.enabled", 1);
  require("n_target_layers", drafter.taps.size());
  require("dspark.vocab_size", drafter.blocks.vocabulary);
  require("dspark.markov_rank", drafter.markovRank);
  require("dspark.confidence_dim", uint64_t{drafter.blocks.width} + drafter.markovRank);
}

std::vector<ExpectedTensor> expectedTensors(const DrafterDescription &drafter) {
  const int64_t width = drafter.blocks.width, vocabulary = drafter.blocks.vocabulary, rank = drafter.markovRank;
  std::vector<ExpectedTensor> all = drafter.blocks.tensors();
  std::erase_if(all,
                [](const ExpectedTensor &tensor) { return tensor.name == "token_embd.weight" || tensor.name == "output.weight"; });
  const auto matrix = [&](std::string name, int64_t rows, int64_t cols) {
    all.push_back({std::move(name), {rows, cols}, WeightRole::Matrix, {}});
  };
  matrix("main_proj.weight", width, width * static_cast<int64_t>(drafter.taps.size()));
  all.push_back({"main_norm.weight", {width}, WeightRole::Vector, {}});
  matrix("markov_w1.weight", vocabulary, rank);
  matrix("markov_w2.weight", vocabulary, rank);
  matrix("confidence.weight", 1, rank ? width + rank : 0);
  return all;
}

} // namespace

bool isDrafter(const gguf::Reader &file) {
  return std::ranges::find(kDialects, architectureOf(file), &Dialect::architecture) != kDialects.end();
}

std::string_view nameOf(DrafterKind kind) { return kind == DrafterKind::Dspark ? "dspark" : "mtp"; }

std::string_view prefixOf(DrafterKind kind) { return kind == DrafterKind::Dspark ? "dspark." : "mtp."; }

std::string DrafterDescription::toText() const {
  if (kind == DrafterKind::Mtp)
    return fmt::format("{}kind: mtp\n", blocks.toText());
  return fmt::format("{}taps: {}\nblock_size: {}\nnoise_token: {}\nmarkov_rank: {}\n", blocks.toText(), taps, blockSize, noiseToken,
                     markovRank);
}

DrafterModel DrafterModel::open(const std::string &path, const Model &target, std::optional<WeightFormat> rocmFp2) {
  DrafterModel model(gguf::Reader::open(path, rocmFp2.value_or(WeightFormat::RocmFp2)));
  if (architectureOf(model.file_) == kArchitecture)
    model.resolveMtp(target.description());
  else
    model.resolveDspark(target.description());
  if (std::string warning = warnOfTypeMeaning(model.file_, rocmFp2); !warning.empty())
    model.warnings_.push_back(std::move(warning));
  model.fingerprint_ = fingerprintOf(model.description_.toText(), model.weights_);
  return model;
}

void DrafterModel::resolveDspark(const ModelDescription &target) {
  const Dialect &dialect = dialectOf(file_);
  GgufDescription described = describeDrafterBlocks(file_, std::string(dialect.architecture), target);
  description_.blocks = std::move(described.model);
  std::vector<std::string> missing = std::move(described.missingKeys);
  const auto has = [&](std::string_view key) {
    if (file_.find(key))
      return true;
    missing.emplace_back(key);
    return false;
  };
  const auto read = [&](std::string_view key, uint32_t most) {
    const uint64_t value = has(key) ? file_.readUnsigned(key) : 0;
    if (value > most)
      userError("'{}': key '{}' is {}, at most {} is possible", file_.path(), key, value, most);
    return static_cast<uint32_t>(value);
  };
  description_.blockSize = read(dialect.blockSize, kMaxWidth);
  description_.noiseToken = read(dialect.noiseToken, target.vocabulary - 1);
  if (has(dialect.taps))
    for (uint64_t tap : file_.readUnsignedArray(dialect.taps)) {
      if (tap < dialect.firstTap || tap - dialect.firstTap >= target.blocks)
        userError("'{}': key '{}' names block {}, the target has {} to {}: it drafts for another model", file_.path(), dialect.taps,
                  tap, dialect.firstTap, target.blocks - 1 + dialect.firstTap);
      description_.taps.push_back(static_cast<uint32_t>(tap) - dialect.firstTap);
    }

  TensorMatch tensors(file_, canonicalDrafterTensorName);
  for (const gguf::TensorInfo &tensor : file_.tensors())
    if (canonicalDrafterTensorName(tensor.name) == "markov_w1.weight")
      description_.markovRank = static_cast<uint32_t>(std::min<uint64_t>(tensor.dims[0], UINT32_MAX));
  std::vector<Weight> weights = tensors.match(expectedTensors(description_));
  if (tensors.has("confidence.bias"))
    checkBias(tensors.match({{"confidence.bias", {1}, WeightRole::Vector, {}}}).front());
  tensors.noteMissingKeys(std::move(missing));
  tensors.refuseFaults("DSpark drafter");
  checkKind(file_, description_);
  checkFit(target);

  if (const auto unused = tensors.unused(); !unused.empty())
    warnings_.push_back(fmt::format("'{}' has tensors that are not used: {}", file_.path(), listed(unused)));
  takeWeights(std::move(weights));
}

void DrafterModel::resolveMtp(const ModelDescription &target) {
  const std::optional<uint32_t> block = findMtpBlock(file_);
  if (!block)
    userError("'{}' has no next-token block (tensors 'blk.N.nextn.*'): name a file that has one, or a DSpark drafter",
              file_.path());
  description_.kind = DrafterKind::Mtp;
  description_.blocks = describeMtpBlock(file_, *block, target);
  description_.blockSize = kMaxWidth;
  const auto canonical = [&](std::string_view name) { return canonicalMtpTensorName(name, *block); };
  TensorMatch tensors(file_, canonical);
  std::vector<ExpectedTensor> expected =
      expectedMtpTensors(description_.blocks, [&](std::string_view name) { return tensors.has(name); });
  const auto expects = [&](std::string_view name) {
    return std::ranges::find(expected, name, &ExpectedTensor::name) != expected.end();
  };
  for (const auto &[name, what] : {std::pair("output_hc_fn.weight", "head of the streams"), {"output_norm.weight", "final norm"}})
    if (!expects(name))
      warnings_.push_back(fmt::format("'{}': its next-token block has no {} of its own: the model's is used", file_.path(), what));
  std::vector<Weight> weights = tensors.match(std::move(expected));
  tensors.refuseFaults("next-token block");

  std::vector<std::string> unused;
  for (const gguf::TensorInfo &tensor : file_.tensors())
    if (const std::string name = canonical(tensor.name); !name.starts_with("model.") && tensors.has(name))
      unused.push_back(quoteName(tensor.name));
  if (!unused.empty())
    warnings_.push_back(fmt::format("'{}': its next-token block has tensors that are not used: {}", file_.path(), listed(unused)));
  takeWeights(std::move(weights));
}

void DrafterModel::takeWeights(std::vector<Weight> weights) {
  weights_ = std::move(weights);
  for (Weight &weight : weights_) {
    if (isMix(*weight.format))
      userError("'{}': '{}' is of format {}, which drafters cannot have: quantize it otherwise", file_.path(), weight.name,
                weight.format->name);
    weight.name.insert(0, prefixOf(description_.kind));
  }
}

// The projection has none; a dialect that wants one stores a zero.
void DrafterModel::checkBias(const Weight &bias) const {
  std::vector<std::byte> bytes(bias.bytes);
  file_.shards()[bias.shard].read(bias.offset, bytes);
  std::array<float, 1> value{};
  if (bias.bytes == bias.format->blockBytes && bias.format->blockWeights == 1) // else its shape is wrong, as match() noted
    bias.format->decode(bytes, value);
  if (value[0] != 0)
    userError("'{}': the confidence has a bias of {}, only drafters without one are known", file_.path(), value[0]);
}

void DrafterModel::checkFit(const ModelDescription &target) const {
  const ModelDescription &own = description_.blocks;
  const auto want = [&](std::string_view what, auto value, auto wanted) {
    if (value != wanted)
      userError("'{}': its {} is {}, the target's {}: it drafts for another model", file_.path(), what, value, wanted);
  };
  want("width", own.width, target.width);
  want("vocabulary", own.vocabulary, target.vocabulary);
  want("number of streams", own.streams, target.streams);
  want("rope base", own.ropeBase, target.ropeBase);
  want("rope width", own.ropeWidth, target.ropeWidth);
  if (description_.blockSize < 2)
    userError("'{}': a block of {} tokens drafts nothing", file_.path(), description_.blockSize);
  if (description_.taps.empty())
    userError("'{}': key '{}' names no block", file_.path(), dialectOf(file_).taps);
}

} // namespace ds4
