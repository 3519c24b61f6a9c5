// group_slots: ids [T, U] -> order [T, U], starts [E + 1]: the slots t * U + u by expert, in ascending order within one; those of
// expert e are order[starts[e]] .. order[starts[e + 1] - 1]. Slots whose id is no expert's come last, from starts[E] on.
//
// A workgroup an expert, and one for no expert: it counts the slots of lower experts, which is where its own begin, and then puts
// those in their places. Each wave has a span of slots; all ids are read twice, and nothing is added atomically.
#pragma once

#include "step.h"
#include "wave.h"

namespace ds4 {

template <int Experts, int Used, int Waves> DS4_DEVICE void groupSlots(const Step *step, const int *ids, int *order, int *starts) {
  DS4_SHARED int lower[Waves], equal[Waves];
  const int own = blockX(), slots = step->q * Used;
  const int span = (slots + Waves * kWaveSize - 1) / (Waves * kWaveSize) * kWaveSize, first = wave() * span;
  const int end = smaller(first + span, slots);
  auto groupOf = [&](int slot) {
    int id = slot < end ? ids[slot] : Experts + 1; // a slot that is not there is in no group
    return slot < end && static_cast<U32>(id) >= Experts ? Experts : id;
  };
  int below = 0, mine = 0;
  for (int base = first; base < end; base += kWaveSize) {
    int group = groupOf(base + lane());
    below += group < own ? 1 : 0;
    mine += group == own ? 1 : 0;
  }
  below = sumLanes(below);
  mine = sumLanes(mine);
  if (lane() == 0) {
    lower[wave()] = below;
    equal[wave()] = mine;
  }
  barrier();
  int start = 0, place = 0;
#pragma unroll
  for (int i = 0; i < Waves; ++i) {
    start += lower[i];
    place += i < wave() ? equal[i] : 0;
  }
  if (threadIndex() == 0)
    starts[own] = start;
  place += start;
  for (int base = first; base < end; base += kWaveSize) {
    bool isOwn = groupOf(base + lane()) == own;
    U32 mask = ballot(isOwn);
    if (isOwn)
      order[place + countBelow(mask)] = base + lane();
    place += countBits(mask);
  }
}

} // namespace ds4
