// Fragments of iq3_xxs: one super-block of eight sub-blocks, 98 bytes. A step is two indices of four magnitudes each, and eight
// signs, all from tables (iq_tables.h).
#pragma once

#include "formats/iq_grids.h"
#include "fragments/iq_tables.h"

namespace ds4 {

struct IQ3_XXSFragment : FragmentDefaults {
  static constexpr int kBlocks = 8, kWords = 25, kPadding = 2, kGroups = 1;
  static constexpr PairOrder kOrder = PairOrder::Straight;
  struct Tables {
    IqPoint<4> points[256];
    IqSigns signs[128];
  };
  static constexpr int kTableBytes = sizeof(Tables);

  template <int Threads> DS4_DEVICE void prepare() {
    Tables &tables = iqTables<Tables>();
    for (int i = threadIndex(); i < 256; i += Threads) {
      U32 point = kIq3Grid[i], pairs[2];
#pragma unroll
      for (int k = 0; k < 2; ++k) { // 4, 12, 20, 28, 36, 44, 52 or 62 each
        U32 codes = point >> 8 * k;
        U32 two = permuteBytes(0x3e342c24u, 0x1c140c04u, (codes & 7) | (codes >> 4 & 7) << 8);
        pairs[k] = packHalves(static_cast<float>(two & 0xff), static_cast<float>(two >> 8 & 0xff));
      }
      store<8>(tables.points + i, 0, pairs);
    }
    fillSigns<Threads>(tables.signs);
  }

  DS4_DEVICE constexpr int groupOf(int, int) { return 0; }

  DS4_DEVICE U32 signWord(const U32 (&words)[kWords], int block) { return alignBytes(words[17 + block], words[16 + block], 2); }

  DS4_DEVICE void decode(U32 (&pairs)[4], const U32 (&words)[kWords], int block, int step) {
    const Tables &tables = iqTables<Tables>();
    int half = 1 + 4 * block + step; // of the fragment, with the indices of this step
    U32 word = words[half / 2], first[2], second[2];
    load<8>(first, tables.points, (half % 2 ? word >> 13 : word << 3) & 0x7f8);
    load<8>(second, tables.points, (half % 2 ? word >> 21 : word >> 5) & 0x7f8);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      pairs[k] = first[k];
      pairs[k + 2] = second[k];
    }
    addSigns(pairs, tables.signs, signWord(words, block), 7 * step);
  }

  DS4_DEVICE float scale(const U32 (&words)[kWords], int block, int) {
    return lowHalf(words[0]) * fma(static_cast<float>(signWord(words, block) >> 28), 0.5f, 0.25f);
  }
};

} // namespace ds4
