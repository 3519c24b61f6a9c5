// What a launch is predicted to take on a gfx1151: a model of three limits, not a measurement.
//
// Time = gap between launches + the longest of: bytes over the bus, instructions over all SIMDs, the longest wave alone.
// The bus: 220 GB/s, what tuned copies reach of the 256 GB/s that the memory has. Issue: 80 SIMDs at 2.9 GHz, one wave
// instruction a clock. The longest wave: 0.8 ns an instruction, dependent ones included. The gap is that of launches in a
// stream or graph, with the ramp and the drain of the bus. All four are planning figures for comparing plans with each other.
#pragma once

#include <algorithm>

namespace ds4 {

struct CostModel {
  double bytesPerSecond = 220e9;
  double instructionsPerSecond = 232e9;
  double secondsPerSerialInstruction = 0.8e-9;
  double gapSeconds = 4e-6;
  // Of a SIMD, for a product of two 16x16 tiles: 8,192 operations at 256 a clock. Counts in chunks of a prompt, which are made of
  // such products; the few of a decode step wait for the bus.
  double clocksOfTileProduct = 32;

  // Clocks that `instructions`, of which `tileProducts` are such products, keep a SIMD busy for.
  double busy(double instructions, double tileProducts) const { return instructions + (clocksOfTileProduct - 1) * tileProducts; }

  double seconds(double bytes, double instructions, double longestWave) const {
    return gapSeconds +
           std::max({bytes / bytesPerSecond, instructions / instructionsPerSecond, longestWave * secondsPerSerialInstruction});
  }
};

} // namespace ds4
