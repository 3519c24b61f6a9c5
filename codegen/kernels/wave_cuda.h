// wave.h for sm_80 and later by NVRTC: a warp is a wave, intrinsics and PTX, no header.
#pragma once

#define DS4_DEVICE static __device__ __forceinline__
#define DS4_DEVICE_METHOD __device__ __forceinline__
#define DS4_KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)
// As many workgroups on a multiprocessor, of 65,536 registers, as fit.
#define DS4_KERNEL_WITHIN(threads, vgprs) extern "C" __global__ void __launch_bounds__(threads, 65536 / ((threads) * (vgprs)))
// Two workgroups of up to 256 threads do, whatever registers a wave would like.
#define DS4_KERNEL_PAIRED(threads) extern "C" __global__ void __launch_bounds__(threads, (threads) <= 256 ? 2 : 1)
// That so many workgroups that follow each other in x run at the same time, as a cluster: see arriveInCluster().
#define DS4_CLUSTER_OF(kernel, workgroups) extern "C" __device__ unsigned int kernel##_cluster = workgroups;
#define DS4_SHARED __shared__
#define DS4_CONSTANT static __constant__ const
// How the host learns what workgroupLds() of a kernel wants: it looks for a number beside it.
#define DS4_LDS_OF(kernel, ...)                                                                                                    \
  static_assert((__VA_ARGS__) <= ds4::kMultiprocessorLds, "more than a multiprocessor has");                                       \
  extern "C" __device__ unsigned int kernel##_lds = __VA_ARGS__;
// That every workgroup of a kernel calls awaitPrevious() before it reads what other launches write, or writes anything.
#if __CUDA_ARCH__ >= 900
#define DS4_WAITS(kernel) extern "C" __device__ unsigned int kernel##_waits = 1;
#else
#define DS4_WAITS(kernel)
#endif

namespace ds4 {

// Bytes of LDS that a workgroup may declare, and that all of a multiprocessor may ask for.
inline constexpr int kStaticLds = 49152, kMultiprocessorLds = 227 * 1024;

// LDS that keeps a second workgroup off a multiprocessor while another launch ends on most of them.
inline constexpr int kAloneLds = 98304;
// LDS of a launch whose workgroups should spread over the multiprocessors: a third one on one of them would be the last to end.
DS4_DEVICE constexpr int spreadingLds(int bytes) {
  constexpr int kAll = kMultiprocessorLds, kReserved = 1024; // of a workgroup
  return bytes > kAll / 4 && bytes <= kAll / 3 - kReserved ? kAll / 3 : bytes;
}

DS4_DEVICE unsigned int bitsOf(float x) { return __float_as_uint(x); }
DS4_DEVICE float floatOf(unsigned int x) { return __uint_as_float(x); }

DS4_DEVICE int threadIndex() { return threadIdx.x; }
DS4_DEVICE int blockX() { return blockIdx.x; }
DS4_DEVICE int blockY() { return blockIdx.y; }
DS4_DEVICE int blockZ() { return blockIdx.z; }

// Lanes that exchange are those that run together here: callers keep whole groups of lanes in step.
DS4_DEVICE int uniform(int x) { return x; }
DS4_DEVICE unsigned int readLane(unsigned int x, int from) { return __shfl_sync(__activemask(), x, from); }
DS4_DEVICE unsigned int ballot(bool x) { return __ballot_sync(__activemask(), x); }
DS4_DEVICE int countBits(unsigned int mask) { return __popc(mask); }
DS4_DEVICE int countBelow(unsigned int mask) {
  unsigned int below;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  return __popc(mask & below);
}
DS4_DEVICE int lowestBit(unsigned int mask) { return __ffs(mask) - 1; }
// Bytes of `select`: 0..3 of low, 4..7 of high, 12: zero. Of one operand alone, zeros come from the other one's place.
DS4_DEVICE unsigned int permuteBytes(unsigned int high, unsigned int low, unsigned int select) {
  const unsigned int zeros = select >> 3 & 0x01010101, wanted = ~(zeros * 255u);
  const bool onlyLow = (select & wanted & 0x04040404) == 0, onlyHigh = (~select & wanted & 0x04040404) == 0;
  if (onlyHigh && !onlyLow)
    select ^= 0x04040404 & wanted;
  if (onlyLow || onlyHigh)
    select = (select & wanted) | zeros * 4;
  const unsigned int nibbles = (select & 7) | (select >> 4 & 0x70) | (select >> 8 & 0x700) | (select >> 12 & 0x7000);
  if (onlyLow || onlyHigh)
    return __byte_perm(onlyLow ? low : high, 0, nibbles);
  return __byte_perm(low, high, nibbles) & wanted;
}
// Entries of a table of eight bytes: of the four codes 0..7 that are the bytes of `codes`; of the lower three bits of its eight
// nibbles, those of lower and of upper nibbles apart. A permutation takes its selectors as nibbles.
DS4_DEVICE unsigned int lookUpBytes(unsigned int high, unsigned int low, unsigned int codes) {
  unsigned int twos = codes | codes >> 4;
  return __byte_perm(low, high, __byte_perm(twos, twos, 0x4420));
}
DS4_DEVICE void lookUpNibbles(unsigned int &lower, unsigned int &upper, unsigned int high, unsigned int low, unsigned int codes) {
  unsigned int first = __byte_perm(low, high, codes & 0x7777), second = __byte_perm(low, high, codes >> 16 & 0x7777);
  lower = __byte_perm(first, second, 0x6420);
  upper = __byte_perm(first, second, 0x7531);
}
// The same of four codes that are nibbles already, the lower ones of `codes`, and below 8: the instruction itself, which
// __byte_perm() precedes by clearing their upper bits.
DS4_DEVICE unsigned int lookUpFour(unsigned int high, unsigned int low, unsigned int codes) {
  unsigned int result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(codes));
  return result;
}
// All bits where the upper bit of byte `i` is set, else none.
template <int I> DS4_DEVICE unsigned int signOfByte(unsigned int x) {
  unsigned int result;
  asm("prmt.b32 %0, %1, %1, %2;" : "=r"(result) : "r"(x), "n"((8 + I) * 0x1111));
  return result;
}
DS4_DEVICE unsigned int alignBytes(unsigned int high, unsigned int low, unsigned int n) {
  return __funnelshift_r(low, high, 8 * n);
}
DS4_DEVICE unsigned int signedBit(unsigned int x, int bit) {
  return static_cast<unsigned int>(static_cast<int>(x << (31 - bit)) >> 31);
}
// A value that nothing is known of: what follows uses it as it is instead of anew.
DS4_DEVICE unsigned int opaque(unsigned int x) {
  unsigned int result;
  asm("mov.b32 %0, %1;" : "=r"(result) : "r"(x));
  return result;
}
DS4_DEVICE int opaqueUniform(int x) { return x; }
template <int Mask> DS4_DEVICE unsigned int laneXor(unsigned int x) { return __shfl_xor_sync(__activemask(), x, Mask); }

// A static array has 48 KiB at most; what a launch asks for may have all, but is one piece: a workgroup uses it as one T.
template <typename T> DS4_DEVICE T &workgroupLds() {
  extern __shared__ __align__(16) unsigned char lds[];
  return *reinterpret_cast<T *>(lds);
}

DS4_DEVICE void barrier() { __syncthreads(); }
DS4_DEVICE void memoryBarrier() { __syncthreads(); }
// A barrier hands on what the workgroup's waves wrote, and what one of them acquired (PTX, causality order): deviceArrive() between
// two barriers releases and acquires for all.
DS4_DEVICE void releaseDevice() {}
DS4_DEVICE void acquireDevice() {}
DS4_DEVICE unsigned int deviceArrive(unsigned int *counter) {
  unsigned int before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
  return before;
}
DS4_DEVICE unsigned int deviceAdd(unsigned int *at, unsigned int x) { return atomicAdd(at, x); }
DS4_DEVICE void waveBarrier() { __syncwarp(); }
DS4_DEVICE void holdSchedule() {}
template <typename T> DS4_DEVICE void sharedAdd(T *at, T x) { atomicAdd(at, x); }

// The widest access that Align allows, up to 16 bytes.
template <int Bytes> struct Chunk;
template <> struct Chunk<1> {
  unsigned char value;
};
template <> struct Chunk<2> {
  unsigned short value;
};
template <> struct Chunk<4> {
  unsigned int value;
};
template <> struct alignas(8) Chunk<8> {
  unsigned int value[2];
};
template <> struct alignas(16) Chunk<16> {
  unsigned int value[4];
};
// Words anywhere, of which a load wants aligned ones: those around them, shifted together. None beyond the last byte is read.
template <int Count> DS4_DEVICE void loadWords(unsigned int (&out)[Count], const void *from) {
  const unsigned long long at = reinterpret_cast<unsigned long long>(from);
  const unsigned int *words = reinterpret_cast<const unsigned int *>(at & ~3ull);
  const unsigned int shift = static_cast<unsigned int>(at) % 4 * 8;
  unsigned int below = words[0];
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const unsigned int above = words[i + 1 < Count || shift ? i + 1 : i];
    out[i] = __funnelshift_r(below, above, shift);
    below = above;
  }
}
template <int Align, typename T, int Count> DS4_DEVICE void loadAligned(T (&out)[Count], const void *from) {
  if constexpr (Align < 4 && sizeof(T) == 4) {
    unsigned int words[Count];
    loadWords(words, from);
    memcpy(out, words, sizeof words);
    return;
  }
  constexpr int kBytes = sizeof(out) % Align == 0 ? Align : static_cast<int>(sizeof(T)) < Align ? sizeof(T) : Align;
#pragma unroll
  for (int i = 0; i < sizeof(out) / kBytes; ++i) {
    Chunk<kBytes> chunk = static_cast<const Chunk<kBytes> *>(from)[i];
    memcpy(reinterpret_cast<char *>(out) + i * kBytes, &chunk, kBytes);
  }
}
template <int Align, typename T, int Count> DS4_DEVICE void storeAligned(void *to, const T (&in)[Count]) {
  constexpr int kBytes = sizeof(in) % Align == 0 ? Align : static_cast<int>(sizeof(T)) < Align ? sizeof(T) : Align;
#pragma unroll
  for (int i = 0; i < sizeof(in) / kBytes; ++i) {
    Chunk<kBytes> chunk;
    memcpy(&chunk, reinterpret_cast<const char *>(in) + i * kBytes, kBytes);
    static_cast<Chunk<kBytes> *>(to)[i] = chunk;
  }
}

DS4_DEVICE float halfToFloat(unsigned short x) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x));
  return result;
}
DS4_DEVICE unsigned short floatToHalf(float x) {
  unsigned short result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(x));
  return result;
}

DS4_DEVICE unsigned int packHalves(float low, float high) {
  return floatToHalf(low) | static_cast<unsigned int>(floatToHalf(high)) << 16;
}
DS4_DEVICE unsigned int packHalvesTowardsZero(float low, float high) {
  unsigned int result;
  asm("{ .reg .b16 l, h; cvt.rz.f16.f32 l, %1; cvt.rz.f16.f32 h, %2; mov.b32 %0, {l, h}; }" : "=r"(result) : "f"(low), "f"(high));
  return result;
}
DS4_DEVICE float pairHalf(unsigned int pair, int index) {
  return halfToFloat(static_cast<unsigned short>(index ? pair >> 16 : pair));
}
DS4_DEVICE float dot2(unsigned int a, unsigned int b, float sum) {
  return __fmaf_rn(pairHalf(a, 0), pairHalf(b, 0), __fmaf_rn(pairHalf(a, 1), pairHalf(b, 1), sum));
}
DS4_DEVICE float maximum(float a, float b) { return ::fmaxf(a, b); }
template <int Mask> DS4_DEVICE float maximumXor(float x) { return ::fmaxf(x, floatOf(laneXor<Mask>(bitsOf(x)))); }
DS4_DEVICE unsigned int multiplyHalves(unsigned int a, unsigned int b) {
  unsigned int result;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}
DS4_DEVICE unsigned int scaleHalves(unsigned int a, unsigned int b) { return multiplyHalves(a, b); }
// A constant that stays in a register: an instruction has room for one other constant only. threadIdx.y is 0, but who compiles
// does not know.
DS4_DEVICE unsigned int kept(unsigned int x) { return x + threadIdx.y; }
DS4_DEVICE unsigned int subtractHalves(unsigned int a, unsigned int b) {
  unsigned int result;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}
// A product on the matrix unit, m16n8k16 in the PTX manual: a and b are two pairs of halves of rows l / 4 and 8 + l / 4, x two of
// column l / 4, all of the same four places, of which each lane of a quad has others. Lane l gets the sums of row l / 4 with
// columns 2 (l % 4) and the next, then those of row 8 + l / 4.
inline constexpr bool kHasQuadDots = true;
DS4_DEVICE void addQuadDots(float (&sums)[4], const unsigned int *a, const unsigned int *b, const unsigned int *x) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(b[0]), "r"(a[1]), "r"(b[1]), "r"(x[0]), "r"(x[1]));
}
// The same of integers of 8 bits, m16n8k32: four of row l / 4, of row 8 + l / 4, then four more of each, times eight of column l
// / 4.
DS4_DEVICE void addQuadIntegers(unsigned int (&sums)[4], const unsigned int (&weights)[4], const unsigned int (&x)[2]) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(weights[0]), "r"(weights[1]), "r"(weights[2]), "r"(weights[3]), "r"(x[0]), "r"(x[1]));
}
// Eight codes, the nibbles of `codes`: bit 3 is a sign, the rest looks a byte up in a table of eight, none above 127. What is
// positive, and the magnitude of what is negative, with zeros elsewhere: a permutation gives the sign of what it finds, which is
// 0, where bit 3 of its selector is set.
DS4_DEVICE void splitNibbles(unsigned int (&plus)[2], unsigned int (&minus)[2], unsigned int high, unsigned int low,
                             unsigned int codes) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const unsigned int select = i ? codes >> 16 : codes;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(plus[i]) : "r"(low), "r"(high), "r"(select));
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(minus[i]) : "r"(low), "r"(high), "r"(select ^ 0x8888));
  }
}
// Of all lanes, which all get it, in one instruction.
inline constexpr bool kHasWaveExtremes = true;
DS4_DEVICE unsigned int largestOfWave(unsigned int x) { return __reduce_max_sync(__activemask(), x); }
DS4_DEVICE int smallestOfWave(int x) { return __reduce_min_sync(__activemask(), x); }
// The 128 bytes around an address to the device's cache.
DS4_DEVICE void prefetch(const void *from) { asm volatile("prefetch.global.L2 [%0];" ::"l"(from)); }
inline constexpr int kRunsUnderWay = 8;     // of a row that a lane reads
inline constexpr int kMembersUnderWay = 16; // of a pool (compress.h)
// 16 bytes to LDS that are on their way meanwhile: groups of copies end with commitCopies(), and all but the last `Pending` are
// there, for the lane that asked, after awaitCopies().
inline constexpr bool kHasAsyncCopies = true;
DS4_DEVICE void copyAsync(void *lds, const void *from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(static_cast<unsigned int>(__cvta_generic_to_shared(lds))),
               "l"(from)
               : "memory");
}
DS4_DEVICE void commitCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Pending> DS4_DEVICE void awaitCopies() { asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory"); }
// A launch whose kernel says DS4_WAITS may begin while the one before it ends: what that one wrote may be read, and anything be
// written, behind this. The next launch may begin when all workgroups have been here.
DS4_DEVICE void awaitPrevious() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait; griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
// What a launch before the previous one wrote, for what runs before awaitPrevious(): when this launch begins, all of the previous
// one has waited for those before it. Not by way of the multiprocessor's own cache, where an older value may stand.
template <typename T> DS4_DEVICE T readEarlier(const T *from) {
  static_assert(sizeof(T) == 4);
  unsigned int bits;
  asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(bits) : "l"(from) : "memory");
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
DS4_DEVICE void readEarlier(float (&out)[4], const float *from) {
  asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(out[0]), "=f"(out[1]), "=f"(out[2]), "=f"(out[3])
               : "l"(from)
               : "memory");
}
// Clusters, of sm_90 and later. Behind awaitCluster() all threads have arrived, and what they wrote before may be read.
#if __CUDA_ARCH__ >= 900
DS4_DEVICE void arriveInCluster() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
DS4_DEVICE void awaitCluster() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
// To the place that `at` is in this workgroup's LDS, in that of workgroup `rank` of the cluster.
DS4_DEVICE void storeInCluster(float *at, int rank, float x) {
  asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; st.shared::cluster.f32 [there], %2; }" ::"r"(
                   static_cast<unsigned int>(__cvta_generic_to_shared(at))),
               "r"(rank), "f"(x)
               : "memory");
}
DS4_DEVICE void storeInCluster(float *at, int rank, const float (&x)[4]) {
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
      "st.shared::cluster.v4.f32 [there], {%2, %3, %4, %5}; }" ::"r"(static_cast<unsigned int>(__cvta_generic_to_shared(at))),
      "r"(rank), "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3])
      : "memory");
}
#endif
DS4_DEVICE float maxMagnitude(float a, float b) { return ::fmaxf(::fabsf(a), ::fabsf(b)); }

DS4_DEVICE float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
DS4_DEVICE float rint(float x) { return ::rintf(x); }
DS4_DEVICE float absolute(float x) { return ::fabsf(x); }
DS4_DEVICE float exp2(float x) {
  float result;
  asm("ex2.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
DS4_DEVICE float reciprocal(float x) { // within 1 ulp; a subnormal result is 0
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
DS4_DEVICE float inverseSqrt(float x) { // within 2 ulp
  float result;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
DS4_DEVICE float squareRoot(float x) { return __fsqrt_rn(x); }

} // namespace ds4
