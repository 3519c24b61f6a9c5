#include "tools/ds4-golden/DraftCheck.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ds4::golden {
namespace {

constexpr double kLimit = 1e-3;    // of the largest value, or of a confidence
constexpr double kDraftGap = 2e-3; // a closer decision may fall otherwise

double largest(std::span<const float> values) {
  double most = 0;
  for (float value : values)
    most = std::max(most, std::abs(double(value)));
  return most;
}

double relativeToLargest(std::span<const float> actual, std::span<const float> expected) {
  return greatestDifference(actual, expected) / largest(expected);
}

class AnchorCheck {
public:
  AnchorCheck(StepRunner &target, StepRunner &draft, const DrafterDescription &drafter, const DraftAnchor &expected,
              std::string subject, Report &report)
      : target_(target), draft_(draft), drafter_(drafter), expected_(expected), subject_(std::move(subject)), report_(report) {}

  // The target's last step had `width` tokens and ended at the anchor.
  void run(int64_t width) {
    compare("taps", partOfToken(target_.output("dspark.taps"), width - 1, width), expected_.taps);
    compare("m", partOfToken(target_.output("dspark.m"), width - 1, width), expected_.m);
    carryRings();
    std::vector<int32_t> block(drafter_.blockSize, static_cast<int32_t>(drafter_.noiseToken));
    block[0] = expected_.confirmed;
    draft_.step(block, expected_.position + 1, true);
    compare("x", draft_.output("x"), expected_.x);
    compareLogits();
    compareDrafts();
    compareStages();
  }

private:
  void add(const std::string &quantity, double value, double limit = kLimit) { report_.add(subject_, quantity, value, limit); }
  void compare(const std::string &what, std::span<const float> actual, std::span<const float> expected) {
    add(what + ", relative to the largest", relativeToLargest(actual, expected));
  }
  std::string ring(size_t stage) const { return fmt::format("{}blk.{}.window", prefixOf(DrafterKind::Dspark), stage); }

  void carryRings() {
    const size_t stages = drafter_.blocks.blocks, channels = expected_.ringRow.size() / stages;
    for (size_t stage = 0; stage < stages; ++stage) {
      const int64_t rows = target_.stateRows(ring(stage));
      compare(fmt::format("ring row of stage {}", stage), target_.readState(ring(stage), expected_.position % rows, 1),
              std::span(expected_.ringRow).subspan(stage * channels, channels));
      draft_.writeState(ring(stage), 0, target_.readState(ring(stage), 0, rows));
    }
  }

  void compareLogits() {
    const std::vector<float> logits = draft_.output("logits");
    double worst = 0, worstSum = 0;
    for (size_t slot = 0; slot < expected_.slots.size(); ++slot) {
      const TopLogits &top = expected_.slots[slot];
      const std::span<const float> own =
          partOfToken(logits, static_cast<int64_t>(slot), static_cast<int64_t>(expected_.slots.size()));
      for (size_t i = 0; i < top.ids.size(); ++i)
        worst = std::max(worst, std::abs(double(own[static_cast<size_t>(top.ids[i])]) - top.logits[i]) / largest(top.logits));
      worstSum = std::max(worstSum, std::abs(logSumExp(own) - top.logSumExp));
    }
    add("logits, relative to the largest", worst);
    add("log-sum-exp", worstSum);
  }

  // Up to the first draft that differs: the rest of the chain follows from it.
  void compareDrafts() {
    const std::vector<int32_t> drafts = draft_.outputIds("drafts");
    const std::vector<float> raw = draft_.output("confidence");
    for (size_t slot = 0; slot < drafts.size(); ++slot) {
      const double confidence = 1 / (1 + std::exp(-double(raw[slot])));
      add(fmt::format("confidence of slot {}", slot), std::abs(confidence - expected_.confidence[slot]));
      add(fmt::format("confidence of slot {}, raw", slot),
          std::abs(raw[slot] - expected_.confidenceRaw[slot]) / std::max(1.0, std::abs(expected_.confidenceRaw[slot])));
      if (drafts[slot] == expected_.drafts[slot])
        continue;
      add(fmt::format("gap of draft {}, which is {} instead of {}", slot, drafts[slot], expected_.drafts[slot]),
          expected_.draftGaps[slot], kDraftGap);
      return;
    }
  }

  // [slot * experts]: 0 for those that a slot does not choose; the order of the choice is nobody's business.
  std::vector<float> weightOfExperts(std::span<const int32_t> ids, std::span<const float> weights) const {
    const size_t used = drafter_.blocks.expertsUsed, experts = drafter_.blocks.experts;
    std::vector<float> all(ids.size() / used * experts);
    for (size_t i = 0; i < ids.size(); ++i)
      all[i / used * experts + static_cast<size_t>(ids[i])] = weights[i];
    return all;
  }

  void compareStages() {
    for (size_t stage = 0; stage < expected_.routerIds.size(); ++stage) {
      const std::string path = fmt::format("{}blk.{}.", prefixOf(DrafterKind::Dspark), stage);
      compare(path + "streams", draft_.output(path + "streams"), expected_.streamsAfterStage[stage]);
      compare(path + "router weights",
              weightOfExperts(draft_.outputIds(path + "router.ids"), draft_.output(path + "router.weights")),
              weightOfExperts(expected_.routerIds[stage], expected_.routerWeights[stage]));
    }
  }

  StepRunner &target_, &draft_;
  const DrafterDescription &drafter_;
  const DraftAnchor &expected_;
  std::string subject_;
  Report &report_;
};

} // namespace

void checkDrafter(StepRunner &target, StepRunner &draft, const DrafterDescription &drafter, const std::vector<DraftCase> &cases,
                  const DraftCheckOptions &options, Report &report) {
  const int64_t most = std::min(options.width, target.maxWidth());
  for (const DraftCase &entry : cases) {
    if (options.onCase)
      options.onCase(entry);
    target.reset();
    int64_t done = 0;
    for (const DraftAnchor &anchor : entry.anchors) {
      int64_t width = 0;
      for (; done <= anchor.position; done += width) {
        width = std::min(most, anchor.position + 1 - done);
        target.step(std::span(entry.tokens).subspan(static_cast<size_t>(done), static_cast<size_t>(width)), done, true);
      }
      AnchorCheck(target, draft, drafter, anchor, fmt::format("{}.p{}", entry.name, anchor.position), report).run(width);
    }
  }
}

} // namespace ds4::golden
