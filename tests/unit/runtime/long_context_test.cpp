// The end of a context of 1,048,576 positions, on synthetic state: tokens read as a chunk, whose selection goes through 262,144
// rows in eight turns, leave the state that steps leave, and the next step reads both alike.
#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "models/gguf/Reader.h"
#include "runtime/Executor.h"
#include "runtime/Weights.h"
#include "runtime/plan/PlanFile.h"
#include "support/Synthetic.h"
#include "tools/ds4-golden/Compare.h"

namespace ds4 {
namespace {

constexpr int64_t kContext = int64_t(1) << 20, kRowsBehind = 64;
constexpr int kChunk = 13;

std::unique_ptr<Executor> load() {
  const gguf::Reader file = gguf::Reader::open(DS4C_TINY_MODEL);
  FileWeights weights(file);
  return std::make_unique<Executor>(hip::openProvider("sim"), readPlanFile(DS4C_LONG_PLAN), weights);
}

// Each value follows from its state and row, so that states of 300 MB are made in pieces.
void fill(Executor &executor) {
  constexpr int64_t kPiece = 65'536; // rows
  for (const PlanState &state : executor.plan().states)
    for (int64_t row = 0; row < state.rows; row += kPiece) {
      const int64_t rows = std::min(kPiece, state.rows - row);
      executor.writeState(state.name, row,
                          syntheticTensor(state.name, static_cast<uint64_t>(row * state.cols),
                                          static_cast<uint64_t>(rows * state.cols), {.half = true}));
    }
}

// Of every state what the last positions of the context can have written: all of a ring, the end of what grows.
std::vector<std::vector<float>> lastRows(Executor &executor) {
  std::vector<std::vector<float>> states;
  for (const PlanState &state : executor.plan().states) {
    const int64_t rows = std::min(state.rows, state.rows > 4096 ? kRowsBehind : state.rows);
    states.push_back(executor.readState(state.name, state.rows - rows, rows));
  }
  return states;
}

} // namespace

TEST(LongContext, AChunkAtTheEndLeavesWhatStepsLeave) {
  constexpr double kLimit = 1e-3; // rows are halves: a step of rounding is 5e-4 of a value
  const std::unique_ptr<Executor> executor = load();
  ASSERT_TRUE(executor->prefill());
  std::vector<int32_t> tokens;
  for (int i = 0; i < kChunk; ++i)
    tokens.push_back(100 + 37 * i);
  const int64_t begin = kContext - kChunk - 1;

  fill(*executor);
  const std::vector<std::vector<float>> before = lastRows(*executor);
  for (int i = 0; i < kChunk; i += 4)
    executor->step({.pos = begin + i, .tokens = std::span(tokens).subspan(static_cast<size_t>(i), std::min(4, kChunk - i))});
  const std::vector<std::vector<float>> bySteps = lastRows(*executor);
  executor->step({.pos = kContext - 1, .tokens = std::span(tokens).first(1)});
  const std::vector<float> logits = executor->output("logits");

  fill(*executor);
  ASSERT_EQ(lastRows(*executor), before);
  executor->prefill()->step({.pos = begin, .tokens = tokens});
  const std::vector<std::vector<float>> byChunk = lastRows(*executor);
  executor->step({.pos = kContext - 1, .tokens = std::span(tokens).first(1)});

  size_t changed = 0;
  for (size_t i = 0; i < bySteps.size(); ++i) {
    changed += bySteps[i] != before[i];
    EXPECT_LE(golden::relativeRms(byChunk[i], bySteps[i]), kLimit) << executor->plan().states[i].name;
  }
  EXPECT_GT(changed, bySteps.size() / 2);
  EXPECT_LE(golden::relativeRms(executor->output("logits"), logits), kLimit);
}

} // namespace ds4
