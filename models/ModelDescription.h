// What a DS4 model is: all of its hyperparameters, and the tensors that follow from them.
//
// A description comes from the metadata of a GGUF file or from a YAML file (models/*.yaml); both spell the same fields, so
// the two can be compared. The descriptions in this folder are built into the program: where a file's converter is known
// to leave keys out (the description's `may_lack`), they are taken from the description with the same blocks, width and
// heads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/formats/Format.h"

namespace ds4 {

namespace gguf {
class Reader;
class Writer;
} // namespace gguf

// How a weight is used; decides which formats it may have.
enum class WeightRole : uint8_t {
  Vector,       // norm weights, biases, sinks, bases, scales: f32, f16, bf16
  PositionBias, // a compressor's bias per position in its window: f32, f16, bf16
  Matrix,       // rows of a product, or of the embedding: any format but i32
  ExpertMatrix, // the same for all routed experts, [experts, rows, cols]
  Table,        // token id to expert ids: i32
};

bool roleAllows(WeightRole role, WeightFormat format);

// A tensor that a model must have. Shapes are row-major, slowest first: [rows, cols], [experts, rows, cols], [n].
struct ExpectedTensor {
  std::string name; // canonical
  std::vector<int64_t> shape;
  WeightRole role;
  std::vector<int64_t> splitShape; // another way to cut the same rows that files use; empty for most
};

struct ModelDescription {
  std::string name; // "ds4-flash" from YAML, general.name from GGUF

  uint32_t vocabulary = 0;
  uint32_t contextLength = 0;
  uint32_t width = 0;  // of one residual stream
  uint32_t blocks = 0; // without next-token blocks

  // Attention: all heads share one key-value row of headWidth.
  uint32_t heads = 0, headWidth = 0;
  uint32_t ropeWidth = 0; // the last channels of a head, and of an indexer head, are rotated
  uint32_t qRank = 0;
  uint32_t outputRank = 0, outputGroups = 0;
  uint32_t window = 0;
  std::vector<uint32_t> ratios; // per block: 0 (window only), 4 (with indexer) or 128 tokens a compressed row

  // Rotary embedding: plain with ropeBase in blocks of ratio 0, YaRN with compressRopeBase in the others.
  float ropeBase = 0, compressRopeBase = 0;
  float yarnFactor = 0;
  uint32_t yarnOriginalContext = 0;
  float yarnBetaFast = 0, yarnBetaSlow = 0;

  uint32_t indexerHeads = 0, indexerWidth = 0, indexerTopK = 0;

  uint32_t experts = 0, expertsUsed = 0, expertWidth = 0, sharedExperts = 0;
  float expertScale = 0;
  uint32_t hashLayers = 0;                 // the first blocks route by token id
  std::vector<float> clamps, sharedClamps; // per block: SwiGLU limit of routed and shared experts

  // Hyper-connections.
  uint32_t streams = 0, sinkhornIterations = 0;
  float hcEps = 0, normEps = 0;

  std::optional<uint32_t> bos, eos, pad;

  bool operator==(const ModelDescription &) const = default;

  // A YAML description. Throws ds4::Error (User) with file and line for anything unknown, missing or malformed.
  static ModelDescription fromYaml(const std::string &path);
  // The metadata of a DS4 file. Throws ds4::Error (User) naming all missing keys at once, or the first unusable value.
  static ModelDescription fromGguf(const gguf::Reader &reader);
  // The keys that a file must have, in their canonical spelling.
  static std::vector<std::string> requiredKeys();

  // In the order of the file: model-wide tensors, then block by block.
  std::vector<ExpectedTensor> tensors() const;
  // Width of the compressor's projections in a block: windows of ratio 4 overlap, so they are twice as wide.
  uint32_t compressorWidth(uint32_t block, uint32_t rowWidth) const { return ratios[block] == 4 ? 2 * rowWidth : rowWidth; }

  // One "field: value" a line, the same for equal descriptions: for fingerprints and reports.
  std::string toText() const;
  // The metadata of a GGUF file of this model, tokenizer excepted. fromGguf() reads the same description back.
  void writeTo(gguf::Writer &writer) const;
};

} // namespace ds4
