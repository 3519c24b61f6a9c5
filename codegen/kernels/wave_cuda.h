// wave.h for sm_80 and later by NVRTC: a warp is a wave, intrinsics and PTX, no header.
#pragma once

#define DS4_DEVICE static __device__ __forceinline__
#define DS4_DEVICE_METHOD __device__ __forceinline__
#define DS4_KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)
// As many workgroups on a multiprocessor, of 65,536 registers, as fit.
#define DS4_KERNEL_WITHIN(threads, vgprs) extern "C" __global__ void __launch_bounds__(threads, 65536 / ((threads) * (vgprs)))
#define DS4_SHARED __shared__
#define DS4_CONSTANT static __constant__ const
// How the host learns what workgroupLds() of a kernel wants: it looks for a number beside it.
#define DS4_LDS_OF(kernel, ...) extern "C" __device__ unsigned int kernel##_lds = __VA_ARGS__;

namespace ds4 {

// Bytes of LDS that a workgroup may declare.
inline constexpr int kStaticLds = 49152;

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
DS4_DEVICE unsigned int permuteBytes(unsigned int high, unsigned int low, unsigned int select) {
  unsigned int nibbles = (select & 7) | (select >> 4 & 0x70) | (select >> 8 & 0x700) | (select >> 12 & 0x7000);
  unsigned int zero = (select & 0x08080808u) >> 3; // 1 in bytes that are zero
  return __byte_perm(low, high, nibbles) & ~(zero * 255u);
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
DS4_DEVICE unsigned int alignBytes(unsigned int high, unsigned int low, unsigned int n) {
  return __funnelshift_r(low, high, 8 * n);
}
DS4_DEVICE unsigned int signedBit(unsigned int x, int bit) { return static_cast<unsigned int>(static_cast<int>(x << (31 - bit)) >> 31); }
DS4_DEVICE unsigned int opaque(unsigned int x) { return x; }
DS4_DEVICE int opaqueUniform(int x) { return x; }
template <int Mask> DS4_DEVICE unsigned int laneXor(unsigned int x) { return __shfl_xor_sync(__activemask(), x, Mask); }

// A static array has 48 KiB at most; what a launch asks for may have all, but is one piece: a workgroup uses it as one T.
template <typename T> DS4_DEVICE T &workgroupLds() {
  extern __shared__ __align__(16) unsigned char lds[];
  return *reinterpret_cast<T *>(lds);
}

DS4_DEVICE void barrier() { __syncthreads(); }
DS4_DEVICE void memoryBarrier() { __syncthreads(); }
DS4_DEVICE void releaseDevice() { __threadfence(); }
DS4_DEVICE void acquireDevice() { __threadfence(); }
DS4_DEVICE unsigned int deviceAdd(unsigned int *at, unsigned int x) { return atomicAdd(at, x); }
DS4_DEVICE void waveBarrier() { __syncwarp(); }
DS4_DEVICE void holdSchedule() {}
template <typename T> DS4_DEVICE void sharedAdd(T *at, T x) { atomicAdd(at, x); }

// The widest access that Align allows, up to 16 bytes.
template <int Bytes> struct Chunk;
template <> struct Chunk<1> { unsigned char value; };
template <> struct Chunk<2> { unsigned short value; };
template <> struct Chunk<4> { unsigned int value; };
template <> struct alignas(8) Chunk<8> { unsigned int value[2]; };
template <> struct alignas(16) Chunk<16> { unsigned int value[4]; };
template <int Align, typename T, int Count> DS4_DEVICE void loadAligned(T (&out)[Count], const void *from) {
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
DS4_DEVICE unsigned int subtractHalves(unsigned int a, unsigned int b) {
  unsigned int result;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}
// The matrix unit as a sum over each quad of lanes of the dot products of four halves that each lane has for itself: a and b
// with x. Lane l holds the rows l / 4 (of a, and of b) and the column l / 4 (of x) of a product of which only the diagonal means
// anything: for quad g, the sums of a and b are in lane 4 g + g / 2, elements g % 2 and 2 + g % 2. See m16n8k16 in the PTX manual.
inline constexpr bool kHasQuadDots = true;
DS4_DEVICE void addQuadDots(float (&sums)[4], const unsigned int *a, const unsigned int *b, const unsigned int *x) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(b[0]), "r"(a[1]), "r"(b[1]), "r"(x[0]), "r"(x[1]));
}
DS4_DEVICE float maxMagnitude(float a, float b) { return ::fmaxf(::fabsf(a), ::fabsf(b)); }

DS4_DEVICE float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
DS4_DEVICE float rint(float x) { return ::rintf(x); }
DS4_DEVICE float absolute(float x) { return ::fabsf(x); }
DS4_DEVICE float exp2(float x) {
  float result;
  asm("ex2.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
DS4_DEVICE float reciprocal(float x) { return __frcp_rn(x); }
DS4_DEVICE float inverseSqrt(float x) { return __frsqrt_rn(x); }
DS4_DEVICE float squareRoot(float x) { return __fsqrt_rn(x); }

} // namespace ds4
