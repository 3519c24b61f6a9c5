// How many rows a verify step gets. Rows count the confirmed token, which is right for certain: a step of `rows` checks
// rows - 1 drafts. A control belongs to one request; the next one begins with a new control.
//
// What a width costs or gains never changes a token, only the time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/speculation/Drafter.h"

namespace ds4 {

class WidthControl {
public:
  virtual ~WidthControl() = default;
  // Rows worth drafting for, 1 to `most`.
  virtual int wanted(int most) = 0;
  // Of this draft, the rows to verify: 1 to 1 + its tokens.
  virtual int rows(const Draft &draft) = 0;
  // What a step of `offered` rows showed: the first `accepted` were right (1 to offered), and it took this long.
  virtual void observe(const Draft &draft, int accepted, int offered, double milliseconds) = 0;
};

// Always the same.
class FixedWidth : public WidthControl {
public:
  explicit FixedWidth(int width) : width_(width) {}
  int wanted(int most) override;
  int rows(const Draft &draft) override;
  void observe(const Draft &, int, int, double) override {}

private:
  int width_;
};

// Follows the number of drafts that were accepted, by an exponential average. It starts at two, goes back by the exact
// accepted prefix after a rejection, and probes one row more after full acceptance: that says "at least so many" (a censored
// observation), so it must not be averaged in. A step of one row says nothing.
class AcceptanceFeedback : public WidthControl {
public:
  static constexpr double kInitial = 2.0, kAlpha = 0.25, kProbe = 1.0;
  static constexpr int kLeast = 2;

  // `greatest` rows, 2 or more.
  explicit AcceptanceFeedback(int greatest) : greatest_(greatest) {}
  int wanted(int most) override;
  int rows(const Draft &draft) override;
  void observe(const Draft &draft, int accepted, int offered, double milliseconds) override;
  // Drafts that are expected to be right.
  double estimate() const { return estimate_; }

private:
  int greatest_;
  double estimate_ = kInitial;
};

// For drafters that know how sure they are, up to four rows: a third row where both first drafts are likely to hold
// together, a fourth where all three are. Drafts without confidence get two rows.
class ConfidencePolicy : public WidthControl {
public:
  static constexpr int kGreatest = 4;
  static constexpr double kThirdRow = 0.40, kFourthRow = 0.30; // least cumulative confidence
  int wanted(int most) override;
  int rows(const Draft &draft) override;
  void observe(const Draft &, int, int, double) override {}
};

// "auto", "feedback", "confidence", "cost" or a number of rows from 1 to `greatest`. `auto` takes the confidence policy for a
// drafter with confidences, feedback for others. Throws ds4::Error (User) for anything else.
std::unique_ptr<WidthControl> makeWidthControl(const std::string &name, int greatest, bool confidences);

} // namespace ds4
