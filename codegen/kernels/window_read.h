// window_read: ring [slots, Width] -> y [T, Cols]: channels First.. of the row of each token's position. A thread takes four
// channels where they divide, else two.
#pragma once

#include "formats/f16.h"
#include "formats/f32.h"
#include "step.h"

namespace ds4 {

template <typename Element, int Slots, int Width, int First, int Cols, int Threads>
DS4_DEVICE void windowRead(const Step *step, const void *ring, float *y) {
  static_assert(Width % 2 == 0 && First % 2 == 0 && Cols % 2 == 0);
  constexpr int kRun = Width % 4 == 0 && First % 4 == 0 && Cols % 4 == 0 ? 4 : 2;
  const int token = tokenIndex(), channel = (blockX() * Threads + threadIndex()) * kRun;
  if (channel >= Cols)
    return;
  const U32 slot = static_cast<U32>(step->pos + token) % Slots;
  float values[kRun];
  Element::template read<kRun * Element::kElementBytes>(values, ring, (slot * Width + First + channel) * Element::kElementBytes);
  store<4 * kRun>(y + token * Cols, channel * 4, values);
}

} // namespace ds4
