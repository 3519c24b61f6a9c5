// Codebooks of the MIX formats (rocmfp3_mix, rocmfp2_mix).
//
// A MIX tensor looks like rocmfp3 or rocmfp2 on the wire, but each of its slices (an expert, or a whole dense tensor) is
// either fixed, with that format's levels, or adaptive: then bit 7 of a scale byte chooses one of the slice's two codebooks,
// bits 0..6 are the scale, and weight = scale * codebook[code].
//
// The codebooks stand in up to three tables, each a GGUF metadata value (an array of bytes) or a file beside the model:
//   deepseek4.p4mix.sidecar   MODEL.p4mix.bin   down experts, rocmfp3_mix
//   deepseek4.gumix.sidecar   MODEL.gumix.bin   gate, up and down experts, rocmfp2_mix
//   deepseek4.dmix.sidecar    MODEL.dmix.bin    dense attention matrices, either format
// Each MIX tensor of a model must be in them exactly once: add() refuses a second entry, the loader asks with find().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/kernels/formats/mix_levels.h"
#include "models/formats/Format.h"

namespace ds4 {

inline bool isMix(const Format &format) { return format.id == WeightFormat::RocmFp3Mix || format.id == WeightFormat::RocmFp2Mix; }

struct MixSlice {
  bool adaptive = false;
  std::array<std::array<float, 8>, 2> codebooks{}; // rocmfp2_mix uses the first four entries of each
};

// The matrices of a layer that may be MIX.
enum class MixTensor : uint8_t { GateExperts, UpExperts, DownExperts, QA, QB, KV, OutputA, OutputB };

struct MixEntry {
  WeightFormat format;
  std::vector<MixSlice> slices; // one an expert; a dense tensor has the same for each of its slices
  uint32_t rows = 0, cols = 0;  // of one slice; 0: the table does not say (dense tensors)
};

class MixCodebooks {
public:
  // Reads a table, told apart by its first eight bytes. `source` names it in messages. Throws ds4::Error (User) when the
  // table is damaged or repeats a tensor.
  void add(std::span<const std::byte> table, std::string_view source);
  // nullptr: no table covers that tensor.
  const MixEntry *find(uint32_t layer, MixTensor tensor) const;
  size_t size() const { return entries_.size(); }

private:
  std::map<std::pair<uint32_t, MixTensor>, MixEntry> entries_;
};

// Decodes whole blocks of one slice; the same for both formats. Sizes as in Format::decode.
void decodeMix(const Format &format, const MixSlice &slice, std::span<const std::byte> blocks, std::span<float> out);
// The slice's levels as device code looks them up; a fixed slice has those of its format in both codebooks.
MixLevels deviceLevels(const Format &format, const MixSlice &slice);
// As Format::findInvalidBlock, which cannot know whether bit 7 of a scale byte has a meaning.
std::optional<size_t> findInvalidMixBlock(const Format &format, const MixSlice &slice, std::span<const std::byte> blocks);

} // namespace ds4
