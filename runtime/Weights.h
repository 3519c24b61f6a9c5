// Where the bytes of a model's weights come from: GGUF files, or a generator in tests and tools.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "models/gguf/Reader.h"
#include "runtime/plan/Plan.h"
#include "support/File.h"

namespace ds4 {

class WeightSource {
public:
  virtual ~WeightSource() = default;
  // Fills `out` (weight.bytes long) with the weight in its file format. Throws ds4::Error when it cannot.
  virtual void read(const PlanWeight &weight, std::span<std::byte> out) = 0;
};

// The shards of one GGUF model, read by position; never mapped, so no file page reaches the device.
class FileWeights : public WeightSource {
public:
  explicit FileWeights(const gguf::Reader &model);
  // Throws ds4::Error (User) when a weight of the plan lies outside the files.
  void check(const Plan &plan) const;
  void read(const PlanWeight &weight, std::span<std::byte> out) override;

private:
  const File &fileOf(const PlanWeight &weight) const;

  std::vector<File> shards_;
};

} // namespace ds4
