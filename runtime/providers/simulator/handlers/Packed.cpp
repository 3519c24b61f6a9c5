// Packed instructions: two 16-bit operations in a register, and the multiply-adds that mix f16 and f32 operands.
#include <algorithm>

#include "runtime/providers/simulator/handlers/Halves.h"

namespace ds4::sim::DS4_SIM_ISA {
namespace {

template <auto F, class T, class... A, size_t... I>
void runPacked(Wave &wave, const Instruction &in, T (*)(A...), std::index_sequence<I...>) {
  const uint32_t *from[] = {source<uint32_t>(wave, in, I)...};
  const HalfOperand low[] = {HalfOperand(in, I, 0, kIsFloat<T>)...}, high[] = {HalfOperand(in, I, 1, kIsFloat<T>)...};
  Row result;
  for (int l = 0; l < kLanes; l++) {
    const T lowResult = F(as<A>(low[I].of(from[I][l]))...), highResult = F(as<A>(high[I].of(from[I][l]))...);
    result[l] = as<uint16_t>(lowResult) | uint32_t(as<uint16_t>(highResult)) << 16;
  }
  if constexpr (kIsFloat<T>)
    if (in.clamp)
      for (int l = 0; l < kLanes; l++)
        result[l] = as<uint16_t>(clampUnit(halfOf(result[l], false))) | uint32_t(as<uint16_t>(clampUnit(halfOf(result[l], true))))
                                                                            << 16;
  store(wave.vgpr(in.dst.reg), result, writeMask(wave, in));
}

template <auto F, class T, class... A> void runPacked(Wave &wave, const Instruction &in, T (*signature)(A...)) {
  runPacked<F>(wave, in, signature, std::index_sequence_for<A...>{});
}

template <auto F> void packedHandler(Wave &wave, const Instruction &in) { runPacked<F>(wave, in, +F); }

// Float constants fill the low half of an operand, integer ones all of it.
template <class T, class... A> constexpr const char *packedTypes(T (*)(A...)) { return kIsFloat<T> ? "HHHH" : "UUUU"; }

template <auto F> HandlerInfo packed(uint8_t flags = 0) { return {packedHandler<F>, packedTypes(+F), flags}; }

template <class T> T clampTo(int32_t x) {
  return T(std::clamp<int32_t>(x, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

// Source k of v_fma_mix as f32: a half of an f16 pair where op_sel_hi has its bit, else the register itself.
// neg_hi stands for abs.
struct MixOperand {
  uint32_t isHalf, shift, keep, flip;
  MixOperand(const Instruction &in, int k)
      : isHalf(in.hasOpSelHi && (in.opSelHi >> k) & 1 ? ~0u : 0), shift((in.opSel >> k) & 1 ? 16 : 0),
        keep((in.negHi >> k) & 1 ? 0x7fffffff : ~0u), flip((in.negLo >> k) & 1 ? 0x80000000 : 0) {}
  float of(uint32_t word) const {
    const uint32_t widened = as<uint32_t>(float(as<Half>(uint16_t(word >> shift))));
    return as<float>((((widened & isHalf) | (word & ~isHalf)) & keep) ^ flip);
  }
};

enum class MixResult { Single, LowHalf, HighHalf };

template <MixResult R> void mixHandler(Wave &wave, const Instruction &in) {
  const uint32_t *from[] = {source<uint32_t>(wave, in, 0), source<uint32_t>(wave, in, 1), source<uint32_t>(wave, in, 2)};
  const MixOperand a(in, 0), b(in, 1), c(in, 2);
  Row result;
  for (int l = 0; l < kLanes; l++)
    result[l] = as<uint32_t>(std::fma(a.of(from[0][l]), b.of(from[1][l]), c.of(from[2][l])));
  if (in.clamp)
    for (int l = 0; l < kLanes; l++)
      result[l] = as<uint32_t>(clampUnit(as<float>(result[l])));
  uint32_t *to = wave.vgpr(in.dst.reg);
  if constexpr (R != MixResult::Single)
    for (int l = 0; l < kLanes; l++) {
      const uint32_t half = as<uint16_t>(Half(as<float>(result[l])));
      result[l] = R == MixResult::LowHalf ? (to[l] & 0xffff0000u) | half : (to[l] & 0xffffu) | half << 16;
    }
  store(to, result, writeMask(wave, in));
}

void registerPackedFloat(HandlerTable &table) {
  table.add("v_pk_add_f16", packed<[](Half a, Half b) -> Half { return Half(float(a) + float(b)); }>());
  table.add("v_pk_mul_f16", packed<[](Half a, Half b) -> Half { return Half(float(a) * float(b)); }>());
  table.add("v_pk_fma_f16", packed<[](Half a, Half b, Half c) -> Half { return fusedHalf(a, b, c); }>());
  table.add("v_pk_fmac_f16", packed<[](Half a, Half b, Half c) -> Half { return fusedHalf(a, b, c); }>(kAccumulates));
  table.add("v_pk_max_f16", packed<[](Half a, Half b) -> Half { return maxNumber(a, b); }>());
  table.add("v_pk_min_f16", packed<[](Half a, Half b) -> Half { return minNumber(a, b); }>());
  table.add("v_fma_mix_f32", {mixHandler<MixResult::Single>, "FFFF", 0});
  table.add("v_fma_mixlo_f16", {mixHandler<MixResult::LowHalf>, "FFFF", 0});
  table.add("v_fma_mixhi_f16", {mixHandler<MixResult::HighHalf>, "FFFF", 0});
}

void registerPackedInteger(HandlerTable &table) {
  table.add("v_pk_add_u16", packed<[](uint16_t a, uint16_t b) -> uint16_t { return uint16_t(a + b); }>());
  table.add("v_pk_sub_u16", packed<[](uint16_t a, uint16_t b) -> uint16_t { return uint16_t(a - b); }>());
  table.add("v_pk_add_i16", packed<[](int16_t a, int16_t b) -> int16_t { return int16_t(a + b); }>());
  table.add("v_pk_sub_i16", packed<[](int16_t a, int16_t b) -> int16_t { return int16_t(a - b); }>());
  table.add("v_pk_mul_lo_u16", packed<[](uint16_t a, uint16_t b) -> uint16_t { return uint16_t(uint32_t(a) * b); }>());
  table.add("v_pk_mad_u16", packed<[](uint16_t a, uint16_t b, uint16_t c) -> uint16_t { return uint16_t(uint32_t(a) * b + c); }>());
  table.add("v_pk_mad_i16", packed<[](int16_t a, int16_t b, int16_t c) -> int16_t { return int16_t(a * b + c); }>());
  table.add("v_pk_max_u16", packed<[](uint16_t a, uint16_t b) -> uint16_t { return a > b ? a : b; }>());
  table.add("v_pk_min_u16", packed<[](uint16_t a, uint16_t b) -> uint16_t { return a < b ? a : b; }>());
  table.add("v_pk_max_i16", packed<[](int16_t a, int16_t b) -> int16_t { return a > b ? a : b; }>());
  table.add("v_pk_min_i16", packed<[](int16_t a, int16_t b) -> int16_t { return a < b ? a : b; }>());
  table.add("v_pk_lshlrev_b16", packed<[](uint16_t shift, uint16_t a) -> uint16_t { return uint16_t(a << (shift & 15)); }>());
  table.add("v_pk_lshrrev_b16", packed<[](uint16_t shift, uint16_t a) -> uint16_t { return uint16_t(a >> (shift & 15)); }>());
  table.add("v_pk_ashrrev_i16", packed<[](int16_t shift, int16_t a) -> int16_t { return int16_t(a >> (shift & 15)); }>());

  table.add("v_pk_add_u16_clamp", packed<[](uint16_t a, uint16_t b) -> uint16_t { return clampTo<uint16_t>(a + b); }>());
  table.add("v_pk_sub_u16_clamp", packed<[](uint16_t a, uint16_t b) -> uint16_t { return clampTo<uint16_t>(a - b); }>());
  table.add("v_pk_add_i16_clamp", packed<[](int16_t a, int16_t b) -> int16_t { return clampTo<int16_t>(a + b); }>());
  table.add("v_pk_sub_i16_clamp", packed<[](int16_t a, int16_t b) -> int16_t { return clampTo<int16_t>(a - b); }>());
  table.add("v_pk_mad_u16_clamp", packed<[](uint16_t a, uint16_t b, uint16_t c) -> uint16_t {
              const uint32_t exact = uint32_t(a) * b + c; // at most 2^32 - 2^16
              return uint16_t(exact > 0xffff ? 0xffff : exact);
            }>());
  table.add("v_pk_mad_i16_clamp", packed<[](int16_t a, int16_t b, int16_t c) -> int16_t { return clampTo<int16_t>(a * b + c); }>());
}

} // namespace

void registerPacked(HandlerTable &table) {
  registerPackedFloat(table);
  registerPackedInteger(table);
}

} // namespace ds4::sim::DS4_SIM_ISA
