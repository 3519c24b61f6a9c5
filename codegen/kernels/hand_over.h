// The last workgroup of a launch finishes what all of them began. No workgroup waits for another one, so nothing is
// assumed of the order in which they run.
//
// Each wave releases what it wrote, the workgroup meets at a barrier, and one thread counts it as arrived. The workgroup
// that finds all others counted acquires: its vector loads see what the others wrote.
#pragma once

#include "scratch.h"
#include "wave.h"

namespace ds4 {

// True in every thread of the workgroup that arrives last of `workgroups`; the counter is 0 again then. All threads call
// it, once in a launch.
DS4_DEVICE bool arrivesLast(U32 *counter, int workgroups) {
  DS4_SHARED int arrived;
  releaseDevice();
  barrier();
  if (threadIndex() == 0)
    arrived = static_cast<int>(deviceArrive(counter));
  barrier();
  if (uniform(arrived) != workgroups - 1)
    return false;
  acquireDevice();
  if (threadIndex() == 0)
    *counter = 0;
  return true;
}

} // namespace ds4
