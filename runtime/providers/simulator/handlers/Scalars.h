// Operand access and the generic handlers of scalar instructions.
#pragma once

#include "runtime/providers/simulator/handlers/Lanes.h"

namespace ds4::sim::DS4_SIM_ISA {

template <class T> inline T readScalar(const Wave &wave, const Operand &operand) {
  if constexpr (kIsPair<T>)
    return as<T>(operand.is(OperandKind::Scalar) ? wave.scalar64(operand.reg) : operand.value);
  else if constexpr (sizeof(T) == 2)
    return as<T>(uint16_t(operand.is(OperandKind::Scalar) ? wave.s[operand.reg] : uint32_t(operand.value)));
  else
    return as<T>(operand.is(OperandKind::Scalar) ? wave.s[operand.reg] : uint32_t(operand.value));
}

template <class T> inline void writeScalar(Wave &wave, const Operand &operand, T value) {
  if constexpr (kIsPair<T>)
    wave.setScalar64(operand.reg, as<uint64_t>(value));
  else
    wave.setScalar(operand.reg, uint32_t(as<BitsOf<sizeof(T)>>(value)));
}

// What an instruction leaves in SCC; functions that decide for themselves use Keep and call wave.setScc.
enum class Scc { Keep, NonZero };

template <auto F, Scc S, class R, class... A, size_t... I>
inline void runScalar(Wave &wave, const Instruction &in, R (*)(Wave &, A...), std::index_sequence<I...>) {
  const R result = F(wave, readScalar<A>(wave, in.src[I])...);
  writeScalar<R>(wave, in.dst, result);
  if constexpr (S == Scc::NonZero)
    wave.setScc(as<BitsOf<sizeof(R)>>(result) != 0);
}

template <auto F, Scc S, class R, class... A>
inline void runScalar(Wave &wave, const Instruction &in, R (*signature)(Wave &, A...)) {
  runScalar<F, S>(wave, in, signature, std::index_sequence_for<A...>{});
}

template <class R, class... A> constexpr const char *scalarTypesOf(R (*)(Wave &, A...)) { return kTypeLetters<R, A...>; }
template <auto F, Scc S> static void scalarHandler(Wave &wave, const Instruction &in) { runScalar<F, S>(wave, in, +F); }

// HandlerInfo of a function (Wave &, operands...) -> destination.
template <auto F, Scc S = Scc::Keep> HandlerInfo scalar(uint8_t flags = 0) {
  return {scalarHandler<F, S>, scalarTypesOf(+F), flags};
}

} // namespace ds4::sim::DS4_SIM_ISA
