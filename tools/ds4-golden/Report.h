// The outcome of a comparison: one row a quantity, with the limit that it must keep.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace ds4::golden {

class Report {
public:
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity(); // a value for information

  struct Row {
    std::string subject;  // case or step: "text_63"
    std::string quantity; // "blk.3.streams, relative RMS"
    double value = 0, limit = kNoLimit;
    // NaN is out of tolerance.
    bool holds() const { return value <= limit; }
  };

  void add(std::string subject, std::string quantity, double value, double limit = kNoLimit);
  const std::vector<Row> &rows() const { return rows_; }
  int64_t failures() const;
  bool passed() const { return failures() == 0; }
  // A table on stdout, closed by one line with the number of values and of those out of tolerance.
  void print() const;
  // {"passed": ..., "rows": [{"subject", "quantity", "value", "limit" (absent without one), "holds"}]}
  nlohmann::json toJson() const;

private:
  std::vector<Row> rows_;
};

} // namespace ds4::golden
