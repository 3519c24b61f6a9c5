// The instruction families. Each file in this folder holds one or two of them and is compiled twice, with
// DS4_SIM_ISA = avx2 and = avx512; Families.cpp registers all of them.
//
// These sources stay clear of standard containers, strings and streams: a shared inline function compiled for AVX-512
// could otherwise be the one the linker keeps for the whole program.
#pragma once

#include "runtime/providers/simulator/Instruction.h"

namespace ds4::sim::DS4_SIM_ISA {

void registerValuFloat(HandlerTable &table);
void registerValuHalf(HandlerTable &table);
void registerValuInteger(HandlerTable &table);
void registerValuConvert(HandlerTable &table);
void registerValuCarry(HandlerTable &table);
void registerDivision(HandlerTable &table);
void registerDouble(HandlerTable &table);
void registerCompare(HandlerTable &table);
void registerCrossLane(HandlerTable &table);
void registerPacked(HandlerTable &table);
void registerDot(HandlerTable &table);
void registerWmma(HandlerTable &table);
void registerVopd(HandlerTable &table);
void registerSalu(HandlerTable &table);
void registerSaluFloat(HandlerTable &table);
void registerControl(HandlerTable &table);
void registerScalarMemory(HandlerTable &table);
void registerGlobalMemory(HandlerTable &table);
void registerFlatMemory(HandlerTable &table);
void registerScratchMemory(HandlerTable &table);
void registerLds(HandlerTable &table);
void registerAtomics(HandlerTable &table);

} // namespace ds4::sim::DS4_SIM_ISA
