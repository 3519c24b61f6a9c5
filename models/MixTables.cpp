#include "models/MixTables.h"

#include <charconv>
#include <filesystem>

#include "models/gguf/Reader.h"
#include "support/Error.h"

namespace ds4 {

static constexpr uint64_t kMaxTableBytes = 64 << 20;

std::optional<MixPlace> mixPlaceOf(std::string_view canonicalName) {
  static constexpr std::pair<std::string_view, MixTensor> kTensors[] = {
      {"ffn_gate_exps.weight", MixTensor::GateExperts},
      {"ffn_up_exps.weight", MixTensor::UpExperts},
      {"ffn_down_exps.weight", MixTensor::DownExperts},
      {"attn_q_a.weight", MixTensor::QA},
      {"attn_q_b.weight", MixTensor::QB},
      {"attn_kv.weight", MixTensor::KV},
      {"attn_output_a.weight", MixTensor::OutputA},
      {"attn_output_b.weight", MixTensor::OutputB},
  };
  constexpr std::string_view kBlock = "blk.";
  if (!canonicalName.starts_with(kBlock))
    return std::nullopt;
  canonicalName.remove_prefix(kBlock.size());
  uint32_t layer = 0;
  const char *end = canonicalName.data() + canonicalName.size();
  const auto [dot, error] = std::from_chars(canonicalName.data(), end, layer);
  if (error != std::errc{} || dot == end || *dot != '.')
    return std::nullopt;
  for (const auto &[name, tensor] : kTensors)
    if (name == std::string_view(dot + 1, end))
      return MixPlace{layer, tensor};
  return std::nullopt;
}

std::vector<std::byte> readMixTable(const gguf::Reader &file, const MixTableName &table) {
  const auto checkSize = [](uint64_t bytes, std::string_view source) {
    if (bytes > kMaxTableBytes)
      userError("{} has {} bytes, too many for codebooks: the file is damaged", source, bytes);
  };
  if (const gguf::Entry *entry = file.find(table.key)) {
    const std::string source = fmt::format("'{}': key '{}'", file.path(), table.key);
    if (entry->type != gguf::ValueType::Array || gguf::fixedBytes(entry->elementType) != 1)
      userError("{} is no array of bytes: convert the model again", source);
    checkSize(entry->bytes, source);
    return file.readRaw(*entry);
  }
  std::filesystem::path beside(file.path());
  beside.replace_extension().concat(table.fileSuffix);
  if (!std::filesystem::exists(beside))
    return {};
  const File side(beside.string());
  checkSize(side.size(), fmt::format("'{}'", side.path()));
  return side.readAll();
}

MixCodebooks readMixCodebooks(const gguf::Reader &file) {
  MixCodebooks codebooks;
  for (const MixTableName &table : kMixTables)
    if (const std::vector<std::byte> bytes = readMixTable(file, table); !bytes.empty())
      codebooks.add(bytes, fmt::format("'{}' {}", file.path(), table.key));
  return codebooks;
}

const MixEntry &requireMixEntry(const MixCodebooks &codebooks, const gguf::Reader &file, std::string_view canonicalName,
                                const Format &format) {
  const std::optional<MixPlace> place = mixPlaceOf(canonicalName);
  const MixEntry *entry = place ? codebooks.find(place->layer, place->tensor) : nullptr;
  if (!entry)
    userError("'{}': no codebooks for the {} tensor '{}': the tables are kept in the file's metadata or beside it, as '{}' for one",
              file.path(), format.name, canonicalName, kMixTables[0].fileSuffix);
  if (entry->format != format.id)
    userError("'{}': '{}' is {}, its codebooks are for {}: they belong to another model", file.path(), canonicalName, format.name,
              formatOf(entry->format).name);
  return *entry;
}

} // namespace ds4
