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
  // In how large pieces read() is asked for the weight, counted from its start. Else the whole at once.
  virtual uint64_t pieceBytes(const PlanWeight &weight) const { return weight.bytes; }
  // Fills `out` with the bytes from `offset` on of the weight in its file format. Called from several threads. Throws
  // ds4::Error when it cannot.
  virtual void read(const PlanWeight &weight, uint64_t offset, std::span<std::byte> out) const = 0;
  // The tables of levels of a MIX weight, weight.levelTables() of them. A source that has no MIX weights need not know how.
  virtual void readLevels(const PlanWeight &weight, std::span<MixLevels> out);
};

// The shards of one GGUF model, read by position; never mapped, so no file page reaches the device.
class FileWeights : public WeightSource {
public:
  explicit FileWeights(const gguf::Reader &model); // which must outlive this
  // Throws ds4::Error (User) when a weight of the plan lies outside the files.
  void check(const Plan &plan) const;
  uint64_t pieceBytes(const PlanWeight &weight) const override;
  void read(const PlanWeight &weight, uint64_t offset, std::span<std::byte> out) const override;
  void readLevels(const PlanWeight &weight, std::span<MixLevels> out) override;

private:
  const File &fileOf(const PlanWeight &weight) const;

  const gguf::Reader &model_;
  std::vector<File> shards_;
  MixCodebooks codebooks_;
};

} // namespace ds4
