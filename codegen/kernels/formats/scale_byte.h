// The scale byte of the ROCmFPX formats: an unsigned E4M3 number of half the usual value, 64 means 1.
#pragma once

#include "wave.h"

namespace ds4 {

// Shifted by 7 the byte is a half-precision number, the scale / 128; so are the subnormal ones.
inline constexpr float kScaleByteUnit = 128;
DS4_DEVICE float scaleOfByte(U32 byte) { return halfToFloat(static_cast<U16>(byte << 7)) * kScaleByteUnit; }

} // namespace ds4
