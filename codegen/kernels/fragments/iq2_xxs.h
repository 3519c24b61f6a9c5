// Fragments of iq2_xxs: one super-block of eight sub-blocks, 66 bytes. A step is one index: eight magnitudes and their signs, both
// from tables (iq_tables.h).
#pragma once

#include "formats/iq_grids.h"
#include "fragments/iq_tables.h"

namespace ds4 {

struct IQ2_XXSFragment : FragmentDefaults {
  static constexpr int kBlocks = 8, kWords = 17, kPadding = 2, kGroups = 1;
  static constexpr PairOrder kOrder = PairOrder::Straight;
  struct Tables {
    IqPoint<8> points[256];
    IqSigns signs[128];
  };
  static constexpr int kTableBytes = sizeof(Tables);

  template <int Threads> DS4_DEVICE void prepare() {
    Tables &tables = iqTables<Tables>();
    for (int i = threadIndex(); i < 256; i += Threads) {
      U32 point = kIq2Grid[i], pairs[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) { // 8, 25 or 43 each
        U32 codes = point >> 4 * k, low = 0x2b1908u >> (codes & 3) * 8 & 0xff, high = 0x2b1908u >> (codes >> 2 & 3) * 8 & 0xff;
        pairs[k] = packHalves(static_cast<float>(low), static_cast<float>(high));
      }
      store<16>(tables.points + i, 0, pairs);
    }
    fillSigns<Threads>(tables.signs);
  }

  DS4_DEVICE constexpr int groupOf(int, int) { return 0; }

  // The four sets of signs under the scale of a sub-block.
  DS4_DEVICE U32 signWord(const U32 (&words)[kWords], int block) { return alignBytes(words[2 * block + 2], words[2 * block + 1], 2); }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    const Tables &tables = iqTables<Tables>();
    int byte = 2 + 8 * block + step, from = byte % 4 * 8; // of the index
    U32 word = words[byte / 4];
    load<16>(pairs, tables.points, (from < 4 ? word << 4 : word >> (from - 4)) & 0xff0);
    addSigns(pairs, tables.signs, signWord(words, block), 7 * step);
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int) {
    return lowHalf(words[0]) * fma(static_cast<float>(signWord(words, block) >> 28), 0.25f, 0.125f);
  }
};

} // namespace ds4
