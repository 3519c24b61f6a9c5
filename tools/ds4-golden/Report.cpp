#include "tools/ds4-golden/Report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ds4::golden {

void Report::add(std::string subject, std::string quantity, double value, double limit) {
  rows_.push_back({std::move(subject), std::move(quantity), value, limit});
}

int64_t Report::failures() const {
  return std::ranges::count_if(rows_, [](const Row &row) { return !row.holds(); });
}

void Report::print() const {
  for (const Row &row : rows_) {
    std::string verdict =
        std::isinf(row.limit) ? "" : fmt::format("<= {:<8.3g} {}", row.limit, row.holds() ? "ok" : "OUT OF TOLERANCE");
    fmt::print("{:<14} {:<44} {:>11.4g}  {}\n", row.subject, row.quantity, row.value, verdict);
  }
  fmt::print("{} values compared, {} out of tolerance\n", rows_.size(), failures());
}

nlohmann::json Report::toJson() const {
  nlohmann::json rows = nlohmann::json::array();
  for (const Row &row : rows_) {
    nlohmann::json entry{{"subject", row.subject}, {"quantity", row.quantity}, {"value", row.value}, {"holds", row.holds()}};
    if (!std::isinf(row.limit))
      entry["limit"] = row.limit;
    rows.push_back(std::move(entry));
  }
  return {{"passed", passed()}, {"rows", std::move(rows)}};
}

} // namespace ds4::golden
