// A drafter's file, checked against the model that it drafts for: its description, and where each of its weights lies.
//
// Two kinds are known: DSpark drafters (spec section 10.2), files of their own, and the classic next-token block (MTP, section
// 10.1), which lies behind a model's blocks in its file or alone in one (models/MtpBlock.h). DSpark files have two dialects,
// Lucebox' (architecture "deepseek4-dflash-draft") and llama.cpp's ("dflash"): they differ in names, and in that llama.cpp counts
// tapped blocks from 1. A drafter has no embedding, output matrix or tokenizer: they are the target's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/Model.h"

namespace ds4 {

enum class DrafterKind { Dspark, Mtp };

// "dspark", "mtp": in plans and on command lines.
std::string_view nameOf(DrafterKind kind);
// Before the names of a drafter's weights and states where the target's stand beside them: "dspark.blk.0.attn_kv.weight".
std::string_view prefixOf(DrafterKind kind);

struct DrafterDescription {
  DrafterKind kind = DrafterKind::Dspark;
  ModelDescription blocks; // its stages, of MTP one, as blocks of ratio 0 with learned routers
  // Rows of the draft function. DSpark: always all of them, the confirmed token and blockSize - 1 times the noise token. MTP: at
  // most so many, each a token that the block catches up on or drafts behind.
  uint32_t blockSize = 0;
  // Of DSpark alone.
  std::vector<uint32_t> taps; // target blocks, from 0, whose output streams are its input; in the order of main_proj's columns
  uint32_t noiseToken = 0;
  uint32_t markovRank = 0;

  // One "field: value" a line, the same for equal descriptions.
  std::string toText() const;
};

// Whether a file is a DSpark drafter by its architecture.
bool isDrafter(const gguf::Reader &file);

class DrafterModel {
public:
  // A DSpark drafter, or the next-token block of a file of the model's own architecture.
  // Throws ds4::Error (User), one line: a damaged file, another architecture, all that is missing or of the wrong shape or format
  // at once, a drafter of another model (width, vocabulary, streams, tapped blocks, rotation), or one of a kind that is not known.
  static DrafterModel open(const std::string &path, const Model &target, std::optional<WeightFormat> rocmFp2 = std::nullopt);

  const DrafterDescription &description() const { return description_; }
  // Their names begin with prefixOf() the kind; shards are indices into file().shards().
  const std::vector<Weight> &weights() const { return weights_; }
  const gguf::Reader &file() const { return file_; }
  // fingerprintOf() all of it.
  const std::string &fingerprint() const { return fingerprint_; }
  const std::vector<std::string> &warnings() const { return warnings_; }

private:
  explicit DrafterModel(gguf::Reader file) : file_(std::move(file)) {}
  void resolveDspark(const ModelDescription &target);
  void resolveMtp(const ModelDescription &target);
  void takeWeights(std::vector<Weight> weights);
  void checkBias(const Weight &bias) const;
  void checkFit(const ModelDescription &target) const;

  gguf::Reader file_;
  DrafterDescription description_;
  std::vector<Weight> weights_;
  std::string fingerprint_;
  std::vector<std::string> warnings_;
};

} // namespace ds4
