// window_copy: to [S, d], from [s, d]: the rows of the `Window` positions before the step go from one ring to the other, each at
// its position modulo the ring's slots. A workgroup a row, which it copies as it is.
#pragma once

#include "formats/f16.h"
#include "formats/f32.h"
#include "step.h"

namespace ds4 {

template <typename Element, int ToSlots, int FromSlots, int Width, int Threads>
DS4_DEVICE void windowCopy(const Step *step, void *to, const void *from) {
  static_assert(Width * Element::kElementBytes % 4 == 0);
  constexpr int kWords = Width * Element::kElementBytes / 4;
  const int position = step->pos - 1 - blockX();
  if (position < 0)
    return;
  const U32 *source = static_cast<const U32 *>(from) + static_cast<U32>(position) % FromSlots * kWords;
  U32 *target = static_cast<U32 *>(to) + static_cast<U32>(position) % ToSlots * kWords;
  for (int i = threadIndex(); i < kWords; i += Threads)
    target[i] = source[i];
}

} // namespace ds4
