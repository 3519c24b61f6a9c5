// The MODE register's rounding and denormal bits as the host's MXCSR. Only the f32 bits have a counterpart: f16 arithmetic
// is computed in f32 and f64 keeps its denormals in every mode that compilers select.
#pragma once

#include <cstdint>
#include <immintrin.h>

namespace ds4::sim {

inline uint32_t mxcsrOf(uint32_t mode) {
  constexpr uint32_t kMasked = 0x1f80, kDenormalsAreZero = 0x40, kFlushToZero = 0x8000;
  constexpr uint32_t kRounding[] = {0, 2, 1, 3}; // nearest, up, down, toward zero
  return kMasked | (mode & 0x10 ? 0 : kDenormalsAreZero) | (mode & 0x20 ? 0 : kFlushToZero) | kRounding[mode & 3] << 13;
}

// Restores the caller's mode.
class FloatModeScope {
public:
  FloatModeScope() : saved_(_mm_getcsr()) {}
  ~FloatModeScope() { _mm_setcsr(saved_); }
  FloatModeScope(const FloatModeScope &) = delete;
  FloatModeScope &operator=(const FloatModeScope &) = delete;

private:
  uint32_t saved_;
};

} // namespace ds4::sim
