// window_append: state [slots, d], row [T, d]: row t goes to slot (pos + t) mod slots, rounded to the state's element.
// A thread takes two channels. Of a chunk, which may have more tokens than the ring has slots, the last ones stay.
#pragma once

#include "formats/f16.h"
#include "formats/f32.h"
#include "step.h"

namespace ds4 {

template <typename Element, int Slots, int Width, int Threads, bool Chunk = false>
DS4_DEVICE void windowAppend(const Step *step, void *state, const float *row, Workgroup workgroup) {
  static_assert(Width % 2 == 0);
  int token = workgroup.token, channel = (workgroup.x * Threads + threadIndex()) * 2;
  if (channel >= Width || (Chunk && token + Slots < step->q))
    return;
  U32 slot = static_cast<U32>(step->pos + token) % Slots;
  float values[2];
  load<8>(values, row + token * Width, channel * 4);
  Element::template write<2 * Element::kElementBytes>(state, (slot * Width + channel) * Element::kElementBytes, values);
}

} // namespace ds4
