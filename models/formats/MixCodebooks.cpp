#include "models/formats/MixCodebooks.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "models/formats/RocmFpx.h"
#include "support/Error.h"
#include "support/Half.h"

namespace ds4 {

namespace {

// Reads a table front to back; every message names the table and the entry.
class Cursor {
public:
  Cursor(std::span<const std::byte> table, std::string_view source) : rest_(table), source_(source) {}

  std::span<const std::byte> take(size_t bytes) {
    if (bytes > rest_.size())
      refuse("ends within this entry");
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }
  uint32_t word() { return loadAt<uint32_t>(take(4).data()); }
  bool flag(int value, const char *what) {
    if (value > 1)
      refuse(what);
    return value == 1;
  }
  void beginEntry(uint32_t index) { entry_ = index; }
  bool atEnd() const { return rest_.empty(); }

  [[noreturn]] void refuse(std::string_view reason) const {
    userError("{}, entry {}: {}: the codebook table is damaged, or belongs to another model", source_, entry_, reason);
  }

private:
  std::span<const std::byte> rest_;
  std::string_view source_;
  uint32_t entry_ = 0;
};

uint32_t codebookEntries(WeightFormat format) { return format == WeightFormat::RocmFp3Mix ? 8 : 4; }

void expectShape(Cursor &cursor, uint32_t books, uint32_t entries, WeightFormat format) {
  if (books != 2 || entries != codebookEntries(format))
    cursor.refuse(fmt::format("{} codebooks of {} entries, expected 2 of {}", books, entries, codebookEntries(format)));
}

MixSlice readCodebooks(Cursor &cursor, bool adaptive, uint32_t entries) {
  MixSlice slice{.adaptive = adaptive};
  for (auto &codebook : slice.codebooks)
    for (uint32_t i = 0; i < entries; ++i) {
      codebook[i] = bfloat16ToFloat(loadAt<uint16_t>(cursor.take(2).data()));
      if (!std::isfinite(codebook[i]))
        cursor.refuse("a level is not a finite number");
    }
  return slice;
}

// Mode bytes come first for all experts (and, in one table, rotation bytes, which must be zero), then all codebooks.
MixEntry readExperts(Cursor &cursor, WeightFormat format, bool rotations) {
  const uint32_t experts = cursor.word(), rows = cursor.word(), cols = cursor.word();
  const uint32_t books = cursor.word(), entries = cursor.word();
  expectShape(cursor, books, entries, format);
  if (experts == 0 || rows == 0 || cols == 0 || cols % (format == WeightFormat::RocmFp2Mix ? 128 : 32))
    cursor.refuse(fmt::format("{} experts of {} x {} weights", experts, rows, cols));
  const auto modes = cursor.take(experts);
  if (rotations)
    for (std::byte rotation : cursor.take(experts))
      if (rotation != std::byte{0})
        cursor.refuse("a rotated expert, which no reader supports");
  MixEntry entry{format, {}, rows, cols};
  for (std::byte mode : modes)
    entry.slices.push_back(readCodebooks(cursor, cursor.flag(std::to_integer<int>(mode), "an unknown mode"), entries));
  return entry;
}

std::pair<MixTensor, MixEntry> readDense(Cursor &cursor) {
  constexpr MixTensor kClasses[] = {MixTensor::QA, MixTensor::QB, MixTensor::KV, MixTensor::OutputA, MixTensor::OutputB};
  const uint32_t tensorClass = cursor.word(), type = cursor.word(), slices = cursor.word();
  const uint32_t books = cursor.word(), entries = cursor.word();
  if (tensorClass >= std::size(kClasses))
    cursor.refuse(fmt::format("tensor class {}", tensorClass));
  if (type != 105 && type != 106)
    cursor.refuse(fmt::format("weight type {}, expected 105 or 106", type));
  if (slices == 0 || slices > 4096)
    cursor.refuse(fmt::format("{} slices", slices));
  const WeightFormat format = type == 105 ? WeightFormat::RocmFp3Mix : WeightFormat::RocmFp2Mix;
  expectShape(cursor, books, entries, format);
  const bool adaptive = cursor.flag(std::to_integer<int>(cursor.take(1)[0]), "an unknown mode");
  cursor.take(3);
  return {kClasses[tensorClass], MixEntry{format, std::vector(slices, readCodebooks(cursor, adaptive, entries))}};
}

} // namespace

void MixCodebooks::add(std::span<const std::byte> table, std::string_view source) {
  Cursor cursor(table, source);
  const auto magicBytes = cursor.take(8);
  const std::string_view magic(reinterpret_cast<const char *>(magicBytes.data()), 8);
  const bool downExperts = magic == std::string_view("P4MIXv1\0", 8), experts = magic == std::string_view("GUMIXs1\0", 8);
  if (!downExperts && !experts && magic != std::string_view("DMIXs1\0\0", 8))
    userError("{}: not a table of MIX codebooks: it must begin with P4MIXv1, GUMIXs1 or DMIXs1", source);
  const uint32_t count = cursor.word();
  cursor.word(); // reserved
  for (uint32_t i = 0; i < count; ++i) {
    cursor.beginEntry(i);
    const uint32_t layer = cursor.word();
    MixTensor tensor = MixTensor::DownExperts;
    MixEntry entry;
    if (downExperts) {
      entry = readExperts(cursor, WeightFormat::RocmFp3Mix, true);
    } else if (experts) {
      const uint32_t surface = cursor.word();
      if (surface > 2)
        cursor.refuse(fmt::format("expert matrix {}, expected 0 (gate), 1 (up) or 2 (down)", surface));
      tensor = static_cast<MixTensor>(surface);
      entry = readExperts(cursor, WeightFormat::RocmFp2Mix, false);
    } else {
      std::tie(tensor, entry) = readDense(cursor);
    }
    if (!entries_.try_emplace({layer, tensor}, std::move(entry)).second)
      cursor.refuse(fmt::format("layer {} has this tensor already", layer));
  }
  if (!cursor.atEnd())
    cursor.refuse("followed by bytes that belong to no entry");
}

const MixEntry *MixCodebooks::find(uint32_t layer, MixTensor tensor) const {
  const auto found = entries_.find({layer, tensor});
  return found == entries_.end() ? nullptr : &found->second;
}

void decodeMix(const Format &format, const MixSlice &slice, std::span<const std::byte> blocks, std::span<float> out) {
  format.decode(blocks, out);
  if (!slice.adaptive)
    return;
  const int bits = format.id == WeightFormat::RocmFp3Mix ? 3 : 2;
  for (size_t i = 0; i < out.size(); ++i) {
    const std::byte *block = blocks.data() + i / 32 * format.blockBytes;
    const int index = static_cast<int>(i % 32), meta = byteAt(block, 4 * bits + index / 16);
    out[i] = scaleOfByte(meta & 127) * slice.codebooks[meta >> 7][streamCode(block, index, bits)];
  }
}

MixLevels deviceLevels(const Format &format, const MixSlice &slice) {
  constexpr std::array<float, 8> kFixed3{0, 1, 2, 4, 0, -1, -2, -4}, kFixed2{-1, 0, 1, 2};
  const bool wide = format.id == WeightFormat::RocmFp3Mix;
  const uint32_t entries = codebookEntries(format.id);
  auto codebooks = slice.codebooks;
  if (!slice.adaptive)
    codebooks.fill(wide ? kFixed3 : kFixed2);
  float largest = 0;
  for (const auto &codebook : codebooks)
    for (uint32_t i = 0; i < entries; ++i)
      largest = std::max(largest, std::abs(codebook[i]));

  // 2^12 times the largest level's power of two is a half, and so are the levels down to 2^-28 of it, with all their digits.
  MixLevels levels{};
  levels.unit = largest > 0 ? std::ldexp(1.0f, std::clamp(std::ilogb(largest), -100, 100) - 12) : 1;
  for (uint32_t book = 0; book < 2; ++book)
    for (uint32_t i = 0; i < entries; ++i) {
      const uint32_t table = wide ? book : 0, entry = wide ? i : book * entries + i;
      const float level = codebooks[book][i];
      const auto put = [&](unsigned int (&planes)[4], uint16_t value) {
        planes[entry / 4] |= static_cast<uint32_t>(value & 0xff) << entry % 4 * 8;
        planes[2 + entry / 4] |= static_cast<uint32_t>(value >> 8) << entry % 4 * 8;
      };
      put(levels.single[table], floatToBfloat16(level));
      put(levels.half[table], floatToHalf(level / levels.unit));
    }
  return levels;
}

std::optional<size_t> findInvalidMixBlock(const Format &format, const MixSlice &slice, std::span<const std::byte> blocks) {
  for (size_t i = 0; i < blocks.size() / format.blockBytes; ++i)
    for (uint32_t back = 1; back <= 2; ++back) {
      const int meta = byteAt(blocks.data(), (i + 1) * format.blockBytes - back);
      if ((slice.adaptive ? meta & 127 : meta) > kGreatestScaleByte)
        return i;
    }
  return std::nullopt;
}

} // namespace ds4
