#include "models/synth/Synth.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "models/DescriptionFields.h"
#include "models/MtpBlock.h"
#include "models/gguf/Shards.h"
#include "models/gguf/Writer.h"
#include "models/synth/Generator.h"
#include "models/synth/SyntheticCodebooks.h"
#include "recipes/FileType.h"
#include "support/Error.h"
#include "support/Parallel.h"

namespace ds4 {

namespace {

const Format &usualFormat(WeightRole role) {
  switch (role) {
  case WeightRole::Matrix:
  case WeightRole::ExpertMatrix:
    return formatOf(WeightFormat::F16);
  case WeightRole::Table:
    return formatOf(WeightFormat::I32);
  case WeightRole::Vector:
  case WeightRole::PositionBias:
    break;
  }
  return formatOf(WeightFormat::F32);
}

uint64_t weightsIn(const ExpectedTensor &tensor) {
  uint64_t count = 1;
  for (int64_t size : tensor.shape)
    count *= static_cast<uint64_t>(size);
  return count;
}

std::vector<ExpectedTensor> tensorsOf(const ModelDescription &description, const SynthOptions &options) {
  std::vector<ExpectedTensor> all = description.tensors();
  if (options.nextTokenBlock)
    std::ranges::move(mtpTensors(description), std::back_inserter(all));
  return all;
}

class Synthesizer {
public:
  Synthesizer(const ModelDescription &description, const Recipe &recipe, const SynthOptions &options)
      : description_(description), recipe_(recipe), options_(options), tensors_(tensorsOf(description, options)) {
    if (!options.tokenizer.empty())
      tokenizer_.emplace(gguf::Reader::open(options.tokenizer));
  }

  SynthSummary run(const std::string &output);

private:
  void chooseFormats();
  SyntheticMixTensor makeMix(const ExpectedTensor &tensor, const FormatChoice &choice) const;
  void writeMetadata(gguf::Writer &writer) const;
  void copyTokenizer(const gguf::Reader &from, gguf::Writer &writer) const;
  std::unique_ptr<WeightGenerator> generatorFor(const ExpectedTensor &tensor, const Format &format);
  gguf::Writer::DataSource sourceFor(const ExpectedTensor &tensor, const Format &format);

  const ModelDescription &description_;
  const Recipe &recipe_;
  const SynthOptions &options_;
  const std::vector<ExpectedTensor> tensors_;
  std::optional<gguf::Reader> tokenizer_; // of another file
  std::vector<FormatChoice> choices_;     // one a tensor
  std::vector<SyntheticMixTensor> mix_;
  std::map<std::string, size_t> mixOf_; // canonical name -> index into mix_
  std::map<std::pair<WeightFormat, double>, std::shared_ptr<const std::vector<std::byte>>> pools_;
  SynthSummary summary_;
  uint64_t done_ = 0;
};

void Synthesizer::chooseFormats() {
  std::vector<RecipeTensor> seen;
  for (const ExpectedTensor &tensor : tensors_)
    seen.push_back({tensor.name, tensor.role, static_cast<uint64_t>(tensor.shape.back()), &usualFormat(tensor.role)});
  choices_ = recipe_.choose(seen);
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const Format &format = *choices_[i].format;
    summary_.bytes += format.rowBytes(weightsIn(tensors_[i]));
    if (isMix(format)) {
      mixOf_.emplace(tensors_[i].name, mix_.size());
      mix_.push_back(makeMix(tensors_[i], choices_[i]));
    }
  }
  summary_.tensors = tensors_.size();
}

// The codebook tables have places for some tensors only, and for one width of experts.
SyntheticMixTensor Synthesizer::makeMix(const ExpectedTensor &tensor, const FormatChoice &choice) const {
  const Format &format = *choice.format;
  const std::optional<MixPlace> place = mixPlaceOf(tensor.name);
  const bool experts = tensor.role == WeightRole::ExpertMatrix, wide = format.id == WeightFormat::RocmFp3Mix;
  if (!place || (experts && wide && place->tensor != MixTensor::DownExperts))
    recipe_.fail(*choice.rule, "'{}' cannot be {}: no codebook table has a place for it", tensor.name, format.name);
  const auto cols = static_cast<uint32_t>(tensor.shape.back());
  if (experts && !wide && cols % 128)
    recipe_.fail(*choice.rule, "'{}' cannot be {}: its rows of {} weights are no multiple of 128", tensor.name, format.name, cols);
  const uint32_t slices = experts ? description_.experts : place->tensor == MixTensor::OutputA ? description_.outputGroups : 1;
  const auto rows = static_cast<uint32_t>(weightsIn(tensor) / cols / slices);
  return makeSyntheticMix(*place, tensor.name, format, slices, rows, cols, options_.seed);
}

void Synthesizer::writeMetadata(gguf::Writer &writer) const {
  description_.writeTo(writer);
  if (options_.nextTokenBlock)
    writer.set(kNextTokenKey, uint32_t{1});
  writer.set("general.description", fmt::format("generated, not trained: recipe {}, {}", recipe_.name(),
                                                options_.sparse ? "no data" : fmt::format("seed {}", options_.seed)));
  std::map<const Format *, uint64_t> weights;
  for (size_t i = 0; i < tensors_.size(); ++i)
    weights[choices_[i].format] += weightsIn(tensors_[i]);
  if (const auto type = fileTypeOf(weights))
    writer.set("general.file_type", *type);
  for (const auto &[key, bytes] : writeMixTables(mix_))
    writer.setArray(key, bytes);
  if (tokenizer_)
    copyTokenizer(*tokenizer_, writer);
}

void Synthesizer::copyTokenizer(const gguf::Reader &from, gguf::Writer &writer) const {
  const gguf::Entry *tokens = from.find("tokenizer.ggml.tokens");
  if (!tokens)
    userError("'{}' has no tokenizer: name a GGUF file that has one", options_.tokenizer);
  if (tokens->count > description_.vocabulary)
    userError("'{}' has {} tokens, more than the vocabulary of {}: name the tokenizer of this model", options_.tokenizer,
              tokens->count, description_.vocabulary);
  for (const gguf::Entry &entry : from.entries()) {
    const auto *described = std::ranges::find(kTokenFields, entry.key, &DescriptionField<std::optional<uint32_t>>::key);
    if (entry.key.starts_with("tokenizer.") &&
        (described == std::end(kTokenFields) || !(description_.*described->member).has_value()))
      writer.copy(from, entry);
  }
}

std::unique_ptr<WeightGenerator> Synthesizer::generatorFor(const ExpectedTensor &tensor, const Format &format) {
  if (tensor.role == WeightRole::Table)
    return makeExpertTableGenerator(tensor, description_.experts, options_.seed);
  if (format.blockWeights == 1)
    return makeValueGenerator(tensor, format, options_.seed);
  const double amplitude = weightRange(tensor).amplitude;
  auto &pool = pools_[{format.id, amplitude}];
  if (!pool)
    pool = std::make_shared<const std::vector<std::byte>>(makePool(format, amplitude, options_.seed));
  const auto mix = mixOf_.find(tensor.name);
  return makePoolGenerator(tensor, format, pool, mix == mixOf_.end() ? nullptr : &mix_[mix->second].entry, options_.seed);
}

gguf::Writer::DataSource Synthesizer::sourceFor(const ExpectedTensor &tensor, const Format &format) {
  constexpr uint64_t kPieceBytes = 1 << 18;
  const uint64_t piece = kPieceBytes / format.blockBytes;
  std::shared_ptr<const WeightGenerator> generator = generatorFor(tensor, format);
  return [this, &tensor, &format, piece, generator](uint64_t offset, std::span<std::byte> chunk) {
    const uint64_t first = offset / format.blockBytes, blocks = chunk.size() / format.blockBytes;
    parallelFor((blocks + piece - 1) / piece, options_.jobs, [&](size_t i) {
      const uint64_t count = std::min(piece, blocks - i * piece);
      generator->generate(first + i * piece, chunk.subspan(i * piece * format.blockBytes, count * format.blockBytes));
    });
    done_ += chunk.size();
    if (options_.progress)
      options_.progress(done_, summary_.bytes, tensor.name);
  };
}

SynthSummary Synthesizer::run(const std::string &output) {
  if (tokenizer_)
    refuseToReplace(gguf::pathsOf(*tokenizer_), output);
  chooseFormats();
  gguf::Writer writer;
  writeMetadata(writer);
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const ExpectedTensor &tensor = tensors_[i];
    const Format &format = *choices_[i].format;
    writer.addTensor(tensor.name, format, std::vector<uint64_t>(tensor.shape.rbegin(), tensor.shape.rend()),
                     options_.sparse ? gguf::Writer::DataSource() : sourceFor(tensor, format));
  }
  writer.write(output);
  return summary_;
}

} // namespace

SynthSummary synthesizeModel(const ModelDescription &description, const Recipe &recipe, const std::string &output,
                             const SynthOptions &options) {
  return Synthesizer(description, recipe, options).run(output);
}

} // namespace ds4
