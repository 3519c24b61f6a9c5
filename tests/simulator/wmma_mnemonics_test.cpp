// v_wmma: small whole numbers, so that every summation order gives the same exact result.
#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

constexpr unsigned kSize = 16, kA = 0, kB = 8, kC = 16;

// Elements of A[m][k] and B[k][n]; their range depends on the format.
int elementA(unsigned m, unsigned k) { return int((m * 3 + k * 5) % 13) - 5; }
int elementB(unsigned k, unsigned n) { return int((k * 7 + n * 2) % 11) - 4; }
int elementC(unsigned m, unsigned n) { return int(m) * 8 - int(n); }

uint32_t bfloat(float x) { return std::bit_cast<uint32_t>(x) >> 16; }
uint32_t half(float x) { return uint32_t(h(x).bits); }

template <typename Encode> void fillOperand(State &s, unsigned reg, unsigned bits, bool isA, Encode encode) {
  const unsigned perWord = 32 / bits;
  const uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned k = 0; k < kSize; ++k) {
      uint32_t &word = s.v[reg + k / perWord][lane];
      const unsigned shift = bits * (k % perWord);
      const uint32_t element = encode(isA ? elementA(lane % kSize, k) : elementB(k, lane % kSize)) & mask;
      word = (word & ~(mask << shift)) | element << shift;
    }
}

// C and D: register r, lanes 0..15 row 2r, lanes 16..31 row 2r + 1.
template <typename Encode> void fillAddend(State &s, Encode encode) {
  for (unsigned m = 0; m < kSize; ++m)
    for (unsigned n = 0; n < kSize; ++n) {
      uint32_t &word = s.v[kC + m / 2][n + kSize * (m & 1)];
      word = encode(word, elementC(m, n));
    }
}

template <typename A, typename B> int product(unsigned m, unsigned n, A a, B b) {
  int sum = elementC(m, n);
  for (unsigned k = 0; k < kSize; ++k)
    sum += a(elementA(m, k)) * b(elementB(k, n));
  return sum;
}

int plain(int x) { return x; }

template <typename Encode> Row floatRow(const std::string &text, Encode element, auto addend) {
  return wave(
      text,
      [=](State &s) {
        fillOperand(s, kA, 16, true, [=](int x) { return element(float(x)); });
        fillOperand(s, kB, 16, false, [=](int x) { return element(float(x)); });
        fillAddend(s, addend);
      },
      [=](State &s) {
        for (unsigned m = 0; m < kSize; ++m)
          for (unsigned n = 0; n < kSize; ++n) {
            uint32_t &word = s.v[kC + m / 2][n + kSize * (m & 1)];
            word = addend(word, product(m, n, plain, plain));
          }
      });
}

template <typename A, typename B> Row integerRow(const std::string &text, unsigned bits, A a, B b) {
  auto addend = [](uint32_t, int x) { return uint32_t(x); };
  return wave(
      text,
      [=](State &s) {
        fillOperand(s, kA, bits, true, [](int x) { return uint32_t(x); });
        fillOperand(s, kB, bits, false, [](int x) { return uint32_t(x); });
        fillAddend(s, addend);
      },
      [=](State &s) {
        for (unsigned m = 0; m < kSize; ++m)
          for (unsigned n = 0; n < kSize; ++n)
            s.v[kC + m / 2][n + kSize * (m & 1)] = uint32_t(product(m, n, a, b));
      });
}

Rows rows() {
  auto single = [](uint32_t, int x) { return std::bit_cast<uint32_t>(float(x)); };
  auto lowHalf = [](uint32_t old, int x) { return pack(half(float(x)), old >> 16); };
  auto highHalf = [](uint32_t old, int x) { return pack(old, half(float(x))); };
  auto lowBfloat = [](uint32_t old, int x) { // to nearest even in 8 bits
    const uint32_t bits = std::bit_cast<uint32_t>(float(x));
    return pack((bits + 0x7fff + (bits >> 16 & 1)) >> 16, old >> 16);
  };
  auto byte = [](int x) { return x & 255; };
  auto nibble = [](int x) { return x & 15; };
  auto signedNibble = [](int x) { return (x & 15) > 7 ? (x & 15) - 16 : x & 15; };
  const std::string operands = " v[16:23], v[0:7], v[8:15], v[16:23]";
  auto saturated = [=](const std::string &text, uint32_t addend, uint32_t expected) {
    return wave(
        text,
        [=](State &s) {
          for (unsigned reg = kA; reg < kC; ++reg)
            for (uint32_t &lane : s.v[reg])
              lane = 0x01010101;
          for (unsigned reg = kC; reg < kC + 8; ++reg)
            for (uint32_t &lane : s.v[reg])
              lane = addend;
        },
        [=](State &s) {
          for (unsigned reg = kC; reg < kC + 8; ++reg)
            for (uint32_t &lane : s.v[reg])
              lane = expected;
        });
  };
  return {
      floatRow("v_wmma_f32_16x16x16_f16" + operands, half, single),
      floatRow("v_wmma_f32_16x16x16_bf16" + operands, bfloat, single),
      floatRow("v_wmma_f16_16x16x16_f16" + operands, half, lowHalf),
      floatRow("v_wmma_f16_16x16x16_f16" + operands + " op_sel:[0,0,1]", half, highHalf),
      floatRow("v_wmma_bf16_16x16x16_bf16" + operands, bfloat, lowBfloat),
      integerRow("v_wmma_i32_16x16x16_iu8 v[16:23], v[0:3], v[8:11], v[16:23] neg_lo:[1,1,0]", 8, plain, plain),
      integerRow("v_wmma_i32_16x16x16_iu8 v[16:23], v[0:3], v[8:11], v[16:23]", 8, byte, byte),
      integerRow("v_wmma_i32_16x16x16_iu8 v[16:23], v[0:3], v[8:11], v[16:23] neg_lo:[1,0,0]", 8, plain, byte),
      integerRow("v_wmma_i32_16x16x16_iu8 v[16:23], v[0:3], v[8:11], v[16:23] neg_lo:[0,1,0]", 8, byte, plain),
      integerRow("v_wmma_i32_16x16x16_iu4 v[16:23], v[0:1], v[8:9], v[16:23] neg_lo:[1,1,0]", 4, signedNibble, signedNibble),
      integerRow("v_wmma_i32_16x16x16_iu4 v[16:23], v[0:1], v[8:9], v[16:23]", 4, nibble, nibble),
      saturated("v_wmma_i32_16x16x16_iu8 v[16:23], v[0:3], v[8:11], v[16:23] clamp", 0x7ffffff8, 0x7fffffff),
      saturated("v_wmma_i32_16x16x16_iu8 v[16:23], v[0:3], v[8:11], v[16:23]", 0x7ffffff8, 0x80000008),
      // C as a constant.
      wave(
          "v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], 1.0",
          [](State &s) {
            fillOperand(s, kA, 16, true, [](int x) { return half(float(x)); });
            fillOperand(s, kB, 16, false, [](int x) { return half(float(x)); });
          },
          [](State &s) {
            for (unsigned m = 0; m < kSize; ++m)
              for (unsigned n = 0; n < kSize; ++n)
                s.v[kC + m / 2][n + kSize * (m & 1)] =
                    std::bit_cast<uint32_t>(float(product(m, n, plain, plain) - elementC(m, n) + 1));
          }),
  };
}

const MnemonicTable table("wmma", rows);

} // namespace
} // namespace ds4::sim::test
