/* What libds4sim.so offers beyond HIP: options, the text of the last fault, and counters of executed instructions.
 *
 * Plain C. Options apply to launches that start after the call; they and the counters belong to the process, the fault
 * to the thread that launched. All functions may be called from any thread. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Executed wave instructions by class, and memory traffic in bytes and 64-byte lines.
 * Lines are counted while the option "count-lines" is on. `waits` are s_waitcnt, s_delay_alu, s_nop and their kin. */
typedef struct Ds4SimCounters {
  uint64_t launches, workgroups, waves;
  uint64_t instructions; /* all, waits included */
  uint64_t valu, vopd, transcendental, dot, wmma, salu, smem;
  uint64_t vmemLoads, vmemStores, vmemAtomics, scratch, lds, branches, waits, barriers, other;
  uint64_t bytesLoaded, bytesStored, scalarBytes;
  uint64_t linesRequested;           /* summed over instructions */
  uint64_t linesLoaded, linesStored; /* distinct within a launch */
  uint64_t longestWave;              /* instructions of the longest wave; in totals the sum over launches */
} Ds4SimCounters;

/* Sets an option by name; 0, or 1 when name or value is not known.
 *   threads              1..256        host threads that share the workgroups of a launch (default 2)
 *   wave-order           ascending | descending | random
 *   schedule             sequential | interleaved
 *   adversarial-memory   0 | 1         stores reach other workgroups through release and acquire alone (interleaved)
 *   detect-races         0 | 1         LDS: two waves, one of them writing, without a barrier between
 *   detect-uninitialised 0 | 1         reads of registers, LDS or device memory that nothing wrote
 *   count-lines          0 | 1
 *   force-avx2           0 | 1         leave AVX-512 unused
 *   seed                 0..2^64-1     of random orders
 *   preempt-after        1..2^64-1     instructions of a wave before another one runs
 *   instruction-limit    0..2^64-1     wave instructions of a launch before it counts as hung; 0 = none */
int ds4simSetOption(const char *name, const char *value);

/* Why the last failed HIP call of this thread failed: for a fault of a kernel its report (kernel, instruction, lane,
 * address), for a refused call what was wrong with it. "" when nothing failed since the last call of hipGetLastError.
 * The text stays valid until this thread's next HIP call. */
const char *ds4simLastFault(void);

/* Counters of the latest successful launch, and of all since the start or the last reset. */
void ds4simLastLaunch(Ds4SimCounters *counters);
void ds4simTotals(Ds4SimCounters *counters);
void ds4simResetCounters(void);

#ifdef __cplusplus
}
#endif
