// to_half: x [T, K] -> y [T, K] halves, magnitudes of 65504 at most: what products that read it would convert each on its own.
//
// One workgroup a token. A thread takes the values that it takes in rms_norm.h, so behind a norm in a shared launch it reads
// what it wrote itself.
#pragma once

#include "row.h"
#include "step.h"

namespace ds4 {

// Compared so that NaN stays NaN.
DS4_DEVICE float withinHalves(float x) {
  constexpr float kGreatest = 65504;
  return x > kGreatest ? kGreatest : x < -kGreatest ? -kGreatest : x;
}

template <int Width, int Waves> DS4_DEVICE void toHalf(const float *x, U16 *y, Workgroup workgroup) {
  constexpr int kRun = kQuad<Width>;
  forPart<Width / kRun, Waves * kWaveSize>(threadIndex(), [&](int run) {
    float values[kRun];
    load<4 * kRun>(values, x + workgroup.token * Width, run * sizeof(values));
    if constexpr (kRun == 4) {
      U32 pairs[2] = {packHalves(withinHalves(values[0]), withinHalves(values[1])),
                      packHalves(withinHalves(values[2]), withinHalves(values[3]))};
      store<8>(y + workgroup.token * Width, run * sizeof(pairs), pairs);
    } else {
      U16 half[1] = {floatToHalf(withinHalves(values[0]))};
      store<2>(y + workgroup.token * Width, run * sizeof(half), half);
    }
  });
}

} // namespace ds4
