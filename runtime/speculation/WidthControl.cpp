#include "runtime/speculation/WidthControl.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "runtime/speculation/CostAwareWidth.h"
#include "support/Error.h"

namespace ds4 {

namespace {

int allRows(const Draft &draft) { return 1 + static_cast<int>(draft.tokens.size()); }

} // namespace

int FixedWidth::wanted(int most) { return std::min(width_, most); }
int FixedWidth::rows(const Draft &draft) { return std::min(width_, allRows(draft)); }

int AcceptanceFeedback::wanted(int most) {
  return std::min(most, std::clamp(static_cast<int>(std::lround(estimate_)) + 1, kLeast, greatest_));
}
int AcceptanceFeedback::rows(const Draft &draft) { return std::min(allRows(draft), wanted(greatest_)); }

void AcceptanceFeedback::observe(const Draft &, int accepted, int offered, double) {
  if (offered <= 1)
    return;
  if (accepted == offered)
    estimate_ = std::min<double>(greatest_ - 1, estimate_ + kProbe);
  else
    estimate_ = (1 - kAlpha) * estimate_ + kAlpha * (accepted - 1);
}

int ConfidencePolicy::wanted(int most) { return std::min(kGreatest, most); }

int ConfidencePolicy::rows(const Draft &draft) {
  const auto confidence = [&](size_t i) { return i < draft.confidence.size() ? double(draft.confidence[i]) : 0.0; };
  const double two = confidence(0) * confidence(1);
  const int rows = two * confidence(2) >= kFourthRow ? 4 : two >= kThirdRow ? 3 : 2;
  return std::min(rows, allRows(draft));
}

std::unique_ptr<WidthControl> makeWidthControl(const std::string &name, int greatest, bool confidences) {
  if (name == "confidence" || (name == "auto" && confidences))
    return std::make_unique<ConfidencePolicy>();
  if (name == "feedback" || name == "auto")
    return std::make_unique<AcceptanceFeedback>(std::max(greatest, AcceptanceFeedback::kLeast));
  if (name == "cost")
    return std::make_unique<CostAwareWidth>(greatest);
  int width = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), width);
  if (error != std::errc() || end != name.data() + name.size() || width < 1 || width > greatest)
    userError("--width {}: write auto, feedback, confidence, cost or a number from 1 to {}", name, greatest);
  return std::make_unique<FixedWidth>(width);
}

} // namespace ds4
