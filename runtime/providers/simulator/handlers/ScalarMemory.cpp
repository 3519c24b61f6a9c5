// Scalar loads. Their addresses are aligned down to words, as in hardware.
#include "runtime/providers/simulator/Worker.h"
#include "runtime/providers/simulator/handlers/Scalars.h"

namespace ds4::sim::DS4_SIM_ISA {

namespace {

template <int Words> void scalarLoad(Wave &wave, const Instruction &in) {
  uint64_t address = wave.scalar64(in.src[0].reg) + uint64_t(int64_t(in.offset));
  if (in.sources > 1)
    address += in.src[1].is(OperandKind::Scalar) ? (in.src[1].reg == kNull ? 0 : wave.s[in.src[1].reg])
                                                 : uint64_t(int64_t(int32_t(in.src[1].value)));
  address &= ~uint64_t(3);
  Worker &worker = *wave.worker;
  worker.scalarBytes += 4 * Words;
  uint32_t words[Words];
  if (__builtin_expect(worker.observed, false)) {
    observedScalarLoad(wave, in, address, 4 * Words, words);
  } else {
    if (!worker.ranges[worker.rangeHint[in.index]].contains(address, 4 * Words))
      findRange(wave, in, address, 4 * Words, 0);
    memcpy(words, reinterpret_cast<const void *>(address), sizeof words);
  }
  if (in.dst.reg != kNull)
    memcpy(&wave.s[in.dst.reg], words, sizeof words);
}

} // namespace

void registerScalarMemory(HandlerTable &t) {
  t.add("s_load_b32", {scalarLoad<1>, "ULU", 0});
  t.add("s_load_b64", {scalarLoad<2>, "ULU", 0});
  t.add("s_load_b128", {scalarLoad<4>, "ULU", 0});
  t.add("s_load_b256", {scalarLoad<8>, "ULU", 0});
  t.add("s_load_b512", {scalarLoad<16>, "ULU", 0});
}

} // namespace ds4::sim::DS4_SIM_ISA
