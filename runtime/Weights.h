// Where the bytes of a model's weights come from: GGUF files, or a generator in tests and tools.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "models/MixTables.h"
#include "models/gguf/Reader.h"
#include "runtime/plan/Plan.h"
#include "support/File.h"

namespace ds4 {

class WeightSource {
public:
  virtual ~WeightSource() = default;
  // Fills `out` (weight.bytes long) with the weight in its file format. Throws ds4::Error when it cannot.
  virtual void read(const PlanWeight &weight, std::span<std::byte> out) = 0;
  // The tables of levels of a MIX weight, weight.levelTables() of them. A source that has no MIX weights need not know how.
  virtual void readLevels(const PlanWeight &weight, std::span<MixLevels> out);
};

// The shards of one GGUF model, read by position; never mapped, so no file page reaches the device.
class FileWeights : public WeightSource {
public:
  explicit FileWeights(const gguf::Reader &model); // which must outlive this
  // Throws ds4::Error (User) when a weight of the plan lies outside the files.
  void check(const Plan &plan) const;
  void read(const PlanWeight &weight, std::span<std::byte> out) override;
  void readLevels(const PlanWeight &weight, std::span<MixLevels> out) override;

private:
  const File &fileOf(const PlanWeight &weight) const;

  const gguf::Reader &model_;
  std::vector<File> shards_;
  MixCodebooks codebooks_;
};

} // namespace ds4
