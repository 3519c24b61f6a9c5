// A DS4 model file, checked: its description, and where each of its weights lies.
//
// Opening reads metadata and tensor table alone, in milliseconds whatever the size; weight data are read later, by shard
// and offset. A Model keeps its files open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/ModelDescription.h"
#include "models/gguf/Reader.h"

namespace ds4 {

struct Weight {
  std::string name; // canonical
  WeightRole role;
  const Format *format;
  std::vector<int64_t> shape; // row-major: [rows, cols], [experts, rows, cols] or [n], as ModelDescription::tensors() has it
  uint32_t shard = 0;         // index into file().shards()
  uint64_t offset = 0;        // in that shard's file
  uint64_t bytes = 0;
};

// SHA-256 over a description's text and the weights' names, formats, shapes and places, not over their data.
std::string fingerprintOf(const std::string &description, const std::vector<Weight> &weights);

class Model {
public:
  // Throws ds4::Error (User), one line: a damaged file, another architecture, or all missing keys, missing tensors, wrong
  // shapes and wrong formats at once (of each kind 20 by name, the others counted); MIX tensors without codebooks.
  // `rocmFp2` is what type 107 means; without it the usual meaning is taken, with a warning when the model has such weights.
  static Model open(const std::string &path, std::optional<WeightFormat> rocmFp2 = std::nullopt);

  const ModelDescription &description() const { return description_; }
  // All weights of the model, in the order of ModelDescription::tensors().
  const std::vector<Weight> &weights() const { return weights_; }
  // nullptr when the model has no such weight.
  const Weight *find(std::string_view canonicalName) const;
  const gguf::Reader &file() const { return file_; }

  // fingerprintOf() all: two files with equal fingerprints can be run by the same plan.
  const std::string &fingerprint() const { return fingerprint_; }
  // What was odd but harmless, one line each: tensors that the model does not use, keys taken from a built-in description, a
  // meaning of type 107 taken unasked.
  const std::vector<std::string> &warnings() const { return warnings_; }

private:
  explicit Model(gguf::Reader file) : file_(std::move(file)) {}
  void resolve();

  gguf::Reader file_;
  ModelDescription description_;
  std::vector<Weight> weights_;
  std::unordered_map<std::string, size_t> weightOf_;
  std::string fingerprint_;
  std::vector<std::string> warnings_;
};

} // namespace ds4
