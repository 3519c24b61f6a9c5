// A three-block model of the least sizes that every format fits, and ways to write and read its weights.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>

#include "models/Names.h"
#include "models/gguf/Reader.h"
#include "models/synth/Synth.h"
#include "tests/unit/models/SmallModel.h"

namespace ds4::test {

inline ModelDescription blockSizedDescription() {
  ModelDescription model = smallDescription();
  model.width = model.qRank = model.expertWidth = 256;
  model.experts = 4;
  return model;
}

// A recipe of these lines, which stand from line 3 on.
inline Recipe recipeOf(const std::string &rules) { return Recipe::parse("name: test\nrules:\n" + rules, "r.yaml"); }

inline std::vector<std::byte> bytesOf(const gguf::Reader &file, const std::string &name) {
  const gguf::TensorInfo &tensor = *file.findTensor(name);
  std::vector<std::byte> bytes(tensor.bytes);
  file.readTensor(tensor, 0, bytes);
  return bytes;
}

inline std::vector<float> weightsOf(const gguf::Reader &file, const std::string &name) {
  const Format &format = *file.findTensor(name)->format;
  const std::vector<std::byte> bytes = bytesOf(file, name);
  std::vector<float> weights(bytes.size() / format.blockBytes * format.blockWeights);
  format.decode(bytes, weights);
  return weights;
}

inline std::string fileBytes(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string errorOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &error) {
    return error.code() == ExitCode::User ? error.what() : std::string("not a user's error: ") + error.what();
  }
  return "no error";
}

} // namespace ds4::test
