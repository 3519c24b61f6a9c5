// The 4-bit codes of rocmfp4 and rocmfp4_fast: magnitudes 0, 1, 2, 3, 4, 6, 8, 10; bit 3 is the sign. Byte i of a block
// holds code[i] in its low and code[i + 16] in its high nibble.
#pragma once

#include "wave.h"

namespace ds4 {

DS4_DEVICE float fp4Level(U32 code) {
  int magnitude = permuteBytes(0x0a080604u, 0x03020100u, code & 7) & 0xff;
  return static_cast<float>(code & 8 ? -magnitude : magnitude);
}

} // namespace ds4
