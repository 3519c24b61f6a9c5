// rope: x [T, H, d] -> y: the last Dims channels of each head turned, in interleaved pairs, by position * frequency.
//
// The angle is the f32 product of the position, rounded to f32, and the pair's f32 frequency; its sine and cosine are
// accurate (wave.h). The frequencies, Dims / 2 of them, are a table in constant memory. A thread takes kTurn channels.
//
// normedRope: head_norm, then that, of a chunk's queries, which are twice as many bytes as its weights: read once and written once.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

// Turns the pair (a, b) by `angle`.
DS4_DEVICE void turn(float &a, float &b, float angle, bool inverse) {
  float sine, cosine;
  sineCosine(angle, sine, cosine);
  if (inverse)
    sine = -sine;
  float turned = a * cosine - b * sine;
  b = a * sine + b * cosine;
  a = turned;
}

// Turns four consecutive channels of a head back, of which the last Dims are turned: others by an angle of 0.
template <int Width, int Dims> struct TurnBack {
  static_assert(Width % 4 == 0 && Dims % 4 == 0 && Dims <= Width);
  float sine[2], cosine[2]; // of two pairs

  DS4_DEVICE_METHOD void find(int channel, int position, const float *frequencies) {
    const int pair = (channel - (Width - Dims)) / 2;
#pragma unroll
    for (int i = 0; i < 2; ++i)
      sineCosine(pair >= 0 ? static_cast<float>(position) * frequencies[larger(pair, 0) + i] : 0, sine[i], cosine[i]);
  }
  DS4_DEVICE_METHOD void turn(float (&values)[4]) const {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float a = values[2 * i], b = values[2 * i + 1];
      values[2 * i] = fma(a, cosine[i], b * sine[i]);
      values[2 * i + 1] = fma(b, cosine[i], -(a * sine[i]));
    }
  }
};

template <int Width, int Dims> inline constexpr int kTurn = Width % 4 == 0 && Dims % 4 == 0 ? 4 : 2;

template <int Heads, int Width, int Dims, int Threads, bool Inverse>
DS4_DEVICE void rope(const Step *step, const float *frequencies, const float *x, float *y, Workgroup workgroup) {
  static_assert(Width % 2 == 0 && Dims % 2 == 0 && Dims <= Width);
  constexpr int kRun = kTurn<Width, Dims>;
  int token = workgroup.token, first = token * Heads * Width, element = (workgroup.x * Threads + threadIndex()) * kRun;
  if (element >= Heads * Width)
    return;
  float values[kRun];
  load<4 * kRun>(values, x + first, element * 4);
  int channel = element % Width - (Width - Dims);
  if (channel >= 0) {
    float position = static_cast<float>(step->pos + token);
#pragma unroll
    for (int i = 0; i < kRun; i += 2)
      turn(values[i], values[i + 1], position * frequencies[(channel + i) / 2], Inverse);
  }
  store<4 * kRun>(y + first, element * 4, values);
}

// A wave a head, whose values stay in registers; the bits of headNorm (head_norm.h) and rope.
template <int Heads, int Width, int Dims, int Waves, bool Inverse>
DS4_DEVICE void normedRope(const Step *step, float eps, const float *frequencies, const float *x, float *y, Workgroup workgroup) {
  static_assert(Width % 2 == 0 && Dims % 2 == 0 && Dims <= Width);
  constexpr int kRun = kTurn<Width, Dims>, kRuns = Width / kRun, kOwn = (kRuns + kWaveSize - 1) / kWaveSize;
  const int head = workgroup.x * Waves + wave(), token = workgroup.token;
  if (head >= Heads)
    return;
  const long long first = (static_cast<long long>(token) * Heads + head) * Width;
  float values[kOwn][kRun] = {}, squares = 0;
#pragma unroll
  for (int i = 0; i < kOwn; ++i)
    if (const int run = i * kWaveSize + lane(); kRuns % kWaveSize == 0 || run < kRuns)
      load<4 * kRun>(values[i], x + first, run * (kRun * 4));
#pragma unroll
  for (int i = 0; i < kOwn; ++i)
#pragma unroll
    for (float value : values[i])
      squares = fma(value, value, squares);
  const float factor = inverseSqrt(fma(sumLanes(squares), 1.0f / Width, eps)), position = static_cast<float>(step->pos + token);
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    const int run = i * kWaveSize + lane(), channel = run * kRun - (Width - Dims);
    if (kRuns % kWaveSize != 0 && run >= kRuns)
      continue;
#pragma unroll
    for (float &value : values[i])
      value *= factor;
    if (channel >= 0)
#pragma unroll
      for (int k = 0; k < kRun; k += 2)
        turn(values[i][k], values[i][k + 1], position * frequencies[(channel + k) / 2], Inverse);
    store<4 * kRun>(y + first, run * (kRun * 4), values[i]);
  }
}

} // namespace ds4
