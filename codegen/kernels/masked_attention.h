// masked_attention: q [T, H, d], window [slots, d], sinks [H], rows [capacity, d], picks [T, K] -> y [T, H, d]: attend, then
// the inverse rope of its result, on the matrix unit. Rows are halves; keys are their own values; one softmax.
//
// The candidate rows of a token, first the window's, then compressed ones, are cut into blocks of 32; part x of `Parts` takes
// blocks x, x + Parts, .. for all heads of a group. Its workgroup leaves unnormalised sums, the greatest score and the sum
// of weights in scratch; the one that arrives last of a token's and group's adds them up, with the sink, and turns the result.
//
// Wave w has channels 64 w .. 64 w + 63 of queries, keys, values and sums. Its part of the rows is its own: it goes to LDS
// without a barrier, is read along the rows as keys and across them as values. Only partial scores cross waves: each wave
// adds up those of two heads, finds weights, and all waves read these as an operand.
//
// A query value times 64, and a weight times 4096, become one half or the sum of two: Halves. The factors keep small ones
// from being subnormal.
#pragma once

#include "hand_over.h"
#include "rope.h"
#include "step.h"
#include "tile.h"

namespace ds4 {

// Which rows a token attends to beside its window. DirectVisible: those that the picks name, of which none is padding, and the
// window is full; nothing is masked. Selected: those that the picks name. Masked: all that are visible.
enum class Visibility { DirectVisible, Selected, Masked };

inline constexpr int kBlockRows = 2 * kTile, kWaveChannels = 64;
inline constexpr float kQueryFactor = 64, kWeightFactor = 4096, kLowest = -1e30f;

template <int TheHeads, int TheWidth, int TheSlots, int TheWindow, int TheRatio, int ThePicks, Visibility TheVisibility,
          int TheParts, int TheTiles, int TheHalves, int TheDims>
struct AttentionPlan {
  static constexpr int kHeads = TheHeads, kWidth = TheWidth, kSlots = TheSlots, kWindow = TheWindow, kRatio = TheRatio,
                       kPicks = ThePicks;
  static constexpr Visibility kVisibility = TheVisibility;
  static constexpr bool kDirect = TheVisibility == Visibility::DirectVisible,
                        kPicked = ThePicks > 0 && TheVisibility != Visibility::Masked;
  static constexpr int kParts = TheParts, kTiles = TheTiles, kHalves = TheHalves,
                       kDims = TheDims; // kTiles: of 16 heads, in a group
  static constexpr int kWaves = kWidth / kWaveChannels, kGroupHeads = kTiles * kTile,
                       kGroups = (kHeads + kGroupHeads - 1) / kGroupHeads;
  static constexpr int kPairs = 8 / kWaves; // pairs of heads whose scores a wave adds up
  static constexpr int kRowBytes = kWidth * 2;
  using Back = TurnBack<kWidth, kDims>;
  static_assert(kWidth % 128 == 0 && kWidth <= 512 && kDims <= 128 && kPicks % kBlockRows == 0 && kParts <= kWaveSize);
  static_assert(!kDirect || kRatio == 0 || kPicks > 0);
};

// The rows that a token attends to, in blocks.
template <typename Plan> struct CandidateRows {
  int firstSlot, windowRows, rows, windowBlocks, blocks;
  const int *picks; // of this token

  DS4_DEVICE_METHOD CandidateRows(int position, const int *picks) : picks(picks) {
    windowRows = Plan::kDirect ? Plan::kWindow : smaller(position + 1, Plan::kWindow);
    firstSlot = static_cast<U32>(position + 1 - windowRows) % Plan::kSlots; // unsigned divisions are shifts or nearly
    if constexpr (Plan::kRatio == 0) {
      rows = 0;
    } else {
      int visible = static_cast<U32>(position + 1) / Plan::kRatio;
      rows = Plan::kDirect ? Plan::kPicks : Plan::kPicked ? smaller(visible, Plan::kPicks) : visible;
    }
    windowBlocks = static_cast<U32>(windowRows + kBlockRows - 1) / kBlockRows;
    blocks = windowBlocks + static_cast<U32>(rows + kBlockRows - 1) / kBlockRows;
  }
  // Rows of a block that are there, 32 of all but the last one of either kind.
  DS4_DEVICE_METHOD int count(int block) const {
    return block < windowBlocks ? windowRows - block * kBlockRows : rows - (block - windowBlocks) * kBlockRows;
  }
  // Where the rows 8 (l / 8) .. of a block stand, for lane l: slots of the window, else indices of compressed rows. Of picks that
  // are padding -1, of other rows that are not there another one.
  DS4_DEVICE_METHOD void find(int (&index)[8], int block) const {
    int first = lane() / 8 * 8;
    if (block < windowBlocks) {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        int row = block * kBlockRows + first + i;
        U32 slot = firstSlot + (Plan::kDirect ? row : smaller(row, windowRows - 1));
        index[i] = static_cast<int>(smaller(slot, slot - Plan::kSlots)); // the ring wraps
      }
    } else {
      int row = (block - windowBlocks) * kBlockRows + first;
      if constexpr (Plan::kPicked) {
        load<16>(index, picks, row * 4);
      } else {
#pragma unroll
        for (int i = 0; i < 8; ++i)
          index[i] = smaller(row + i, rows - 1);
      }
    }
  }
  // 16 bytes of each of these rows.
  DS4_DEVICE_METHOD void read(U32 (&out)[8][4], int (&index)[8], int block, const void *window, const void *compressed) const {
    if (Plan::kPicked && !Plan::kDirect)
#pragma unroll
      for (int &row : index)
        row = larger(row, 0);
    const void *base = block < windowBlocks ? window : compressed;
    U32 channel = wave() * kWaveChannels * 2 + lane() % 8 * 16;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      U32 words[4];
      load<16>(words, base, static_cast<U32>(index[i]) * Plan::kRowBytes + channel);
#pragma unroll
      for (int e = 0; e < 4; ++e) // one by one, or Clang keeps `out` in memory
        out[i][e] = words[e];
    }
  }
};

template <typename Plan> struct AttentionMemory {
  static constexpr int kSliceBytes = kWaveChannels * 2 + 16, kWeightBytes = kTile * 2 + 16; // no two rows begin in one bank
  // Row tiles whose scores cross waves at once: two, unless LDS is short.
  static constexpr int kCrossing = kStaticLds < 65536 ? 1 : 2;
  alignas(16) U32 slices[Plan::kWaves][kBlockRows * kSliceBytes / 4];
  alignas(16) float scores[8][Plan::kWaves][kWaveSize][kCrossing];
  alignas(16) U32 weights[Plan::kTiles][Plan::kHalves][2][kTile * kWeightBytes / 4];
  alignas(16) float factors[Plan::kTiles][kTile];
};

// The wave's channels of 16 heads as operands, by way of its own LDS.
template <typename Plan>
DS4_DEVICE void readQueries(TileOperand (&query)[Plan::kHalves][4], const float *q, int firstHead, U32 *slice) {
  constexpr int kStride = AttentionMemory<Plan>::kSliceBytes;
  U32 l = lane() % 16, half = lane() / 16;
  const float *own = q + firstHead * Plan::kWidth + wave() * kWaveChannels;
  float value[8][4] = {};
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (Plan::kHeads % Plan::kGroupHeads == 0 || firstHead + 2 * i + static_cast<int>(half) < Plan::kHeads)
      load<16>(value[i], own + 2 * i * Plan::kWidth, half * Plan::kWidth * 4 + l * 16);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    U32 first[Plan::kHalves], second[Plan::kHalves];
    splitHalves(value[i][0], value[i][1], kQueryFactor, first);
    splitHalves(value[i][2], value[i][3], kQueryFactor, second);
#pragma unroll
    for (int h = 0; h < Plan::kHalves; ++h) {
      const U32 pairs[2] = {first[h], second[h]};
      store<8>(slice, (h * kTile + 2 * i) * kStride + half * kStride + l * 8, pairs);
    }
  }
  waveBarrier();
#pragma unroll
  for (int h = 0; h < Plan::kHalves; ++h)
#pragma unroll
    for (int k = 0; k < 4; ++k)
      query[h][k] = tileOperand(slice, [&](U32 m) { return (h * kTile + m) * kStride + k * 32; });
  waveBarrier();
}

// The softmax of the heads that a wave adds up scores of, in units of log2. Lane l has rows l % 16 of pairs of heads, one
// in either half of the wave.
template <typename Plan> struct HeadWeights {
  float greatest[Plan::kPairs], sum[Plan::kPairs];

  DS4_DEVICE_METHOD HeadWeights() {
#pragma unroll
    for (int n = 0; n < Plan::kPairs; ++n) {
      greatest[n] = kLowest;
      sum[n] = 0;
    }
  }
  // Takes in the scores of pair n with a block's rows, of which `count` are there; leaves weights and the factor by which earlier
  // sums shrink in LDS.
  DS4_DEVICE_METHOD void take(int n, float (&score)[2], float unit, int count, AttentionMemory<Plan> &memory, int tile) {
    int l = lane() % 16, pair = wave() * Plan::kPairs + n, head = 2 * pair + lane() / 16;
    if (!Plan::kDirect)
#pragma unroll
      for (int t = 0; t < 2; ++t)
        score[t] = l + t * kTile < count ? score[t] : floatOf(0xff800000u);
    float best = maximumXor<8>(maximumXor<4>(maximumXor<2>(maximumXor<1>(maximum(score[0], score[1])))));
    float now = maximum(greatest[n], best * unit);
    float shrink = exp2(greatest[n] - now), weight[2];
    greatest[n] = now;
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      constexpr float kLog2Factor = 12; // of kWeightFactor
      weight[t] = exp2(fma(score[t], unit, kLog2Factor - now));
      U32 at = head * AttentionMemory<Plan>::kWeightBytes + l * 2;
      U16 high[1] = {floatToHalf(weight[t])}, low[1] = {};
      store<2>(memory.weights[tile][0][t], at, high);
      if constexpr (Plan::kHalves == 2) {
        low[0] = floatToHalf(weight[t] - halfToFloat(high[0]));
        store<2>(memory.weights[tile][1][t], at, low);
      } else {
        weight[t] = halfToFloat(high[0]);
      }
    }
    sum[n] = fma(sum[n], shrink, weight[0] + weight[1]);
    if (l == 0)
      memory.factors[tile][lane() / 16 * 8 + pair] = shrink;
    waveBarrier(); // lanes meet again
  }
};

// Where the parts of a token and group of heads leave their results: sums [parts, tiles, waves, 16 heads, 64 channels], so that a
// wave's are close together; greatest score and sum of weights [parts, heads].
template <typename Plan> struct AttentionParts {
  static constexpr int kTileSums = kTile * kWaveChannels, kPartSums = Plan::kGroupHeads * Plan::kWidth;
  float *sums, *softmax;

  DS4_DEVICE_METHOD AttentionParts(void *scratch, int token, int group) {
    float *first = static_cast<float *>(scratch) + kScratchCounters;
    int slot = token * Plan::kGroups + group;
    sums = first + static_cast<long long>(slot) * Plan::kParts * kPartSums;
    softmax = first + static_cast<long long>(kMaxWidth) * Plan::kGroups * Plan::kParts * kPartSums +
              slot * Plan::kParts * Plan::kGroupHeads * 2;
  }

  DS4_DEVICE_METHOD void finish(const TileSum (&sum)[Plan::kTiles][4], const HeadWeights<Plan> (&heads)[Plan::kTiles],
                                AttentionMemory<Plan> &, int part) const {
#pragma unroll
    for (int tile = 0; tile < Plan::kTiles; ++tile) {
      int head = part * Plan::kGroupHeads + tile * kTile;
      float made[4][8], *from = sums + ((part * Plan::kTiles + tile) * Plan::kWaves + wave()) * AttentionParts<Plan>::kTileSums;
#pragma unroll
      for (int j = 0; j < 4; ++j)
        rowsOf(sum[tile][j], made[j]);
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const float run[4] = {made[0][i], made[1][i], made[2][i], made[3][i]};
        store<16>(from, (lane() / 16 * kWaveChannels + lane() % 16 * 4 + 2 * i * kWaveChannels) * 4, run);
      }
#pragma unroll
      for (int n = 0; n < Plan::kPairs; ++n) {
        const float own[2] = {heads[tile].greatest[n], sumLanes<16>(heads[tile].sum[n])};
        if (lane() % 16 == 0)
          store<8>(softmax, (head + 2 * (wave() * Plan::kPairs + n) + lane() / 16) * 8, own);
      }
    }
  }
};

// A group of heads whose rows one workgroup has seen all: sums are divided, with the sink, and turned back where they are.
template <typename Plan, typename Sink> struct WholeAttention {
  int position, firstHead;
  const float *frequencies;
  const void *sinks;
  float *y; // of the token

  DS4_DEVICE_METHOD void finish(TileSum (&sum)[Plan::kTiles][4], const HeadWeights<Plan> (&heads)[Plan::kTiles],
                                AttentionMemory<Plan> &memory, int) const {
    constexpr float kLog2E = 1.44269504f;
    const int channel = wave() * kWaveChannels + lane() % 16 * 4;
    typename Plan::Back back;
    back.find(channel, position, frequencies);
    barrier(); // the factors of the last block have been read
#pragma unroll
    for (int tile = 0; tile < Plan::kTiles; ++tile)
#pragma unroll
      for (int n = 0; n < Plan::kPairs; ++n) {
        const int own = wave() * Plan::kPairs + n, head = firstHead + tile * kTile + 2 * own + lane() / 16;
        const float sink = Sink::at(sinks, smaller(head, Plan::kHeads - 1)) * kLog2E;
        const float greatest = maximum(heads[tile].greatest[n], sink), share = exp2(heads[tile].greatest[n] - greatest);
        const float weights = fma(share, sumLanes<16>(heads[tile].sum[n]), exp2(sink - greatest) * kWeightFactor);
        if (lane() % 16 == 0)
          memory.factors[tile][lane() / 16 * 8 + own] = share * reciprocal(weights);
      }
    barrier();
#pragma unroll
    for (int tile = 0; tile < Plan::kTiles; ++tile) {
      const RowFactors factors(memory.factors[tile]);
      float made[4][8];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        scaleRows(sum[tile][j], factors);
        rowsOf(sum[tile][j], made[j]);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const int head = firstHead + tile * kTile + 2 * i + lane() / 16;
        float run[4] = {made[0][i], made[1][i], made[2][i], made[3][i]};
        back.turn(run);
        if (Plan::kHeads % Plan::kGroupHeads == 0 || head < Plan::kHeads)
          store<16>(y + head * Plan::kWidth, channel * 4, run);
      }
    }
  }
};

// One part of a group of heads of a token.
template <typename Plan, typename Last>
DS4_DEVICE void attendPart(AttentionMemory<Plan> &memory, const CandidateRows<Plan> &candidates, float unit, const float *q,
                           int firstHead, const void *window, const void *rows, int part, const Last &last) {
  using Memory = AttentionMemory<Plan>;
  static_assert(sizeof(Memory) + 16 <= kStaticLds); // hand_over.h has a word
  U32 *slice = memory.slices[wave()];
  constexpr bool kReadsAhead = Plan::kTiles == 1 && Plan::kPairs == 1; // else there are no registers left
  // Rows are under way while the block before is worked on, and one block further ahead the picks that name them.
  int next[8];
  U32 ahead[8][4];
  candidates.find(next, part);
  if (kReadsAhead) {
    candidates.read(ahead, next, part, window, rows);
    if (part + Plan::kParts < candidates.blocks)
      candidates.find(next, part + Plan::kParts);
  }
  TileOperand query[Plan::kTiles][Plan::kHalves][4];
#pragma unroll
  for (int tile = 0; tile < Plan::kTiles; ++tile)
    readQueries<Plan>(query[tile], q, firstHead + tile * kTile, slice);
  TileSum sum[Plan::kTiles][4]; // sum[.][j]: column n is channel 4 n + j of the wave's
  HeadWeights<Plan> softmax[Plan::kTiles];
#pragma unroll 1
  for (int block = part; block < candidates.blocks; block += Plan::kParts) {
    if (!kReadsAhead)
      candidates.read(ahead, next, block, window, rows);
#pragma unroll
    for (int i = 0; i < 8; ++i)
      store<16>(slice, (lane() / 8 * 8 + i) * Memory::kSliceBytes + lane() % 8 * 16, ahead[i]);
    waveBarrier();
    const int following = block + Plan::kParts;
    if (kReadsAhead && following < candidates.blocks)
      candidates.read(ahead, next, following, window, rows);
    const int later = kReadsAhead ? following + Plan::kParts : following;
    if (later < candidates.blocks)
      candidates.find(next, later);
    int count = candidates.count(block);

    TileSum product[Plan::kTiles][2];
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int t = 0; t < 2; ++t) {
        TileOperand key = tileOperand(slice, [&](U32 n) { return (t * kTile + n) * Memory::kSliceBytes + k * 32; });
#pragma unroll
        for (int tile = 0; tile < Plan::kTiles; ++tile)
#pragma unroll
          for (int h = 0; h < Plan::kHalves; ++h)
            multiply(product[tile][t], query[tile][h][k], key);
      }
#pragma unroll
    for (int tile = 0; tile < Plan::kTiles; ++tile) {
      float partial[2][8], score[Plan::kPairs][2] = {};
      rowsOf(product[tile][0], partial[0]);
      rowsOf(product[tile][1], partial[1]);
#pragma unroll
      for (int first = 0; first < 2; first += Memory::kCrossing) {
        if (first > 0)
          barrier();
#pragma unroll
        for (int i = 0; i < 8; ++i)
#pragma unroll
          for (int t = 0; t < Memory::kCrossing; ++t)
            memory.scores[i][wave()][lane()][t] = partial[first + t][i];
        barrier();
#pragma unroll
        for (int n = 0; n < Plan::kPairs; ++n)
#pragma unroll
          for (int other = 0; other < Plan::kWaves; ++other)
#pragma unroll
            for (int t = 0; t < Memory::kCrossing; ++t)
              score[n][first + t] += memory.scores[wave() * Plan::kPairs + n][other][lane()][t];
      }
#pragma unroll
      for (int n = 0; n < Plan::kPairs; ++n)
        softmax[tile].take(n, score[n], unit, count, memory, tile);
      barrier();
    }
    if (block != part) // the first block has nothing before it
#pragma unroll
      for (int tile = 0; tile < Plan::kTiles; ++tile) {
        RowFactors shrink(memory.factors[tile]);
#pragma unroll
        for (int j = 0; j < 4; ++j)
          scaleRows(sum[tile][j], shrink);
      }
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      TileOperand value[4];
      if (!kReadsAhead)
        holdSchedule();
      columnOperands(value, slice + t * kTile * Memory::kSliceBytes / 4, Memory::kSliceBytes);
#pragma unroll
      for (int tile = 0; tile < Plan::kTiles; ++tile)
#pragma unroll
        for (int h = 0; h < Plan::kHalves; ++h) {
          TileOperand weight = tileOperand(memory.weights[tile][h][t], [&](U32 m) { return m * Memory::kWeightBytes; });
#pragma unroll
          for (int j = 0; j < 4; ++j)
            multiply(sum[tile][j], weight, value[j]);
        }
    }
    waveBarrier();
  }
  last.finish(sum, softmax, memory, part);
}

// Adds up the parts of a group's heads, a wave a head; lane s weighs part s.
template <typename Plan, typename Sink>
DS4_DEVICE void mergeParts(const AttentionParts<Plan> &parts, int used, int position, const float *frequencies, const void *sinks,
                           int firstHead, float *y) {
  constexpr float kLog2E = 1.44269504f;
  using Parts = AttentionParts<Plan>;
  constexpr int kChunks = Plan::kWidth / 128;
  typename Plan::Back back; // of the last 128 channels a lane has four
  back.find(Plan::kWidth - 128 + lane() * 4, position, frequencies);
#pragma unroll 1
  for (int first = 0; first < Plan::kGroupHeads; first += Plan::kWaves) {
    int own = opaqueUniform(first + wave()), head = firstHead + own; // opaque: Clang would step 64-bit addresses of every lane
    if (Plan::kHeads % Plan::kGroupHeads != 0 && head >= Plan::kHeads)
      return;
    float softmax[2];
    load<8>(softmax, parts.softmax, (smaller(lane(), used - 1) * Plan::kGroupHeads + own) * 8);
    float sink = Sink::at(sinks, head) * kLog2E, greatest = maximumXor<8>(maximumXor<4>(maximumXor<2>(maximumXor<1>(softmax[0]))));
    greatest = maximum(maximum(greatest, laneXor<16>(greatest)), sink);
    float share = lane() < used ? exp2(softmax[0] - greatest) : 0;
    share *= reciprocal(sumLanes(share * softmax[1]) + exp2(sink - greatest) * kWeightFactor);
    const float *from = parts.sums + own / kTile * kTile * Plan::kWidth + own % kTile * kWaveChannels;
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      float sum[4] = {};
#pragma unroll
      for (int part = 0; part < Plan::kParts; ++part) {
        float made[4], factor = readLane(share, part); // 0 of a part that is not there
        U32 at = lane() / 16 * Parts::kTileSums * 4 + lane() % 16 * 16 + smaller(part, used - 1) * Parts::kPartSums * 4;
        load<16>(made, from + 2 * chunk * Parts::kTileSums, at);
#pragma unroll
        for (int i = 0; i < 4; ++i)
          sum[i] = fma(factor, made[i], sum[i]);
      }
      if (chunk == kChunks - 1)
        back.turn(sum);
      store<16>(y + head * Plan::kWidth + chunk * 128, lane() * 16, sum);
    }
  }
}

// Workgroup (part, token, group of heads).
template <typename Plan, typename Sink>
DS4_DEVICE void maskedAttention(const Step *step, const float *frequencies, float scale, const float *q, const void *window,
                                const void *sinks, const void *rows, const int *picks, float *y, void *scratch) {
  constexpr float kLog2E = 1.44269504f;
  int part = blockX(), token = tokenIndex(), group = blockZ(), position = step->pos + token;
  const CandidateRows<Plan> candidates(position, picks + token * Plan::kPicks);
  int used = smaller(Plan::kParts, candidates.blocks);
  if (part >= used)
    return;
  const AttentionParts<Plan> parts(scratch, token, group);
  int firstHead = group * Plan::kGroupHeads;
  DS4_SHARED AttentionMemory<Plan> memory;
  attendPart<Plan>(memory, candidates, scale * kLog2E / kQueryFactor, q + token * Plan::kHeads * Plan::kWidth, firstHead, window,
                   rows, part, parts);
  if (!arrivesLast(static_cast<U32 *>(scratch) + token * Plan::kGroups + group, used))
    return;
  mergeParts<Plan, Sink>(parts, used, position, frequencies, sinks, firstHead, y + token * Plan::kHeads * Plan::kWidth);
}

// Workgroup (0, token, group of heads): all rows, no scratch. For chunks, whose tokens are enough workgroups; Plan::kParts is 1.
template <typename Plan, typename Sink>
DS4_DEVICE void wholeAttention(const Step *step, const float *frequencies, float scale, const float *q, const void *window,
                               const void *sinks, const void *rows, const int *picks, float *y) {
  static_assert(Plan::kParts == 1);
  constexpr float kLog2E = 1.44269504f;
  const int token = tokenIndex(), position = step->pos + token, firstHead = blockZ() * Plan::kGroupHeads;
  const CandidateRows<Plan> candidates(position, picks + token * Plan::kPicks);
  const long long first = static_cast<long long>(token) * (Plan::kHeads * Plan::kWidth);
  const WholeAttention<Plan, Sink> whole{position, firstHead, frequencies, sinks, y + first};
  DS4_SHARED AttentionMemory<Plan> memory;
  attendPart<Plan>(memory, candidates, scale * kLog2E / kQueryFactor, q + first, firstHead, window, rows, 0, whole);
}

} // namespace ds4
