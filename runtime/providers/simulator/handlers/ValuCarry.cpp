// Integer arithmetic with carry: lane masks in scalar registers, and the 32 x 32 + 64 bit multiply-add.
#include "runtime/providers/simulator/handlers/Lanes.h"
#include "runtime/providers/simulator/handlers/Scalars.h"

namespace ds4::sim::DS4_SIM_ISA {
namespace {

enum class Saturate { No, ToOnes, ToZero };

// F computes on 64 bits; bit 32 of its result is the carry or the borrow.
template <auto F, bool CarryIn, Saturate S> void carryHandler(Wave &wave, const Instruction &in) {
  const uint32_t *a = source<uint32_t>(wave, in, 0), *b = source<uint32_t>(wave, in, 1);
  const uint32_t carryIn = CarryIn ? readScalar<uint32_t>(wave, in.src[2]) : 0;
  Row result, carry;
  for (int l = 0; l < kLanes; l++) {
    const uint64_t wide = F(uint64_t(a[l]), uint64_t(b[l]), uint64_t((carryIn >> l) & 1));
    carry[l] = uint32_t(wide >> 32) & 1;
    result[l] = S != Saturate::No && carry[l] ? (S == Saturate::ToOnes ? ~0u : 0u) : uint32_t(wide);
  }
  const uint32_t mask = writeMask(wave, in);
  store(wave.vgpr(in.dst.reg), result, mask);
  wave.setScalar(in.carryReg, nonZeroLanes(carry) & mask);
}

template <auto F, bool CarryIn, Saturate S> void addCarry(HandlerTable &table, const char *name, const char *clampName) {
  const char *types = CarryIn ? "UUUU" : "UUU";
  table.add(name, {carryHandler<F, CarryIn, Saturate::No>, types, kCarryOut});
  table.add(clampName, {carryHandler<F, CarryIn, S>, types, kCarryOut});
}

// The product and the sum have 65 bits; the top one is the carry.
template <class Narrow, class Wide> void multiplyAddHandler(Wave &wave, const Instruction &in) {
  const uint32_t *a = source<uint32_t>(wave, in, 0), *b = source<uint32_t>(wave, in, 1);
  const uint32_t *addend = source<uint64_t>(wave, in, 2, 0), *addendHigh = source<uint64_t>(wave, in, 2, 1);
  Row low, high, carry;
  for (int l = 0; l < kLanes; l++) {
    const Wide product = Wide(Narrow(a[l])) * Wide(Narrow(b[l])), c = laneValue<Wide>(addend, addendHigh, l);
    const uint64_t sum = uint64_t(product) + uint64_t(c);
    const bool unsignedCarry = sum < uint64_t(product);
    carry[l] = unsignedCarry ^ (product < 0) ^ (c < 0);
    low[l] = uint32_t(sum);
    high[l] = uint32_t(sum >> 32);
  }
  const uint32_t mask = writeMask(wave, in);
  store(wave.vgpr(in.dst.reg), low, mask);
  store(wave.vgpr(in.dst.reg + 1), high, mask);
  wave.setScalar(in.carryReg, nonZeroLanes(carry) & mask);
}

} // namespace

void registerValuCarry(HandlerTable &table) {
  constexpr auto add = [](uint64_t a, uint64_t b, uint64_t carry) -> uint64_t { return a + b + carry; };
  constexpr auto sub = [](uint64_t a, uint64_t b, uint64_t borrow) -> uint64_t { return a - b - borrow; };
  constexpr auto subReversed = [](uint64_t a, uint64_t b, uint64_t borrow) -> uint64_t { return b - a - borrow; };
  addCarry<add, false, Saturate::ToOnes>(table, "v_add_co_u32", "v_add_co_u32_clamp");
  addCarry<sub, false, Saturate::ToZero>(table, "v_sub_co_u32", "v_sub_co_u32_clamp");
  addCarry<subReversed, false, Saturate::ToZero>(table, "v_subrev_co_u32", "v_subrev_co_u32_clamp");
  addCarry<add, true, Saturate::ToOnes>(table, "v_add_co_ci_u32", "v_add_co_ci_u32_clamp");
  addCarry<sub, true, Saturate::ToZero>(table, "v_sub_co_ci_u32", "v_sub_co_ci_u32_clamp");
  addCarry<subReversed, true, Saturate::ToZero>(table, "v_subrev_co_ci_u32", "v_subrev_co_ci_u32_clamp");
  table.add("v_mad_u64_u32", {multiplyAddHandler<uint32_t, uint64_t>, "LUUL", kCarryOut});
  table.add("v_mad_i64_i32", {multiplyAddHandler<int32_t, int64_t>, "LUUL", kCarryOut});
}

} // namespace ds4::sim::DS4_SIM_ISA
