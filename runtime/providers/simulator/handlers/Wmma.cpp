// v_wmma: D = A x B + C with 16 x 16 matrices spread over a wave.
//
// Lane i holds row i of A and column i of B, 16 elements in consecutive registers; lanes 16..31 repeat lanes 0..15.
// C and D: register r holds rows 2r (lanes 0..15) and 2r + 1 (lanes 16..31), one column a lane. EXEC is ignored.
// The hardware's summation order is not documented: here k ascends, each step fused.
#include "runtime/providers/simulator/handlers/Numerics.h"

namespace ds4::sim::DS4_SIM_ISA {
namespace {

constexpr int kSize = 16;

template <class T> struct alignas(64) Matrix {
  T at[kSize][kSize];
};

// One value for each of 16 lanes.
using FloatRow = float __attribute__((ext_vector_type(kSize)));
using HalfRow = Half __attribute__((ext_vector_type(kSize)));
using WordRow = uint32_t __attribute__((ext_vector_type(kSize)));
using ShortRow = uint16_t __attribute__((ext_vector_type(kSize)));
using IntegerRow = int32_t __attribute__((ext_vector_type(kSize)));

inline WordRow loadWords(const uint32_t *from) {
  WordRow words;
  memcpy(&words, from, sizeof words);
  return words;
}

// 16-bit elements in the low halves of words.
struct F16 {
  static FloatRow widen(WordRow x) {
    return __builtin_convertvector(__builtin_bit_cast(HalfRow, __builtin_convertvector(x, ShortRow)), FloatRow);
  }
  static uint16_t narrow(float x) { return as<uint16_t>(Half(x)); }
};
struct Bf16 {
  static FloatRow widen(WordRow x) { return __builtin_bit_cast(FloatRow, x << 16); }
  static uint16_t narrow(float x) { return toBfloat(x); }
};

// A (which = 0) or B (1) as at[k][lane].
template <class Element> void loadHalves(const Wave &wave, const Instruction &in, int which, Matrix<float> &to) {
  for (int k = 0; k < kSize; k++) {
    const WordRow words = loadWords(wave.vgpr(in.src[which].reg + k / 2)) >> (16 * (k & 1));
    const uint32_t flip = ((k & 1 ? in.negHi : in.negLo) >> which) & 1 ? 0x8000 : 0;
    const FloatRow row = Element::widen((words & 0xffff) ^ flip);
    memcpy(to.at[k], &row, sizeof row);
  }
}

// neg_lo names the signed matrices.
template <int Bits> void loadIntegers(const Wave &wave, const Instruction &in, int which, Matrix<int32_t> &to) {
  constexpr int perWord = 32 / Bits;
  const bool isSigned = (in.negLo >> which) & 1;
  for (int k = 0; k < kSize; k++) {
    const WordRow top = loadWords(wave.vgpr(in.src[which].reg + k / perWord)) << (32 - Bits - Bits * (k % perWord));
    const IntegerRow row =
        isSigned ? __builtin_bit_cast(IntegerRow, top) >> (32 - Bits) : __builtin_bit_cast(IntegerRow, top >> (32 - Bits));
    memcpy(to.at[k], &row, sizeof row);
  }
}

// C's words as at[row][column]; a constant or scalar fills the matrix.
void loadAddend(Wave &wave, const Instruction &in, Matrix<uint32_t> &to) {
  const bool isVector = in.src[2].is(OperandKind::Vector);
  const uint32_t *uniform = isVector ? nullptr : source<uint32_t>(wave, in, 2);
  for (int r = 0; r < kSize / 2; r++)
    memcpy(to.at[2 * r], isVector ? wave.vgpr(in.src[2].reg + r) : uniform, 2 * kSize * sizeof(uint32_t));
}

inline FloatRow multiplyAdd(float a, FloatRow b, FloatRow c) { return __builtin_elementwise_fma(FloatRow(a), b, c); }
inline IntegerRow multiplyAdd(int32_t a, IntegerRow b, IntegerRow c) { return IntegerRow(a) * b + c; }

// acc[m][n] += sum over k of a[k][m] * b[k][n]. Several rows at a time: one row's sum is a chain of dependent steps.
template <class RowType, class T> void multiply(const Matrix<T> &a, const Matrix<T> &b, Matrix<T> &acc) {
#ifdef __AVX512F__
  constexpr int together = 8;
#else
  constexpr int together = 4;
#endif
  for (int m = 0; m < kSize; m += together) {
    RowType rows[together];
    memcpy(rows, acc.at[m], sizeof rows);
    for (int k = 0; k < kSize; k++) {
      RowType other;
      memcpy(&other, b.at[k], sizeof other);
      for (int r = 0; r < together; r++)
        rows[r] = multiplyAdd(a.at[k][m + r], other, rows[r]);
    }
    memcpy(acc.at[m], rows, sizeof rows);
  }
}

template <class Element> void multiplyHalves(const Wave &wave, const Instruction &in, Matrix<float> &acc) {
  Matrix<float> a, b;
  loadHalves<Element>(wave, in, 0, a);
  loadHalves<Element>(wave, in, 1, b);
  const float sign = in.negLo & 4 ? -1.0f : 1.0f;
  if ((in.negLo | in.negHi) & 4)
    for (auto &row : acc.at)
      for (float &x : row)
        x = sign * (in.negHi & 4 ? std::fabs(x) : x);
  multiply<FloatRow>(a, b, acc);
}

template <class Element> void floatProduct(Wave &wave, const Instruction &in) {
  Matrix<uint32_t> words;
  Matrix<float> acc;
  loadAddend(wave, in, words);
  memcpy(&acc, &words, sizeof acc);
  multiplyHalves<Element>(wave, in, acc);
  for (int r = 0; r < kSize / 2; r++)
    memcpy(wave.vgpr(in.dst.reg + r), acc.at[2 * r], 2 * kSize * sizeof(float));
}

// 16-bit C and D sit in one half of their registers, by op_sel; the other half of D keeps its content.
template <class Element> void halfProduct(Wave &wave, const Instruction &in) {
  const int shift = in.opSel & 4 ? 16 : 0;
  Matrix<uint32_t> words;
  Matrix<float> acc;
  loadAddend(wave, in, words);
  const int sourceShift = in.src[2].is(OperandKind::Vector) ? shift : 0;
  for (int m = 0; m < kSize; m++) {
    const FloatRow row = Element::widen((loadWords(words.at[m]) >> sourceShift) & 0xffff);
    memcpy(acc.at[m], &row, sizeof row);
  }
  multiplyHalves<Element>(wave, in, acc);
  for (int m = 0; m < kSize; m++) {
    uint32_t *to = wave.vgpr(in.dst.reg + m / 2) + kSize * (m & 1);
    for (int n = 0; n < kSize; n++)
      to[n] = (to[n] & ~(0xffffu << shift)) | uint32_t(Element::narrow(acc.at[m][n])) << shift;
  }
}

// Clamp saturates the sum with C; the products alone fit 32 bits.
template <int Bits> void integerProduct(Wave &wave, const Instruction &in) {
  Matrix<int32_t> a, b, sum{};
  Matrix<uint32_t> addend;
  loadIntegers<Bits>(wave, in, 0, a);
  loadIntegers<Bits>(wave, in, 1, b);
  loadAddend(wave, in, addend);
  multiply<IntegerRow>(a, b, sum);
  for (int m = 0; m < kSize; m++) {
    uint32_t *to = wave.vgpr(in.dst.reg + m / 2) + kSize * (m & 1);
    for (int n = 0; n < kSize; n++)
      to[n] = in.clamp ? uint32_t(saturate<int32_t>(double(sum.at[m][n]) + double(int32_t(addend.at[m][n]))))
                       : uint32_t(sum.at[m][n]) + addend.at[m][n];
  }
}

} // namespace

void registerWmma(HandlerTable &table) {
  table.add("v_wmma_f32_16x16x16_f16", {floatProduct<F16>, "FUUF", 0});
  table.add("v_wmma_f32_16x16x16_bf16", {floatProduct<Bf16>, "FUUF", 0});
  table.add("v_wmma_f16_16x16x16_f16", {halfProduct<F16>, "HUUH", 0});
  table.add("v_wmma_bf16_16x16x16_bf16", {halfProduct<Bf16>, "UUUU", 0});
  table.add("v_wmma_i32_16x16x16_iu8", {integerProduct<8>, "UUUU", 0});
  table.add("v_wmma_i32_16x16x16_iu4", {integerProduct<4>, "UUUU", 0});
}

} // namespace ds4::sim::DS4_SIM_ISA
