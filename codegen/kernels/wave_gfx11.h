// wave.h for gfx11 in wave32: AMDGPU builtins of Clang, nothing else.
#pragma once

// A function of device code; the definition of a kernel; LDS; a table in constant memory.
#define DS4_DEVICE static inline __attribute__((device, always_inline))
#define DS4_DEVICE_METHOD __attribute__((device, always_inline))
#define DS4_KERNEL(threads) extern "C" __attribute__((global, amdgpu_flat_work_group_size(threads, threads))) void
// The same, for at most so many VGPRs where the compiler can.
#define DS4_KERNEL_PAIRED(threads) DS4_KERNEL(threads)
#define DS4_KERNEL_WITHIN(threads, vgprs)                                                                                          \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(threads, threads), amdgpu_num_vgpr(vgprs))) void
#define DS4_SHARED static __attribute__((shared))
#define DS4_LDS_OF(kernel, ...) // the code object says it
#define DS4_WAITS(kernel)
#define DS4_CLUSTER_OF(kernel, workgroups) static_assert((workgroups) == 1, "there are no clusters of workgroups");
#define DS4_CONSTANT static const __attribute__((constant))

// Clang before 19 (ROCm before 6.3) orders all memory where newer ones can order LDS alone, and lacks builtins that are a single
// instruction all the same.
#if __clang_major__ >= 19
#define DS4_FENCE_LDS(order, scope) __builtin_amdgcn_fence(order, scope, "local")
#else
#define DS4_FENCE_LDS(order, scope) __builtin_amdgcn_fence(order, scope)
#endif

namespace ds4 {

// Bytes of LDS that a workgroup may declare.
inline constexpr int kStaticLds = 65536;

DS4_DEVICE unsigned int bitsOf(float x) { return __builtin_bit_cast(unsigned int, x); }
DS4_DEVICE float floatOf(unsigned int x) { return __builtin_bit_cast(float, x); }

DS4_DEVICE int threadIndex() { return __builtin_amdgcn_workitem_id_x(); }
DS4_DEVICE int blockX() { return __builtin_amdgcn_workgroup_id_x(); }
DS4_DEVICE int blockY() { return __builtin_amdgcn_workgroup_id_y(); }
DS4_DEVICE int blockZ() { return __builtin_amdgcn_workgroup_id_z(); }

// Promises that x is the same in all lanes: later addresses and branches become scalar.
DS4_DEVICE int uniform(int x) { return __builtin_amdgcn_readfirstlane(x); }
DS4_DEVICE unsigned int readLane(unsigned int x, int from) { return __builtin_amdgcn_readlane(x, from); }
#if __has_builtin(__builtin_amdgcn_ballot_w32)
DS4_DEVICE unsigned int ballot(bool x) { return __builtin_amdgcn_ballot_w32(x); }
#else
DS4_DEVICE unsigned int ballot(bool x) {
  constexpr int kNotEqual = 33;
  return static_cast<unsigned int>(__builtin_amdgcn_uicmp(x, 0, kNotEqual));
}
#endif
// Set bits of `mask` in lanes below this one.
DS4_DEVICE int countBelow(unsigned int mask) { return __builtin_amdgcn_mbcnt_lo(mask, 0); }
DS4_DEVICE int lowestBit(unsigned int mask) { return __builtin_ctz(mask); } // of a mask that is not 0
DS4_DEVICE int countBits(unsigned int mask) { return __builtin_popcount(mask); }

// Each byte of `select` names the byte of the result: 0..3 of `low`, 4..7 of `high`, 12 is zero.
DS4_DEVICE unsigned int permuteBytes(unsigned int high, unsigned int low, unsigned int select) {
  return __builtin_amdgcn_perm(high, low, select);
}

// Entries of a table of eight bytes: of the four codes 0..7 that are the bytes of `codes`; of the lower three bits of its eight
// nibbles, those of lower and of upper nibbles apart.
DS4_DEVICE unsigned int lookUpBytes(unsigned int high, unsigned int low, unsigned int codes) {
  return permuteBytes(high, low, codes);
}
DS4_DEVICE void lookUpNibbles(unsigned int &lower, unsigned int &upper, unsigned int high, unsigned int low, unsigned int codes) {
  lower = permuteBytes(high, low, codes & 0x07070707);
  upper = permuteBytes(high, low, codes >> 4 & 0x07070707);
}

// Bytes n .. n + 3 of the eight of `low`, then `high`.
DS4_DEVICE unsigned int alignBytes(unsigned int high, unsigned int low, unsigned int n) {
  return __builtin_amdgcn_alignbyte(high, low, n);
}
// Bit `bit` of x, 0..31, as a mask: all ones or zero.
DS4_DEVICE unsigned int signedBit(unsigned int x, int bit) {
  return static_cast<unsigned int>(static_cast<int>(x << (31 - bit)) >> 31);
}
// x, of which the compiler knows nothing: keeps it from splitting arithmetic on pairs of halves.
DS4_DEVICE unsigned int opaque(unsigned int x) {
  asm("" : "+v"(x));
  return x;
}

// The same of an x that all lanes share: a base address that it is added to stays scalar.
DS4_DEVICE int opaqueUniform(int x) {
  asm("" : "+s"(x));
  return x;
}

// The value of lane (this lane xor Mask); Mask is a power of two below 32. DPP row_xmask within 16 lanes.
template <int Mask> DS4_DEVICE unsigned int laneXor(unsigned int x) {
  if constexpr (Mask == 16)
    return __builtin_amdgcn_permlanex16(x, x, 0x76543210, 0xfedcba98, false, false);
  else
    return __builtin_amdgcn_update_dpp(0, static_cast<int>(x), 0x160 + Mask, 0xf, 0xf, true);
}

// The workgroup's LDS as one T, for kernels that want more than NVIDIA's static arrays have.
template <typename T> DS4_DEVICE T &workgroupLds() {
  DS4_SHARED T lds;
  return lds;
}

// Waits for the workgroup; LDS written before is visible after. Global memory is not ordered.
DS4_DEVICE void barrier() {
  DS4_FENCE_LDS(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  DS4_FENCE_LDS(__ATOMIC_ACQUIRE, "workgroup");
}
// The same for global memory, too: waves of a workgroup may run beside different caches.
DS4_DEVICE void memoryBarrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
// Between workgroups of one launch. What the wave wrote to global memory before a release is seen by vector loads (scalar
// loads are not: addresses depend on the lane) of a wave that acquires after it learned of it.
DS4_DEVICE void releaseDevice() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); }
DS4_DEVICE void acquireDevice() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"); }
// Adds to global memory and returns what was there; orders nothing else.
DS4_DEVICE unsigned int deviceAdd(unsigned int *at, unsigned int x) {
  return __hip_atomic_fetch_add(at, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
// Counts an arrival, between releaseDevice() and acquireDevice() with barriers around it; returns how many were counted before.
DS4_DEVICE unsigned int deviceArrive(unsigned int *counter) { return deviceAdd(counter, 1); }
// Orders this wave's own LDS accesses among its lanes.
DS4_DEVICE void waveBarrier() {
  DS4_FENCE_LDS(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}
// No instruction is moved across.
DS4_DEVICE void holdSchedule() { __builtin_amdgcn_sched_barrier(0); }
// Adds to LDS; the order of additions does not matter to integers.
template <typename T> DS4_DEVICE void sharedAdd(T *at, T x) {
  __hip_atomic_fetch_add(at, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

template <int Align, typename T, int Count> DS4_DEVICE void loadAligned(T (&out)[Count], const void *from) {
  __builtin_memcpy(out, __builtin_assume_aligned(from, Align), sizeof(out));
}
template <int Align, typename T, int Count> DS4_DEVICE void storeAligned(void *to, const T (&in)[Count]) {
  __builtin_memcpy(__builtin_assume_aligned(to, Align), in, sizeof(in));
}

DS4_DEVICE float halfToFloat(unsigned short x) { return static_cast<float>(__builtin_bit_cast(_Float16, x)); }
DS4_DEVICE unsigned short floatToHalf(float x) { return __builtin_bit_cast(unsigned short, static_cast<_Float16>(x)); }

// Two halves in a word, the first in the lower half; sum of the products of two pairs, in single precision.
typedef _Float16 HalfPair __attribute__((ext_vector_type(2)));
DS4_DEVICE unsigned int packHalves(float low, float high) {
  return __builtin_bit_cast(unsigned int, HalfPair{static_cast<_Float16>(low), static_cast<_Float16>(high)});
}
DS4_DEVICE unsigned int packHalvesTowardsZero(float low, float high) {
  return __builtin_bit_cast(unsigned int, __builtin_amdgcn_cvt_pkrtz(low, high));
}
DS4_DEVICE float pairHalf(unsigned int pair, int index) { return static_cast<float>(__builtin_bit_cast(HalfPair, pair)[index]); }
DS4_DEVICE float dot2(unsigned int a, unsigned int b, float sum) {
  return __builtin_amdgcn_fdot2(__builtin_bit_cast(HalfPair, a), __builtin_bit_cast(HalfPair, b), sum, false);
}
// Products do without the matrix unit: dot2 is one instruction. So nothing instantiates quad_product.h, and what it is made of
// traps. See wave_cuda.h.
inline constexpr bool kHasQuadDots = false, kHasWaveExtremes = false, kHasAsyncCopies = false;
DS4_DEVICE constexpr unsigned int kept(unsigned int x) { return x; }
DS4_DEVICE unsigned int multiplyHalves(unsigned int, unsigned int) { __builtin_trap(); }
DS4_DEVICE void addQuadDots(float (&)[4], const unsigned int *, const unsigned int *, const unsigned int *) { __builtin_trap(); }
DS4_DEVICE void addQuadIntegers(unsigned int (&)[4], const unsigned int (&)[4], const unsigned int (&)[2]) { __builtin_trap(); }
DS4_DEVICE unsigned int lookUpFour(unsigned int, unsigned int, unsigned int) { __builtin_trap(); }
template <int> DS4_DEVICE unsigned int signOfByte(unsigned int) { __builtin_trap(); }
DS4_DEVICE void splitNibbles(unsigned int (&)[2], unsigned int (&)[2], unsigned int, unsigned int, unsigned int) {
  __builtin_trap();
}
DS4_DEVICE unsigned int largestOfWave(unsigned int) { __builtin_trap(); }
DS4_DEVICE int smallestOfWave(int) { __builtin_trap(); }
DS4_DEVICE void copyAsync(void *, const void *) { __builtin_trap(); }
DS4_DEVICE void commitCopies() {}
template <int Pending> DS4_DEVICE void awaitCopies() {}
DS4_DEVICE void prefetch(const void *) {}
template <typename T> DS4_DEVICE T readEarlier(const T *from) { return *from; }
inline constexpr int kRunsUnderWay = 4;    // of a row that a lane reads
inline constexpr int kMembersUnderWay = 8; // of a pool (compress.h)
// A launch begins when those before it have ended.
DS4_DEVICE void awaitPrevious() {}
// The larger of two numbers; of a NaN and a number the number. Written as an instruction, because Clang makes three of it.
DS4_DEVICE float maximum(float a, float b) {
  float result;
  asm("v_max_f32 %0, %1, %2" : "=v"(result) : "v"(a), "v"(b));
  return result;
}
// The same of x and the value of lane (this lane xor Mask), Mask below 16.
template <int Mask> DS4_DEVICE float maximumXor(float x) {
  float result;
  asm("v_max_f32_dpp %0, %1, %1 row_xmask:%2 row_mask:0xf bank_mask:0xf" : "=v"(result) : "v"(x), "n"(Mask));
  return result;
}
DS4_DEVICE unsigned int subtractHalves(unsigned int a, unsigned int b) {
  return __builtin_bit_cast(unsigned int, __builtin_bit_cast(HalfPair, a) - __builtin_bit_cast(HalfPair, b));
}
// Products of two pairs of halves.
DS4_DEVICE unsigned int scaleHalves(unsigned int a, unsigned int b) {
  return __builtin_bit_cast(unsigned int, __builtin_bit_cast(HalfPair, a) * __builtin_bit_cast(HalfPair, b));
}
// The larger magnitude of two numbers.
DS4_DEVICE float maxMagnitude(float a, float b) { return __builtin_fmaxf(__builtin_fabsf(a), __builtin_fabsf(b)); }

DS4_DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DS4_DEVICE float rint(float x) { return __builtin_rintf(x); }
DS4_DEVICE float absolute(float x) { return __builtin_fabsf(x); }
#if __has_builtin(__builtin_amdgcn_exp2f)
DS4_DEVICE float exp2(float x) { return __builtin_amdgcn_exp2f(x); }
#else
DS4_DEVICE float exp2(float x) {
  float result;
  asm("v_exp_f32 %0, %1" : "=v"(result) : "v"(x));
  return result;
}
#endif
DS4_DEVICE float reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }
DS4_DEVICE float inverseSqrt(float x) { return __builtin_amdgcn_rsqf(x); }
DS4_DEVICE float squareRoot(float x) { return __builtin_amdgcn_sqrtf(x); }

} // namespace ds4
