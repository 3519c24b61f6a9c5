// linear and grouped_linear of a chunk: workgroup (i, c, g), 128 rows of group g for as many tokens (chunk_product.h). A header of
// its own, because targets without the matrix unit compile linear.h, too.
#pragma once

#include "chunk_product.h"
#include "step.h"

namespace ds4 {

// X: float, or U16 with the tokens' scales.
template <typename Format, int Halves, int N, int K, typename X>
DS4_DEVICE void linearChunk(const Step *step, const X *x, const void *w, float *y, const float *scales = nullptr) {
  multiplyChunk<Format, Halves, N, K>(readerOf<Format>(w, N * kRowBytes<Format, K>), static_cast<const Byte *>(w),
                                      ChunkInputs<X>{x, K, scales}, y, N, step->q);
}

template <typename Format, int Halves, int Groups, int N, int K, typename X>
DS4_DEVICE void groupedLinearChunk(const Step *step, const X *x, const void *w, float *y, const float *scales = nullptr) {
  constexpr U64 kBytes = static_cast<U64>(N) * kRowBytes<Format, K>;
  const int group = blockZ();
  multiplyChunk<Format, Halves, N, K>(readerOf<Format>(w, Groups * kBytes), static_cast<const Byte *>(w) + group * kBytes,
                                      ChunkInputs<X>{x + group * K, Groups * K, scales + group, Groups}, y + group * N, Groups * N,
                                      step->q);
}

} // namespace ds4
