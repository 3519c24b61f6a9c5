#include "models/synth/SyntheticCodebooks.h"

#include <algorithm>
#include <array>
#include <string>

#include "support/Half.h"
#include "support/Synthetic.h"

namespace ds4 {

namespace {

constexpr std::array<float, 8> kLevels3{0, 1, 2, 4, 0, -1, -2, -4};
constexpr std::array<float, 4> kLevels2{-1, 0, 1, 2};

uint32_t entriesOf(WeightFormat format) { return format == WeightFormat::RocmFp3Mix ? 8 : 4; }

bool isExperts(MixTensor tensor) { return tensor <= MixTensor::DownExperts; }

// One table: its magic, the number of entries, the entries.
class TableWriter {
public:
  explicit TableWriter(std::string_view magic) { bytes_.insert(bytes_.end(), magic.begin(), magic.end()); }

  void begin() { ++count_; }
  void word(uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8)
      body_.push_back(static_cast<uint8_t>(value >> shift));
  }
  void byte(uint8_t value) { body_.push_back(value); }
  void codebooks(const MixEntry &entry, const MixSlice &slice) {
    for (const auto &codebook : slice.codebooks)
      for (uint32_t i = 0; i < entriesOf(entry.format); ++i) {
        const uint16_t level = floatToBfloat16(codebook[i]);
        body_.push_back(static_cast<uint8_t>(level));
        body_.push_back(static_cast<uint8_t>(level >> 8));
      }
  }

  std::vector<uint8_t> finish() {
    if (count_ == 0)
      return {};
    std::vector<uint8_t> entries = std::move(body_);
    body_ = std::move(bytes_);
    word(count_);
    word(0); // reserved
    body_.insert(body_.end(), entries.begin(), entries.end());
    return std::move(body_);
  }

private:
  std::vector<uint8_t> bytes_, body_;
  uint32_t count_ = 0;
};

void writeShape(TableWriter &table, const MixEntry &entry) {
  for (uint32_t word : {static_cast<uint32_t>(entry.slices.size()), entry.rows, entry.cols, 2u, entriesOf(entry.format)})
    table.word(word);
}

void writeSlices(TableWriter &table, const MixEntry &entry, bool rotations) {
  for (const MixSlice &slice : entry.slices)
    table.byte(slice.adaptive);
  for (size_t i = 0; rotations && i < entry.slices.size(); ++i)
    table.byte(0);
  for (const MixSlice &slice : entry.slices)
    table.codebooks(entry, slice);
}

void writeDense(TableWriter &table, const SyntheticMixTensor &tensor) {
  const MixEntry &entry = tensor.entry;
  table.begin();
  for (uint32_t word : {tensor.place.layer, static_cast<uint32_t>(tensor.place.tensor) - static_cast<uint32_t>(MixTensor::QA),
                        formatOf(entry.format).ggmlType, static_cast<uint32_t>(entry.slices.size()), 2u, entriesOf(entry.format)})
    table.word(word);
  table.byte(entry.slices[0].adaptive);
  for (int padding = 0; padding < 3; ++padding)
    table.byte(0);
  table.codebooks(entry, entry.slices[0]);
}

} // namespace

SyntheticMixTensor makeSyntheticMix(MixPlace place, std::string_view canonicalName, const Format &format, uint32_t slices,
                                    uint32_t rows, uint32_t cols, uint64_t seed) {
  const uint32_t entries = entriesOf(format.id);
  const std::span<const float> levels = entries == 8 ? std::span<const float>(kLevels3) : std::span<const float>(kLevels2);
  MixEntry entry{format.id, std::vector<MixSlice>(slices), rows, cols};
  const std::vector<float> moves =
      syntheticTensor(std::string(canonicalName) + ".codebooks", 0, uint64_t{slices} * 2 * entries, {.amplitude = 0.25}, seed);
  for (uint32_t slice = 0; slice < slices; ++slice) {
    entry.slices[slice].adaptive = slice % 4 != 3;
    for (uint32_t i = 0; i < 2 * entries; ++i) {
      const float level = levels[i % entries] + moves[uint64_t{slice} * 2 * entries + i];
      entry.slices[slice].codebooks[i / entries][i % entries] = bfloat16ToFloat(floatToBfloat16(level));
    }
  }
  if (!isExperts(place.tensor)) { // dense tensors have one codebook for all their slices, and no shape
    std::fill(entry.slices.begin(), entry.slices.end(), MixSlice(entry.slices[0]));
    entry.rows = entry.cols = 0;
  }
  return {place, std::move(entry)};
}

std::vector<std::pair<std::string_view, std::vector<uint8_t>>> writeMixTables(std::span<const SyntheticMixTensor> tensors) {
  TableWriter down(std::string_view("P4MIXv1\0", 8)), experts(std::string_view("GUMIXs1\0", 8)),
      dense(std::string_view("DMIXs1\0\0", 8));
  for (const SyntheticMixTensor &tensor : tensors) {
    if (!isExperts(tensor.place.tensor)) {
      writeDense(dense, tensor);
      continue;
    }
    const bool wide = tensor.entry.format == WeightFormat::RocmFp3Mix;
    TableWriter &table = wide ? down : experts;
    table.begin();
    table.word(tensor.place.layer);
    if (!wide)
      table.word(static_cast<uint32_t>(tensor.place.tensor));
    writeShape(table, tensor.entry);
    writeSlices(table, tensor.entry, wide);
  }
  std::vector<std::pair<std::string_view, std::vector<uint8_t>>> tables;
  TableWriter *const writers[] = {&down, &experts, &dense};
  for (size_t i = 0; i < std::size(kMixTables); ++i)
    if (std::vector<uint8_t> bytes = writers[i]->finish(); !bytes.empty())
      tables.emplace_back(kMixTables[i].key, std::move(bytes));
  return tables;
}

} // namespace ds4
