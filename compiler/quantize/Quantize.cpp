#include "compiler/quantize/Quantize.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "compiler/quantize/Importance.h"
#include "compiler/quantize/RowEncoder.h"
#include "models/DescriptionFields.h"
#include "models/DrafterModel.h"
#include "models/Names.h"
#include "models/TypeMeaning.h"
#include "models/gguf/Shards.h"
#include "models/gguf/Writer.h"
#include "recipes/FileType.h"

namespace ds4 {

namespace {

constexpr std::string_view kFileTypeKey = "general.file_type", kAlignmentKey = "general.alignment", kSplitPrefix = "split.";

class Quantizer {
public:
  Quantizer(const std::string &input, const Recipe &recipe, const QuantizeOptions &options)
      : file_(gguf::Reader::open(input, options.rocmFp2.value_or(WeightFormat::RocmFp2))), check_(file_), recipe_(recipe),
        options_(options) {
    if (!options.importance.empty())
      importance_ = Importance::open(options.importance);
  }

  QuantizeSummary run(const std::string &output);

private:
  void refuseInputAs(const std::string &output) const;
  void chooseFormats();
  void checkImportance();
  void writeMetadata(gguf::Writer &writer) const;
  void addTensor(gguf::Writer &writer, const gguf::TensorInfo &tensor, const Format &format);
  void report(const gguf::TensorInfo &tensor, uint64_t bytes);

  gguf::Reader file_;
  WeightCheck check_;
  const Recipe &recipe_;
  const QuantizeOptions &options_;
  std::optional<Importance> importance_;
  std::vector<FormatChoice> choices_; // one a tensor of file_
  QuantizeSummary summary_;
  uint64_t done_ = 0;
};

WeightRole guessRole(const gguf::TensorInfo &tensor) {
  if (tensor.format->id == WeightFormat::I32)
    return WeightRole::Table;
  return tensor.dims.size() == 1 ? WeightRole::Vector : WeightRole::Matrix;
}

std::string canonicalName(const gguf::Reader &file, std::string_view name) {
  return isDrafter(file) ? canonicalDrafterTensorName(name) : canonicalTensorName(name);
}

// The tensors as recipes see them. What each is for follows from the model's description; of a file that is no whole model
// (a drafter, say) from its shape.
std::vector<RecipeTensor> tensorsOf(const gguf::Reader &file) {
  std::unordered_map<std::string, WeightRole> roles;
  if (file.find("general.architecture") && file.readString("general.architecture") == kArchitecture)
    for (const ExpectedTensor &expected : ModelDescription::fromGguf(file).tensors())
      roles.emplace(expected.name, expected.role);
  std::vector<RecipeTensor> tensors;
  for (const gguf::TensorInfo &tensor : file.tensors()) {
    const std::string name = canonicalName(file, tensor.name);
    const auto role = roles.find(name);
    tensors.push_back({name, role == roles.end() ? guessRole(tensor) : role->second, tensor.dims[0], tensor.format});
  }
  return tensors;
}

void Quantizer::refuseInputAs(const std::string &output) const {
  refuseToReplace(gguf::pathsOf(file_), output);
  refuseToReplace(std::span(&options_.importance, 1), output);
}

void Quantizer::chooseFormats() {
  choices_ = recipe_.choose(tensorsOf(file_));
  const gguf::TensorInfo *kept = nullptr; // of a type that another choice would give another meaning
  for (size_t i = 0; i < choices_.size(); ++i) {
    const gguf::TensorInfo &tensor = file_.tensors()[i];
    if (choices_[i].format != tensor.format && !choices_[i].format->encodeRow)
      recipe_.fail(*choices_[i].rule, "ds4c reads {}, but has no quantizer for it: '{}' cannot be written in it",
                   choices_[i].format->name, tensor.name);
    if (choices_[i].format == tensor.format && hasSeveralMeanings(tensor.format->id))
      kept = &tensor;
  }
  for (size_t i = 0; kept && i < choices_.size(); ++i)
    if (hasSeveralMeanings(choices_[i].format->id) && choices_[i].format != kept->format)
      recipe_.fail(*choices_[i].rule, "'{}' becomes {} but '{}' stays {}: in one file type {} means one of them",
                   file_.tensors()[i].name, choices_[i].format->name, kept->name, kept->format->name, kept->format->ggmlType);
  if (std::string warning = warnOfTypeMeaning(file_, options_.rocmFp2); !warning.empty())
    summary_.warnings.push_back(std::move(warning));
}

void Quantizer::checkImportance() {
  if (!importance_)
    return;
  size_t covered = 0;
  std::vector<std::string> bare;
  for (size_t i = 0; i < choices_.size(); ++i)
    if (choices_[i].format != file_.tensors()[i].format)
      importance_->covers(canonicalName(file_, file_.tensors()[i].name)) ? void(++covered)
                                                                         : bare.push_back(file_.tensors()[i].name);
  if (covered == 0)
    userError("'{}' covers none of the tensors that are quantized: it belongs to another model", options_.importance);
  if (!bare.empty())
    summary_.warnings.push_back(fmt::format("'{}' lacks {} of {} tensors, '{}' for one: they are quantized without importance",
                                            options_.importance, bare.size(), covered + bare.size(), bare.front()));
}

void Quantizer::writeMetadata(gguf::Writer &writer) const {
  std::map<const Format *, uint64_t> weights;
  bool mixLeft = false;
  for (size_t i = 0; i < choices_.size(); ++i) {
    const gguf::TensorInfo &tensor = file_.tensors()[i];
    weights[choices_[i].format] += tensor.bytes / tensor.format->blockBytes * tensor.format->blockWeights;
    mixLeft |= isMix(*choices_[i].format);
  }
  const auto isMixKey = [](std::string_view key) {
    return std::ranges::find(kMixTables, key, &MixTableName::key) != std::end(kMixTables);
  };
  for (const gguf::Entry &entry : file_.entries()) {
    if (entry.key.starts_with(kSplitPrefix) || isMixKey(entry.key))
      continue;
    if (entry.key != kFileTypeKey)
      writer.copy(file_, entry);
    else if (const auto type = fileTypeOf(weights))
      writer.set(kFileTypeKey, *type);
  }
  if (!file_.find(kFileTypeKey))
    if (const auto type = fileTypeOf(weights))
      writer.set(kFileTypeKey, *type);
  // Codebooks beside the input move into the output: it is to be complete by itself.
  for (const MixTableName &table : kMixTables)
    if (const auto bytes = mixLeft ? readMixTable(file_, table) : std::vector<std::byte>(); !bytes.empty())
      writer.setArray(table.key, std::span(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
}

void Quantizer::report(const gguf::TensorInfo &tensor, uint64_t bytes) {
  done_ += bytes;
  if (options_.progress)
    options_.progress(done_, summary_.bytesAfter, tensor.name);
}

void Quantizer::addTensor(gguf::Writer &writer, const gguf::TensorInfo &tensor, const Format &format) {
  if (&format == tensor.format) {
    writer.addTensor(tensor.name, format, tensor.dims, [this, &tensor](uint64_t offset, std::span<std::byte> chunk) {
      file_.readTensor(tensor, offset, chunk);
      report(tensor, chunk.size());
    });
    return;
  }
  // The encoder, with the tensor's importance data, lives from the tensor's first chunk to its last.
  auto encoder = std::make_shared<std::optional<RowEncoder>>();
  writer.addTensor(
      tensor.name, format, tensor.dims, [this, &tensor, &format, encoder](uint64_t offset, std::span<std::byte> chunk) {
        if (offset == 0) {
          std::vector<float> importance;
          if (const std::string name = canonicalName(file_, tensor.name); importance_ && importance_->covers(name)) {
            const uint64_t rows = tensor.bytes / tensor.format->rowBytes(tensor.dims[0]);
            importance = importance_->read(name, tensor.dims.size() > 1 ? rows / tensor.dims[1] : 1, tensor.dims[0]);
          }
          encoder->emplace(file_, check_, tensor, format, std::move(importance));
        }
        (*encoder)->encode(offset, chunk, options_.jobs);
        report(tensor, chunk.size());
        if (offset + chunk.size() == format.rowBytes(tensor.dims[0]) * (tensor.bytes / tensor.format->rowBytes(tensor.dims[0])))
          encoder->reset();
      });
}

QuantizeSummary Quantizer::run(const std::string &output) {
  refuseInputAs(output);
  chooseFormats();
  checkImportance();
  const uint64_t alignment = file_.find(kAlignmentKey) ? file_.readUnsigned(kAlignmentKey) : gguf::kDefaultAlignment;
  gguf::Writer writer(static_cast<uint32_t>(alignment));
  writeMetadata(writer);
  for (size_t i = 0; i < choices_.size(); ++i) {
    const gguf::TensorInfo &tensor = file_.tensors()[i];
    const Format &format = *choices_[i].format;
    addTensor(writer, tensor, format);
    summary_.encoded += &format != tensor.format;
    summary_.bytesBefore += tensor.bytes;
    summary_.bytesAfter += tensor.bytes / tensor.format->rowBytes(tensor.dims[0]) * format.rowBytes(tensor.dims[0]);
  }
  summary_.tensors = choices_.size();
  writer.write(output);
  return std::move(summary_);
}

} // namespace

QuantizeSummary quantizeModel(const std::string &input, const std::string &output, const Recipe &recipe,
                              const QuantizeOptions &options) {
  return Quantizer(input, recipe, options).run(output);
}

} // namespace ds4
