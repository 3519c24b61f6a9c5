#include "codegen/bench/AttentionBench.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "codegen/bench/BenchLaunch.h"
#include "codegen/emitters/Emitters.h"
#include "codegen/kernels/scratch.h"
#include "ir/reference/Reference.h"
#include "support/Half.h"
#include "support/Synthetic.h"

namespace ds4 {
namespace {

constexpr int kHeads = 64, kWidth = 512, kSlots = 136, kWindow = 128, kTopK = 512, kRatio = 4;
constexpr int kIndexHeads = 64, kIndexWidth = 128;

using reference::Tensor;

// Of unit variance, as normalised queries and rows are.
std::vector<float> random(std::string_view name, int64_t count) {
  return syntheticTensor(name, 0, static_cast<uint64_t>(count), {.amplitude = std::sqrt(3.0)});
}

Tensor tensorOf(reference::Shape shape, const std::vector<float> &values) {
  return {std::move(shape), {values.begin(), values.end()}};
}

// Rows of halves, as numbers for the reference and as they stand in memory.
struct HalfRows {
  reference::State state;
  std::vector<uint16_t> bits;
  HalfRows(std::string_view name, int64_t rows, int64_t width) : state(rows, width, reference::Element::F16), bits(rows * width) {
    const std::vector<float> values = random(name, rows * width);
    std::ranges::transform(values, bits.begin(), floatToHalf);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < width; ++i)
        state.store(row, i, halfToFloat(bits[row * width + i]));
  }
};

AttentionCost costOf(const KernelSpec &spec, BenchLaunch &launch, std::string schedule, int rows, int tokens) {
  const sim::Counters counters = launch.run();
  AttentionCost cost;
  cost.op = spec.op;
  cost.schedule = std::move(schedule);
  cost.rows = rows;
  cost.tokens = tokens;
  cost.instructions = counters.instructions;
  cost.withoutWaits = counters.instructions - counters.waits;
  cost.wmma = counters.wmma;
  cost.longestWave = counters.longestWave;
  cost.workgroups = counters.workgroups;
  cost.lines = static_cast<double>(counters.linesRequested) / static_cast<double>(counters.linesLoaded + counters.linesStored);
  cost.scratchBytes = std::max(0, spec.scratchBytes - kScratchCounterBytes) / static_cast<double>(kMaxWidth);
  cost.vgprs = static_cast<int>(launch.kernel().vgprs);
  cost.ldsBytes = static_cast<int>(launch.kernel().ldsBytes);
  return cost;
}

template <typename T> std::vector<T> resultOf(const std::byte *from, size_t count) {
  std::vector<T> values(count);
  std::memcpy(values.data(), from, count * sizeof(T));
  return values;
}

// The greatest error over the greatest result; rows of either are `stride` apart.
double errorOf(const std::vector<float> &made, int64_t stride, const Tensor &expected) {
  double error = 0, largest = 0;
  for (int64_t row = 0; row < expected.rows(); ++row)
    for (int64_t i = 0; i < expected.columns(); ++i) {
      const double want = expected.row(row)[i];
      if (!std::isfinite(want))
        continue;
      error = std::max(error, std::abs(made[row * stride + i] - want));
      largest = std::max(largest, std::abs(want));
    }
  return error / largest;
}

AttentionCost measureSelection(int rows, std::string_view data) {
  std::vector<float> scores = random("bench.scores", rows);
  if (data == "all equal")
    std::ranges::fill(scores, 0.25f);
  if (data == "whole numbers")
    for (float &score : scores)
      score = std::round(2 * score);
  const KernelSpec spec = emitKernel(SelectTopKShape{.k = kTopK, .ratio = kRatio, .capacity = rows});
  const int pos = rows * kRatio - 1;
  BenchLaunch launch(spec, pos, 1);
  launch.pass(scores);
  const std::byte *result = launch.pass(std::vector<int>(kTopK));
  launch.passScratch();
  AttentionCost cost = costOf(spec, launch, std::string(data), rows, 1);
  const Tensor expected = reference::selectTopK(tensorOf({1, rows}, scores), pos, kTopK, kRatio);
  const std::vector<int> ids = resultOf<int>(result, kTopK);
  for (int i = 0; i < kTopK; ++i)
    cost.error += ids[i] != expected.values[i];
  if (rows == 8192)
    cost.limit = 35'000;
  if (rows == 32768)
    cost.limit = 100'000;
  return cost;
}

AttentionCost measureScores(int rows, int tokens, int halves) {
  const HalfRows keys("bench.index_rows", rows, kIndexWidth);
  const std::vector<float> q = random("bench.index_q", int64_t{tokens} * kIndexHeads * kIndexWidth),
                           weights = random("bench.index_weights", int64_t{tokens} * kIndexHeads);
  const float scale = 1 / std::sqrt(static_cast<float>(kIndexWidth * kIndexHeads));
  const KernelSpec spec = emitKernel(IndexScoreShape{.element = "f16",
                                                     .heads = kIndexHeads,
                                                     .width = kIndexWidth,
                                                     .ratio = kRatio,
                                                     .capacity = rows,
                                                     .scale = scale,
                                                     .halves = halves});
  const int pos = rows * kRatio - tokens;
  BenchLaunch launch(spec, pos, tokens);
  launch.pass(q);
  launch.pass(weights);
  launch.pass(keys.bits);
  const std::byte *result = launch.pass(std::vector<float>(static_cast<size_t>(tokens) * rows));
  AttentionCost cost = costOf(spec, launch, fmt::format("query of {}", halves == 2 ? "two halves" : "one half"), rows, tokens);
  cost.error = errorOf(resultOf<float>(result, static_cast<size_t>(tokens) * rows), rows,
                       reference::indexScore(tensorOf({tokens, kIndexHeads, kIndexWidth}, q),
                                             tensorOf({tokens, kIndexHeads}, weights), keys.state, pos, kRatio, scale));
  if (rows == 8192 && (tokens == 1 || tokens == 4))
    cost.limit = halves == 2 ? (tokens == 1 ? 250'000 : 800'000) : (tokens == 1 ? 180'000 : 550'000);
  return cost;
}

struct AttentionCase {
  std::string schedule;
  Visibility visibility;
  int parts, groupHeads, halves;
  int ratio = kRatio; // 0: the window alone
  int pos = 32767;    // of the first token
};

std::vector<int> spreadPicks(int pos, int tokens) {
  std::vector<int> picks;
  for (int token = 0; token < tokens; ++token) {
    const int visible = (pos + token + 1) / kRatio, taken = std::min(visible, kTopK);
    for (int i = 0; i < kTopK; ++i)
      picks.push_back(i < taken ? static_cast<int>(int64_t{i} * visible / taken) : -1);
  }
  return picks;
}

AttentionCost measureCase(const AttentionCase &c, int tokens) {
  const int visible = c.ratio ? (c.pos + tokens) / c.ratio : 0, rows = c.ratio ? std::min(visible, kTopK) : 0;
  const HalfRows window("bench.window", kSlots, kWidth), compressed("bench.rows", std::max(1, visible), kWidth);
  const std::vector<float> q = random("bench.q", int64_t{tokens} * kHeads * kWidth), sinks = random("bench.sinks", kHeads);
  const std::vector<int> picks = spreadPicks(c.pos, tokens);
  MaskedAttentionShape shape{
      .heads = kHeads, .width = kWidth, .slots = kSlots, .window = kWindow, .ratio = c.ratio, .picks = c.ratio ? kTopK : 0};
  shape.scale = 1 / std::sqrt(static_cast<float>(kWidth));
  shape.rope = {.dims = 64, .base = 160000};
  shape.visibility = c.visibility;
  shape.parts = c.parts;
  shape.groupHeads = c.groupHeads;
  shape.halves = c.halves;
  const KernelSpec spec = emitKernel(shape);
  BenchLaunch launch(spec, c.pos, tokens);
  launch.pass(q);
  launch.pass(window.bits);
  launch.pass(sinks);
  if (c.ratio) {
    launch.pass(compressed.bits);
    launch.pass(picks);
  }
  const std::byte *result = launch.pass(std::vector<float>(q.size()));
  launch.passScratch();
  AttentionCost cost = costOf(spec, launch, c.schedule, std::min(kWindow, c.pos + 1) + rows, tokens);

  const Tensor pickTensor({tokens, kTopK}, {picks.begin(), picks.end()});
  reference::AttendOptions options{.scale = shape.scale, .window = kWindow, .ratio = c.ratio};
  if (c.ratio) {
    options.rows = &compressed.state;
    options.picks = &pickTensor;
  }
  const std::vector<float> frequencies = ropeFrequencies(shape.rope);
  cost.error = errorOf(resultOf<float>(result, q.size()), kWidth,
                       reference::maskedAttention(tensorOf({tokens, kHeads, kWidth}, q), window.state, {{kHeads}, sinks}, c.pos,
                                                  options, frequencies));
  if (c.ratio && rows == kTopK && (tokens == 1 || tokens == 4)) {
    cost.limit = c.halves == 2 ? (tokens == 1 ? 470'000 : 1'500'000) : (tokens == 1 ? 420'000 : 1'100'000);
    cost.wmmaLimit = static_cast<uint64_t>(tokens) * (c.halves == 2 ? 20'500 : 10'300);
  }
  return cost;
}

} // namespace

std::vector<AttentionCost> measureAttention(const AttentionSelection &selection) {
  std::vector<AttentionCost> costs;
  auto wanted = [&](std::string_view op) { return selection.op.empty() || selection.op == op; };
  if (wanted("select_top_k"))
    for (int rows : {8192, 32768, 262144})
      for (std::string_view data : {"random", "whole numbers", "all equal"})
        costs.push_back(measureSelection(rows, data));
  for (int tokens : selection.tokens) {
    if (wanted("index_score"))
      for (int halves : {2, 1})
        costs.push_back(measureScores(8192, tokens, halves));
    if (wanted("masked_attention")) {
      const int heads = tokens == 1 ? 16 : 32, parts = tokens == 1 ? 10 : 5; // of queries of one half
      for (const AttentionCase &c : {AttentionCase{"direct, two halves", Visibility::DirectVisible, 10, 16, 2},
                                     AttentionCase{"selected, two halves", Visibility::Selected, 10, 16, 2},
                                     AttentionCase{"direct, one half", Visibility::DirectVisible, parts, heads, 1},
                                     AttentionCase{"window alone", Visibility::DirectVisible, 4, 16, 2, 0},
                                     AttentionCase{"selected, 100 rows", Visibility::Selected, 10, 16, 2, kRatio, 399}})
        costs.push_back(measureCase(c, tokens));
    }
  }
  return costs;
}

} // namespace ds4
