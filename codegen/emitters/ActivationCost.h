// What it costs to bring the activations of a fast product to half precision: in each workgroup that reads them, or once where
// they are made, by a to_half behind the norm.
//
// Wave instructions of one token, counted by the simulator (to_half_test holds them). An instruction of readers is one of many that
// are spread over all SIMDs; one of the producer is serial, behind the last workgroup of its launch, and nothing hides it.
#pragma once

namespace ds4 {

// A product that reads the activations: its workgroups for one token, and their waves.
struct ActivationReader {
  int workgroups = 0, waves = 0;
};

struct ActivationCost {
  // Of a wave of a reader, which converts its part of the columns: 72 to 97, more for short rows.
  static constexpr double kWave = 80;
  // Of a wave of the to_half: in all, and a run of four values.
  static constexpr double kTail = 9, kRun = 30;
  // Spread instructions that take as long as a serial one: 80 SIMDs x 2.9 GHz x 0.8 ns (compiler/bench/CostModel.h).
  static constexpr double kSpread = 186;

  // What a reader saves when it reads halves.
  static double saved(const ActivationReader &reader) { return reader.workgroups * reader.waves * kWave; }
  // The longest wave of a to_half of k values by `waves` waves.
  static double serial(int k, int waves) { return kTail + kRun * ((k + 128 * waves - 1) / (128 * waves)); }
};

} // namespace ds4
