// A complete three-block DS4 file of a few kilobytes, and the ways to damage it: the data are zeros, so only metadata and
// the tensor table mean something.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/ModelDescription.h"
#include "models/gguf/Writer.h"

namespace ds4::test {

// One block of each ratio; the first two route by token id.
inline ModelDescription smallDescription() {
  ModelDescription m;
  m.name = "small";
  m.vocabulary = 64, m.contextLength = 4096, m.width = 64, m.blocks = 3;
  m.heads = 4, m.headWidth = 32, m.ropeWidth = 16, m.qRank = 32, m.outputRank = 16, m.outputGroups = 2, m.window = 128;
  m.ratios = {0, 4, 128};
  m.ropeBase = 10000, m.compressRopeBase = 160000;
  m.yarnFactor = 16, m.yarnOriginalContext = 65536, m.yarnBetaFast = 32, m.yarnBetaSlow = 1;
  m.indexerHeads = 2, m.indexerWidth = 32, m.indexerTopK = 16;
  m.experts = 8, m.expertsUsed = 2, m.expertWidth = 32, m.sharedExperts = 1, m.expertScale = 1.5f, m.hashLayers = 2;
  m.clamps = m.sharedClamps = {10, 10, 10};
  m.streams = 4, m.sinkhornIterations = 20, m.hcEps = 1e-6f, m.normEps = 1e-6f;
  m.bos = 0, m.eos = 1;
  return m;
}

// What differs from the complete file.
struct SmallModel {
  std::set<std::string> dropKeys = {}, dropTensors = {};
  std::map<std::string, std::string> renameKeys = {}, renameTensors = {};
  std::map<std::string, std::vector<uint64_t>> dims = {}; // fastest first
  std::map<std::string, WeightFormat> formats = {};
  std::function<void(gguf::Writer &)> add = {}; // more keys and tensors

  void write(const std::string &path) const {
    const std::string whole = path + ".whole";
    gguf::Writer complete;
    smallDescription().writeTo(complete);
    complete.write(whole);
    const gguf::Reader keys = gguf::Reader::open(whole);
    std::filesystem::remove(whole);

    gguf::Writer writer;
    for (gguf::Entry entry : keys.entries()) {
      if (dropKeys.contains(entry.key))
        continue;
      if (const auto renamed = renameKeys.find(entry.key); renamed != renameKeys.end())
        entry.key = renamed->second;
      writer.copy(keys, entry);
    }
    for (const ExpectedTensor &tensor : smallDescription().tensors()) {
      if (dropTensors.contains(tensor.name))
        continue;
      const auto renamed = renameTensors.find(tensor.name);
      const auto cut = dims.find(tensor.name);
      const auto format = formats.find(tensor.name);
      const WeightFormat usual = tensor.role == WeightRole::Table ? WeightFormat::I32 : WeightFormat::F16;
      writer.addTensor(renamed == renameTensors.end() ? tensor.name : renamed->second,
                       formatOf(format == formats.end() ? usual : format->second),
                       cut == dims.end() ? std::vector<uint64_t>(tensor.shape.rbegin(), tensor.shape.rend()) : cut->second);
    }
    if (add)
      add(writer);
    writer.write(path);
  }
};

// A folder of its own for each test, removed at its end.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ds4c test é XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

} // namespace ds4::test
