#include "runtime/providers/simulator/Validity.h"
namespace ds4::sim {
void Validity::start(uint32_t vgprs) {}
void Validity::setInputs(const Wave &wave) {}
void Validity::run(Wave &wave, const Instruction &in) { in.run(wave, in); }
} // namespace ds4::sim
