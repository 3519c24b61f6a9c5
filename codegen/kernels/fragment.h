// What a fragment of the fast product (product.h) says of its format: a lane's consecutive blocks of a row, as dwords, and how they
// become pairs of halves. fragments/<format>.h has one each.
#pragma once

#include "wave.h"

namespace ds4 {

// How a fragment's pairs lie in a block. Far: step s pairs weights 4s, 4s + 2 and 4s + 1, 4s + 3, then the same 16 further on.
// Near: step 2g + h pairs weights i and i + 8 of group g, i = 4h..4h + 3. Octets: step s pairs weight i of octets 0 and 1, then
// of 2 and 3, for i = 2s and 2s + 1.
// Crossed: step 2g + h pairs weights i and i + 8, then i + 4 and i + 12 of group g, for i = 2h and 2h + 1. Straight: step s pairs
// weights 8s + i and 8s + i + 1 for i = 0, 2, 4, 6.
enum class PairOrder { Far, Near, Octets, Crossed, Straight };

// What a fragment has no need to say. A weight enters as its number plus an offset, which decode() cannot take off: the
// corrections, sums of the activations of a block (or of its halves) times kOffsetPair (kFarOffsetPair for pairs 2 and 3 of the
// Far order) or kOffsets, times offset(), are what the sums start from instead. Formats whose weights have a minimum taken off
// get it from the same sums.
struct FragmentDefaults {
  static constexpr int kCorrections = 0;
  static constexpr bool kHasMinima = false;
  // For quad_halves.h: a number times its scale is a half, rounded no worse than activations are. offsetPair() is what decode()
  // could not take off.
  static constexpr bool kScaledHalves = false;
  DS4_DEVICE constexpr U32 offsetPair(int, int) { return 0; }
  // For quad_fragments.h: weights are integers times scales. integers(bytes, words, block, half) gives half a block, 16 weights, as
  // kIntegerSets sets of bytes: one; with kSplit two, of which the second is taken off; else upper and lower parts, 128 times the
  // upper one being added to the lower one. Byte k of word i is weight placeOf(i, k) of the half: of 16 consecutive weights, or,
  // with kFar, of eight and the eight that are 16 further on. factor(words, block, half) times kFactorUnit and unit() is the scale;
  // it is the same for both halves where kGroups is 1. For quad_integers.h: sharedIntegers(up, down, row, block, t), of the row's
  // chunk at `row`, weights 4 t .. 4 t + 3 of a block, then those 16 further on; with kFar 0 4 1 5 and 2 6 3 7 of these eight.
  static constexpr bool kIntegers = false, kFar = false, kSplit = false;
  static constexpr int kIntegerSets = 1;
  static constexpr float kFactorUnit = 1;
  // Of one set: no weight's magnitude is above kMostInteger; where both halves have a scale, kIntegerOffset is added to integers.
  static constexpr int kMostInteger = 127, kIntegerOffset = 0;
  DS4_DEVICE constexpr int placeOf(int word, int byte) { return 4 * word + byte; }
  static constexpr int kPadding = 0; // bytes of the last word that belong to the next fragment, 0 or 2
  static constexpr U32 kOffsetPair = 0x3c003c00, kFarOffsetPair = kOffsetPair; // 1, 1
  DS4_DEVICE constexpr float offset(int) { return 1; }
  DS4_DEVICE constexpr float unit() { return 1; } // of all scales
  // Fills tables in LDS, kTableBytes of them, that decode() looks into; called by all threads before a barrier.
  static constexpr int kTableBytes = 0;
  template <int Threads> DS4_DEVICE void prepare() {}
};

} // namespace ds4
