// grouped_expert_linear: x [T, K] or [T, U, K], order [T, U], starts [E + 1] (group_slots), w [E, N, K], with x of halves scales
// [T] or [T, U] -> y [T, U, N]: the slots of an expert meet its matrix together (chunk_product.h). Slots of no expert give zeros.
//
// Workgroup (i, j): rows 128 i .. of the expert that tile j of slots belongs to. Tiles of all experts are counted one expert after
// another, each as many as its slots fill; those of no expert come behind. There may be more workgroups than tiles.
#pragma once

#include "chunk_product.h"
#include "step.h"

namespace ds4 {

// Tile `tile` of slots: its expert, first place in the order, and number of places; expert -1 where there is none.
struct SlotTile {
  int expert = -1, first = 0, count = 0;
};
template <int Experts, int Tokens> DS4_DEVICE SlotTile slotTile(const int *starts, int slots, int tile) {
  SlotTile found;
#pragma unroll 1
  for (int base = 0; base <= Experts; base += kWaveSize) {
    const int expert = smaller(base + lane(), Experts); // Experts: none
    const int start = starts[expert], end = expert < Experts ? starts[expert + 1] : slots;
    const int tiles = base + lane() <= Experts ? (end - start + Tokens - 1) / Tokens : 0;
    int total, below = sumBelow(tiles, total);
    const U32 mask = ballot(below <= tile && tile < below + tiles);
    if (mask) {
      const int from = lowestBit(mask), skipped = (tile - readLane(below, from)) * Tokens;
      found.expert = base + from;
      found.first = readLane(start, from) + skipped;
      found.count = smaller(readLane(end, from) - found.first, Tokens);
      return found;
    }
    tile -= total;
  }
  return found;
}

template <typename Format, int Halves, int Experts, int Used, int N, int K, bool PerSlot, typename X>
DS4_DEVICE void groupedExpertLinear(const Step *step, const X *x, const int *order, const int *starts, const void *w, float *y,
                                    const float *scales = nullptr) {
  constexpr int kTokens = kChunkTokens<Halves>;
  constexpr U64 kBytes = static_cast<U64>(N) * kRowBytes<Format, K>;
  auto &memory = workgroupLds<ChunkMemory<Halves, X>>();
  const SlotTile tile = slotTile<Experts, kTokens>(starts, step->q * Used, blockY());
  const int expert = uniform(tile.expert), count = uniform(tile.count), firstRow = blockX() * kChunkRows;
  if (expert < 0)
    return;
  if (threadIndex() < kTokens) {
    const int slot = static_cast<int>(threadIndex()) < count ? order[tile.first + threadIndex()] : -1;
    memory.target[threadIndex()] = slot;
    memory.source[threadIndex()] = PerSlot || slot < 0 ? slot : slot / Used;
  }
  barrier();
  if (expert == Experts) {
    for (int i = threadIndex(); i < count * kChunkRows; i += kChunkWaves * kWaveSize)
      if (const int row = firstRow + i % kChunkRows; row < N)
        y[static_cast<U64>(static_cast<U32>(memory.target[i / kChunkRows])) * N + row] = 0;
    return;
  }
  const Format format = readerOf<Format>(w, Experts * kBytes, expert);
  const Byte *rows = static_cast<const Byte *>(w) + expert * kBytes;
  const ChunkInputs<X> inputs{x, K, scales};
  if (count <= kFewTokens)
    ChunkProduct<Format, Halves, N, K, X, kFewTokens>{format, rows, inputs, y, N, memory}.run(firstRow, count);
  else if (kTokens > kSomeTokens && count <= kSomeTokens)
    ChunkProduct<Format, Halves, N, K, X, smaller(kSomeTokens, kTokens)>{format, rows, inputs, y, N, memory}.run(firstRow, count);
  else
    ChunkProduct<Format, Halves, N, K, X>{format, rows, inputs, y, N, memory}.run(firstRow, count);
}

} // namespace ds4
