// compress: open [slots, 2 W], rows [capacity, d], kv and gate [T, W], ape [m, W], norm [d].
//
// One workgroup a token. Each appends its own (kv, gate + ape[position mod m]) to the open ring; one whose token
// completes a window pools it into a row, normalises and turns the row, and stores it at the window's index. Tokens of
// this step that the pool needs are taken from kv and gate, rounded as the ring would, because other workgroups are
// still writing them: the ring is read for earlier steps' tokens alone, whose slots no workgroup of this step writes.
// Ratio 4: W = 2 d; the pool has the window before with the first half of the columns, and the own window with the
// second. Other ratios: W = d. A thread takes two channels.
#pragma once

#include "formats/f16.h"
#include "formats/f32.h"
#include "rope.h"

namespace ds4 {

template <typename Open, typename Rows, typename Ape, typename Norm, int Ratio, int Slots, int Width, int Dims, int Waves>
struct Compressor {
  static_assert(Width % 2 == 0 && Dims % 2 == 0 && Dims <= Width);
  static constexpr bool kOverlaps = Ratio == 4;
  static constexpr int kColumns = kOverlaps ? 2 * Width : Width;
  static constexpr int kThreads = Waves * kWaveSize;
  static_assert(Width <= 2 * kThreads && Slots >= (kOverlaps ? 2 : 1) * Ratio + kMaxWidth - 1);

  int pos;
  void *open;
  const float *kv, *gate;
  const void *ape;

  // (kv, gate + ape) of the token at `position` of this step, columns `column` and `column` + 1.
  DS4_DEVICE_METHOD void fresh(int position, int column, float (&value)[2], float (&logit)[2]) const {
    int row = (position - pos) * kColumns, bias = position % Ratio * kColumns + column;
    load<8>(value, kv + row, column * 4);
    load<8>(logit, gate + row, column * 4);
    logit[0] += Ape::at(ape, bias);
    logit[1] += Ape::at(ape, bias + 1);
  }
  DS4_DEVICE_METHOD static U32 offset(int position, int column) {
    return (static_cast<U32>(position) % Slots * (2 * kColumns) + column) * Open::kElementBytes;
  }
  DS4_DEVICE_METHOD void append(int position) const {
    for (int column = threadIndex() * 2; column < kColumns; column += kThreads * 2) {
      float value[2], logit[2];
      fresh(position, column, value, logit);
      Open::template write<2 * Open::kElementBytes>(open, offset(position, column), value);
      Open::template write<2 * Open::kElementBytes>(open, offset(position, kColumns + column), logit);
    }
  }
  DS4_DEVICE_METHOD void member(int position, int column, float (&value)[2], float (&logit)[2]) const {
    if (position < pos) {
      Open::template read<2 * Open::kElementBytes>(value, open, offset(position, column));
      Open::template read<2 * Open::kElementBytes>(logit, open, offset(position, kColumns + column));
    } else {
      fresh(position, column, value, logit);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        value[i] = Open::round(value[i]);
        logit[i] = Open::round(logit[i]);
      }
    }
  }
  // The softmax-weighted mean over the members of the window that ends at `last`, some at a time, which are on their way together:
  // what has been added up is scaled to the greatest logit so far. How they are cut depends on `last` alone.
  DS4_DEVICE_METHOD void pool(int last, int channel, float (&pooled)[2]) const {
    constexpr int kCount = smaller(kMembersUnderWay, kOverlaps ? 2 * Ratio : Ratio);
    const int first = last - Ratio + 1, start = kOverlaps && first > 0 ? first - Ratio : first;
    float greatest[2] = {-3e38f, -3e38f}, sum[2] = {}, weighted[2] = {};
#pragma unroll 1
    for (int begin = start; begin <= last; begin += kCount) {
      float value[kCount][2], logit[kCount][2];
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const int position = smaller(begin + i, last);
        member(position, channel + (kOverlaps && position >= first ? Width : 0), value[i], logit[i]);
      }
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        float most = greatest[k];
#pragma unroll
        for (int i = 0; i < kCount; ++i)
          most = larger(most, logit[i][k]);
        const float scale = exp(greatest[k] - most);
        greatest[k] = most;
        sum[k] *= scale;
        weighted[k] *= scale;
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
          const float weight = begin + i <= last ? exp(logit[i][k] - most) : 0;
          sum[k] += weight;
          weighted[k] = fma(weight, value[i][k], weighted[k]);
        }
      }
    }
    pooled[0] = divide(weighted[0], sum[0]);
    pooled[1] = divide(weighted[1], sum[1]);
  }
};

// Pools the window that ends at `last` and stores its row. All threads call it; `slots` is LDS of Waves values.
template <typename Rows, typename Norm, int Ratio, int Width, int Dims, int Waves, typename Windows>
DS4_DEVICE void storeWindow(const Windows &compressor, const float *frequencies, float eps, int last, void *rows, const void *norm,
                            float *slots) {
  const int channel = threadIndex() * 2, own = smaller(channel, Width - 2);
  const int first = last - Ratio + 1, pair = (own - (Width - Dims)) / 2;
  // Asked for before what takes long.
  const float scale[2] = {Norm::at(norm, own), Norm::at(norm, own + 1)}, frequency = frequencies[larger(pair, 0)];
  float pooled[2] = {};
  if (channel < Width)
    compressor.pool(last, channel, pooled);
  const float squares = sumWaves<Waves>(sumLanes(fma(pooled[0], pooled[0], pooled[1] * pooled[1])), slots);
  if (channel >= Width)
    return;
  const float factor = inverseSqrt(fma(squares, 1.0f / Width, eps));
  pooled[0] *= factor * scale[0];
  pooled[1] *= factor * scale[1];
  if (channel >= Width - Dims)
    turn(pooled[0], pooled[1], static_cast<float>(first) * frequency, false);
  Rows::template write<2 * Rows::kElementBytes>(rows, (first / Ratio * Width + channel) * Rows::kElementBytes, pooled);
}

template <typename Open, typename Rows, typename Ape, typename Norm, int Ratio, int Slots, int Width, int Dims, int Waves>
DS4_DEVICE void compress(const Step *step, const float *frequencies, float eps, void *open, void *rows, const float *kv,
                         const float *gate, const void *ape, const void *norm, Workgroup workgroup) {
  using Windows = Compressor<Open, Rows, Ape, Norm, Ratio, Slots, Width, Dims, Waves>;
  DS4_SHARED float slots[Waves];
  const Windows compressor{step->pos, open, kv, gate, ape};
  int position = step->pos + workgroup.token;
  compressor.append(position);
  if ((position + 1) % Ratio == 0)
    storeWindow<Rows, Norm, Ratio, Width, Dims, Waves>(compressor, frequencies, eps, position, rows, norm, slots);
}

// The same for a chunk, which may have more tokens than the ring has slots. Workgroups go by windows that the chunk completes:
// the first one has those that may need tokens of earlier steps, then puts the chunk's last tokens into the ring; the others have
// one window each, and all they need is in kv and gate.
template <typename Open, typename Rows, typename Ape, typename Norm, int Ratio, int Slots, int Width, int Dims, int Waves>
DS4_DEVICE void compressChunk(const Step *step, const float *frequencies, float eps, void *open, void *rows, const float *kv,
                              const float *gate, const void *ape, const void *norm) {
  using Windows = Compressor<Open, Rows, Ape, Norm, Ratio, Slots, Width, Dims, Waves>;
  constexpr int kEarly = Windows::kOverlaps ? 2 : 1; // windows of the first workgroup
  DS4_SHARED float slots[kEarly][Waves];
  const Windows compressor{step->pos, open, kv, gate, ape};
  const int end = step->pos + step->q, first = step->pos / Ratio;
  auto store = [&](int window, float *own) {
    if (window < end / Ratio)
      storeWindow<Rows, Norm, Ratio, Width, Dims, Waves>(compressor, frequencies, eps, window * Ratio + Ratio - 1, rows, norm, own);
  };
  if (blockX() > 0)
    return store(first + blockX() + kEarly - 1, slots[0]);
#pragma unroll
  for (int i = 0; i < kEarly; ++i)
    store(first + i, slots[i]);
  barrier(); // what stood in the ring has been read
  for (int position = larger(static_cast<int>(step->pos), end - Slots); position < end; ++position)
    compressor.append(position);
}

} // namespace ds4
