// The tensors of a file against those that a model must have.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/Model.h"
#include "models/gguf/Reader.h"

namespace ds4 {

// "a, b and 3 more": up to 20 by name.
std::string listed(const std::vector<std::string> &names);

class TensorMatch {
public:
  using CanonicalName = std::function<std::string(std::string_view)>;
  // Throws ds4::Error (User) when two tensors of the file stand for one of the model: have one canonical name.
  TensorMatch(const gguf::Reader &file, CanonicalName canonicalName);

  bool has(std::string_view canonicalName) const { return present_.contains(std::string(canonicalName)); }
  // The expected tensors that are there, in that order. What is missing, or has another shape or a format that its role does not
  // allow, is noted. A size of zero stands for a key that is missing: such a shape is not compared.
  std::vector<Weight> match(std::vector<ExpectedTensor> expected);
  void noteMissingKeys(std::vector<std::string> keys) { missingKeys_ = std::move(keys); }
  // Throws ds4::Error (User), one line with all that was noted: "'file' is no complete <kind>: ...".
  void refuseFaults(std::string_view kind) const;
  // Tensors of the file that no call of match() asked for, quoted.
  std::vector<std::string> unused() const;

private:
  const gguf::Reader &file_;
  CanonicalName canonicalName_;
  std::unordered_map<std::string, const gguf::TensorInfo *> present_; // by canonical name
  std::vector<std::string> missingKeys_, missingTensors_, shapes_, formats_;
};

} // namespace ds4
