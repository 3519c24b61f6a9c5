// Whether a plan fits into a machine's memory, told before anything is read or allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/hip/Provider.h"
#include "runtime/plan/Plan.h"

namespace ds4 {

// What a plan takes of the device, in bytes, with its drafter if it has one.
struct Need {
  uint64_t weights = 0, state = 0, scratch = 0;
  uint64_t statePerPosition = 0; // of `state`, what each position of the context adds
  int64_t context = 0;

  uint64_t total() const { return weights + state + scratch; }
  static Need of(const Plan &plan, bool prefills = true); // prefills: its prefill function is loaded, too
};

// What there is.
struct Have {
  uint64_t deviceFree = 0, deviceTotal = 0; // as HIP reports them
  // Where the device's memory is, or may be, the machine's: how much of `deviceFree` is set aside for the device alone
  // (a carve-out); the rest comes out of `hostAvailable`. Nothing: the device has memory of its own.
  std::optional<uint64_t> ownFree;
  uint64_t hostAvailable = 0; // MemAvailable

  static Have of(const hip::Provider &provider);
  // What can be had for the device.
  uint64_t usable() const;
};

// One line on what is missing, with the largest context that fits; nothing when all fits.
std::optional<std::string> misfit(const Need &need, const Have &have);

// Throws ds4::Error (Environment) with that line.
void checkFit(const Plan &plan, const hip::Provider &provider, bool prefills = true);

} // namespace ds4
