// Where the bytes of a model's weights come from: GGUF files, or a generator in tests and tools.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/Model.h"
#include "models/WeightCheck.h"
#include "models/gguf/Reader.h"
#include "runtime/plan/Plan.h"
#include "support/File.h"

namespace ds4 {

// What type 107 meant when the plan was compiled.
WeightFormat rocmFp2Of(const Plan &plan);

// The model that a plan was compiled from, its type 107 taken as it was then. Throws ds4::Error (User) when the files are another one.
Model openModel(const Plan &plan, std::string_view planPath, const std::string &path);

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
  explicit FileWeights(gguf::Reader &&) = delete;
  // Throws ds4::Error (User) when a weight of the plan is no tensor of the files.
  void check(const Plan &plan) const;
  void check(const PlanWeight &weight) const;
  uint64_t pieceBytes(const PlanWeight &weight) const override;
  // Throws ds4::Error (User) for scale bytes without a meaning, too.
  void read(const PlanWeight &weight, uint64_t offset, std::span<std::byte> out) const override;
  // What read() does with each piece that it has read: `bytes` begin `offset` bytes into the weight, cut anywhere. May be
  // called from several threads. Throws ds4::Error (User), naming the tensor and the block, for a scale byte without a meaning.
  void checkPiece(const PlanWeight &weight, uint64_t offset, std::span<const std::byte> bytes) const;
  void readLevels(const PlanWeight &weight, std::span<MixLevels> out) override;

private:
  const File &fileOf(const PlanWeight &weight) const;
  const gguf::TensorInfo &tensorOf(const PlanWeight &weight) const;

  const gguf::Reader &model_;
  std::vector<File> shards_;
  WeightCheck scales_;
  std::map<std::pair<uint32_t, uint64_t>, const gguf::TensorInfo *> tensorAt_; // by shard and offset
};

} // namespace ds4
