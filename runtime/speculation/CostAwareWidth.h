// The width of most expected tokens a millisecond.
//
// Expected tokens of w rows: 1 + s1 + s1 s2 + ... + s1..s(w-1), where s_i is the chance that draft i holds given those before:
// the drafter's confidence times a calibration learnt on the way, or the average of what held in that place. The cost of w
// rows is the average time of such steps; widths not yet seen cost their prior share of those that were.
#pragma once

#include <array>

#include "runtime/speculation/WidthControl.h"

namespace ds4 {

class CostAwareWidth : public WidthControl {
public:
  static constexpr int kGreatest = 8;
  static constexpr int kWarmUpRounds = 4, kWarmUpWidth = 3; // a few rounds of fixed width before anything is believed
  static constexpr double kSurvivalPrior = 0.75, kSurvivalAlpha = 0.2, kSurvivalFloor = 0.05;
  static constexpr double kCalibrationAlpha = 0.1, kCalibrationLeast = 0.25, kCalibrationGreatest = 1.5;
  static constexpr double kCostAlpha = 0.2;
  static constexpr double kExplorationMargin = 0.03; // among widths this close to the best, the widest: it teaches most
  // Relative cost of 1 to 8 rows before any was measured: 2 to 5 as others measured them on gfx1151, the rest continued.
  static constexpr std::array<double, kGreatest> kCostPrior{60, 75, 100, 122, 123, 146, 169, 192};

  explicit CostAwareWidth(int greatest);
  int wanted(int most) override;
  int rows(const Draft &draft) override;
  void observe(const Draft &draft, int accepted, int offered, double milliseconds) override;

  // The chance that draft `i` (0 is the first) holds, given that those before did.
  double survival(const Draft &draft, size_t i) const;
  // Milliseconds, or prior units while nothing was measured.
  double cost(int rows) const;

private:
  int best(const Draft &draft, int most) const;

  int greatest_, rounds_ = 0;
  std::array<double, kGreatest> survival_;
  double calibration_ = 1;
  std::array<double, kGreatest> cost_{}; // 0: not measured
  double millisecondsPerPrior_ = 0;      // of all measured widths; 0: none
};

} // namespace ds4
