#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tools/ds4-golden/Report.h"

using ds4::golden::Report;

TEST(Report, PassesWhileAllLimitsHold) {
  Report report;
  report.add("case", "error", 1e-4, 1e-4);
  report.add("case", "for information", 5);
  EXPECT_TRUE(report.passed());
  report.add("case", "error", 2e-4, 1e-4);
  EXPECT_EQ(report.failures(), 1);
}

TEST(Report, NanIsOutOfTolerance) {
  Report report;
  report.add("case", "error", NAN, 1);
  report.add("case", "for information", NAN);
  EXPECT_EQ(report.failures(), 2);
}

TEST(Report, JsonHasEveryRow) {
  Report report;
  report.add("text_1", "logits", 3, 2);
  report.add("text_1", "mean", 0.5);
  nlohmann::json expected = nlohmann::json::parse(R"({"passed": false, "rows": [
    {"subject": "text_1", "quantity": "logits", "value": 3.0, "limit": 2.0, "holds": false},
    {"subject": "text_1", "quantity": "mean", "value": 0.5, "holds": true}]})");
  EXPECT_EQ(report.toJson(), expected);
}

TEST(Report, PrintsVerdictsAndACount) {
  Report report;
  report.add("text_1", "logits", 3, 2);
  report.add("text_2", "logits", 1, 2);
  testing::internal::CaptureStdout();
  report.print();
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_THAT(text, testing::ContainsRegex("text_1 +logits +3 +<= 2 +OUT OF TOLERANCE\n"));
  EXPECT_THAT(text, testing::ContainsRegex("text_2 +logits +1 +<= 2 +ok\n"));
  EXPECT_THAT(text, testing::EndsWith("2 values compared, 1 out of tolerance\n"));
}
