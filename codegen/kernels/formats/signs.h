// Signs of iq2_xxs and iq3_xxs: 7 bits for 8 weights, the eighth makes their number even.
#pragma once

#include "wave.h"

namespace ds4 {

DS4_DEVICE U32 evenSigns(U32 bits) {
  U32 signs = bits & 127;
  return signs | static_cast<U32>(countBits(signs) & 1) << 7;
}
// x, negated where bit 0 of `sign` is set.
DS4_DEVICE float withSign(float x, U32 sign) { return floatOf(bitsOf(x) ^ sign << 31); }

} // namespace ds4
