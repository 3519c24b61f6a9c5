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

// The halves of A's or B's registers as at[k][lane].
template <class Load> void loadHalves(const Wave &wave, const Instruction &in, int which, Matrix<float> &to, Load load) {
  for (int k = 0; k < kSize; k++) {
    const uint32_t *from = wave.vgpr(in.src[which].reg + k / 2);
    const float sign = ((k & 1 ? in.negHi : in.negLo) >> which) & 1 ? -1.0f : 1.0f;
    for (int l = 0; l < kSize; l++)
      to.at[k][l] = sign * load(uint16_t(from[l] >> (16 * (k & 1))));
  }
}

// neg_lo names the signed matrices.
template <int Bits> void loadIntegers(const Wave &wave, const Instruction &in, int which, Matrix<int32_t> &to) {
  constexpr int perWord = 32 / Bits;
  const bool isSigned = (in.negLo >> which) & 1;
  for (int k = 0; k < kSize; k++) {
    const uint32_t *from = wave.vgpr(in.src[which].reg + k / perWord);
    const int shift = 32 - Bits - Bits * (k % perWord);
    for (int l = 0; l < kSize; l++)
      to.at[k][l] = isSigned ? int32_t(from[l] << shift) >> (32 - Bits) : int32_t((from[l] << shift) >> (32 - Bits));
  }
}

// C's words as at[row][column]; a constant or scalar fills the matrix.
void loadAddend(Wave &wave, const Instruction &in, Matrix<uint32_t> &to) {
  const bool isVector = in.src[2].is(OperandKind::Vector);
  const uint32_t *uniform = isVector ? nullptr : source<uint32_t>(wave, in, 2);
  for (int r = 0; r < kSize / 2; r++)
    memcpy(to.at[2 * r], isVector ? wave.vgpr(in.src[2].reg + r) : uniform, 2 * kSize * sizeof(uint32_t));
}

using FloatRow = float __attribute__((vector_size(kSize * sizeof(float))));
using IntegerRow = int32_t __attribute__((vector_size(kSize * sizeof(int32_t))));

inline FloatRow multiplyAdd(float a, FloatRow b, FloatRow c) { return __builtin_elementwise_fma(FloatRow{} + a, b, c); }
inline IntegerRow multiplyAdd(int32_t a, IntegerRow b, IntegerRow c) { return a * b + c; }

// acc[m][n] += sum over k of a[k][m] * b[k][n]. Four rows at a time: one row's sum is a chain of dependent steps.
template <class RowType, class T> void multiply(const Matrix<T> &a, const Matrix<T> &b, Matrix<T> &acc) {
  constexpr int together = 4;
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

template <class Load> void multiplyHalves(const Wave &wave, const Instruction &in, Matrix<float> &acc, Load load) {
  Matrix<float> a, b;
  loadHalves(wave, in, 0, a, load);
  loadHalves(wave, in, 1, b, load);
  const float sign = in.negLo & 4 ? -1.0f : 1.0f;
  if ((in.negLo | in.negHi) & 4)
    for (auto &row : acc.at)
      for (float &x : row)
        x = sign * (in.negHi & 4 ? std::fabs(x) : x);
  multiply<FloatRow>(a, b, acc);
}

constexpr auto loadF16 = [](uint16_t x) { return float(as<Half>(x)); };
constexpr auto loadBf16 = [](uint16_t x) { return fromBfloat(x); };

template <auto Load> void floatProduct(Wave &wave, const Instruction &in) {
  Matrix<uint32_t> words;
  Matrix<float> acc;
  loadAddend(wave, in, words);
  memcpy(&acc, &words, sizeof acc);
  multiplyHalves(wave, in, acc, Load);
  for (int r = 0; r < kSize / 2; r++)
    memcpy(wave.vgpr(in.dst.reg + r), acc.at[2 * r], 2 * kSize * sizeof(float));
}

// 16-bit C and D sit in one half of their registers, by op_sel; the other half of D keeps its content.
template <auto Load, auto Narrow> void halfProduct(Wave &wave, const Instruction &in) {
  const int shift = in.opSel & 4 ? 16 : 0;
  Matrix<uint32_t> words;
  Matrix<float> acc;
  loadAddend(wave, in, words);
  const int sourceShift = in.src[2].is(OperandKind::Vector) ? shift : 0;
  for (int m = 0; m < kSize; m++)
    for (int n = 0; n < kSize; n++)
      acc.at[m][n] = Load(uint16_t(words.at[m][n] >> sourceShift));
  multiplyHalves(wave, in, acc, Load);
  for (int m = 0; m < kSize; m++) {
    uint32_t *to = wave.vgpr(in.dst.reg + m / 2) + kSize * (m & 1);
    for (int n = 0; n < kSize; n++)
      to[n] = (to[n] & ~(0xffffu << shift)) | uint32_t(Narrow(acc.at[m][n])) << shift;
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
  constexpr auto toF16 = [](float x) { return as<uint16_t>(Half(x)); };
  constexpr auto toBf16 = [](float x) { return toBfloat(x); };
  table.add("v_wmma_f32_16x16x16_f16", {floatProduct<loadF16>, "FUUF", 0});
  table.add("v_wmma_f32_16x16x16_bf16", {floatProduct<loadBf16>, "FUUF", 0});
  table.add("v_wmma_f16_16x16x16_f16", {halfProduct<loadF16, toF16>, "HUUH", 0});
  table.add("v_wmma_bf16_16x16x16_bf16", {halfProduct<loadBf16, toBf16>, "UUUU", 0});
  table.add("v_wmma_i32_16x16x16_iu8", {integerProduct<8>, "UUUU", 0});
  table.add("v_wmma_i32_16x16x16_iu4", {integerProduct<4>, "UUUU", 0});
}

} // namespace ds4::sim::DS4_SIM_ISA
