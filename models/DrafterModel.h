// A DSpark drafter file, checked against the model that it drafts for (spec section 10.2): its description, and where each of
// its weights lies.
//
// Two dialects are read: Lucebox' (architecture "deepseek4-dflash-draft") and llama.cpp's ("dflash"). They differ in names, and
// in that llama.cpp counts tapped blocks from 1. A drafter has no embedding, output matrix or tokenizer: they are the target's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/Model.h"

namespace ds4 {

// Before the names of a drafter's weights and states where the target's stand beside them: "dspark.blk.0.attn_kv.weight".
inline constexpr std::string_view kDrafterPrefix = "dspark.";

struct DrafterDescription {
  ModelDescription blocks;    // its stages, as blocks of ratio 0 with learned routers
  std::vector<uint32_t> taps; // target blocks, from 0, whose output streams are its input; in the order of main_proj's columns
  uint32_t blockSize = 0;     // tokens drafted together: the confirmed one and blockSize - 1 times the noise token
  uint32_t noiseToken = 0;
  uint32_t markovRank = 0;

  // One "field: value" a line, the same for equal descriptions.
  std::string toText() const;
};

// Whether a file is a drafter by its architecture.
bool isDrafter(const gguf::Reader &file);

class DrafterModel {
public:
  // Throws ds4::Error (User), one line: a damaged file, another architecture, all that is missing or of the wrong shape or format
  // at once, a drafter of another model (width, vocabulary, streams, tapped blocks, rotation), or one of a kind that is not known.
  static DrafterModel open(const std::string &path, const Model &target, std::optional<WeightFormat> rocmFp2 = std::nullopt);

  const DrafterDescription &description() const { return description_; }
  // Their names begin with kDrafterPrefix; shards are indices into file().shards().
  const std::vector<Weight> &weights() const { return weights_; }
  const gguf::Reader &file() const { return file_; }
  // fingerprintOf() all of it.
  const std::string &fingerprint() const { return fingerprint_; }
  const std::vector<std::string> &warnings() const { return warnings_; }

private:
  explicit DrafterModel(gguf::Reader file) : file_(std::move(file)) {}
  void resolve(const ModelDescription &target);
  void checkBias(const Weight &bias) const;
  void checkFit(const ModelDescription &target) const;

  gguf::Reader file_;
  DrafterDescription description_;
  std::vector<Weight> weights_;
  std::string fingerprint_;
  std::vector<std::string> warnings_;
};

} // namespace ds4
