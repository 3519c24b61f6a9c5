#include "runtime/speculation/CostAwareWidth.h"

#include <algorithm>

namespace ds4 {

namespace {

void average(double &mean, double value, double alpha) { mean += alpha * (value - mean); }
// The same where the first value is taken whole.
void averageFromFirst(double &mean, double value, double alpha) {
  if (mean == 0)
    mean = value;
  average(mean, value, alpha);
}

} // namespace

CostAwareWidth::CostAwareWidth(int greatest) : greatest_(std::min(greatest, kGreatest)) { survival_.fill(kSurvivalPrior); }

double CostAwareWidth::survival(const Draft &draft, size_t i) const {
  const double chance = i < draft.confidence.size() ? calibration_ * draft.confidence[i] : survival_[i];
  return std::clamp(chance, kSurvivalFloor, 1.0);
}

double CostAwareWidth::cost(int rows) const {
  const size_t at = static_cast<size_t>(rows) - 1;
  if (cost_[at] > 0)
    return cost_[at];
  return kCostPrior[at] * (millisecondsPerPrior_ > 0 ? millisecondsPerPrior_ : 1);
}

int CostAwareWidth::best(const Draft &draft, int most) const {
  std::array<double, kGreatest> gain{};
  double expected = 1, reached = 1;
  for (int rows = 1; rows <= most; ++rows) {
    gain[static_cast<size_t>(rows) - 1] = expected / cost(rows);
    expected += reached *= survival(draft, static_cast<size_t>(rows) - 1);
  }
  const double enough = *std::ranges::max_element(gain) * (1 - kExplorationMargin);
  return static_cast<int>(std::find_if(gain.rbegin(), gain.rend(), [&](double g) { return g >= enough; }).base() - gain.begin());
}

int CostAwareWidth::wanted(int most) {
  most = std::min(most, greatest_);
  return rounds_ < kWarmUpRounds ? std::min(kWarmUpWidth, most) : best({}, most);
}

int CostAwareWidth::rows(const Draft &draft) {
  const int most = std::min(1 + static_cast<int>(draft.tokens.size()), greatest_);
  return rounds_ < kWarmUpRounds ? std::min(kWarmUpWidth, most) : best(draft, most);
}

void CostAwareWidth::observe(const Draft &draft, int accepted, int offered, double milliseconds) {
  ++rounds_;
  for (int i = 0; i < std::min(accepted, offered - 1); ++i) { // drafts behind the first rejected one were not reached
    const double held = i < accepted - 1;
    const size_t at = static_cast<size_t>(i);
    average(survival_[at], held, kSurvivalAlpha);
    if (at < draft.confidence.size() && draft.confidence[at] > 0)
      average(calibration_, held / draft.confidence[at], kCalibrationAlpha);
  }
  calibration_ = std::clamp(calibration_, kCalibrationLeast, kCalibrationGreatest);
  if (milliseconds <= 0)
    return;
  const size_t at = static_cast<size_t>(offered) - 1;
  averageFromFirst(cost_[at], milliseconds, kCostAlpha);
  averageFromFirst(millisecondsPerPrior_, milliseconds / kCostPrior[at], kCostAlpha);
}

} // namespace ds4
