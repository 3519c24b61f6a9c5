// What NVRTC knows without a header, for Clang's front end: declarations of what codegen/kernels/*_cuda.h use. Nothing is linked.
#pragma once

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))

using size_t = decltype(sizeof(0));

struct Indices {
  unsigned x, y, z;
};
extern __device__ const Indices threadIdx, blockIdx;

__device__ unsigned __float_as_uint(float);
__device__ float __uint_as_float(unsigned);
__device__ unsigned __shfl_sync(unsigned, unsigned, int);
__device__ unsigned __shfl_xor_sync(unsigned, unsigned, int);
__device__ unsigned __activemask();
__device__ unsigned __ballot_sync(unsigned, bool);
__device__ int __popc(unsigned);
__device__ int __ffs(unsigned);
__device__ unsigned __byte_perm(unsigned, unsigned, unsigned);
__device__ unsigned __funnelshift_r(unsigned, unsigned, unsigned);
__device__ unsigned __reduce_max_sync(unsigned, unsigned);
__device__ int __reduce_min_sync(unsigned, int);
__device__ void __syncthreads();
__device__ void __syncwarp();
__device__ void __threadfence();
template <typename T> __device__ T atomicAdd(T *, T);
__device__ void *memcpy(void *, const void *, size_t);
__device__ size_t __cvta_generic_to_shared(const void *);
__device__ float __fmaf_rn(float, float, float);
__device__ float __fsqrt_rn(float);
__device__ float fmaxf(float, float);
__device__ float fabsf(float);
__device__ float rintf(float);
