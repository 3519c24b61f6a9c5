// What computes the steps of ds4-golden, and how the outcome is printed.
#pragma once

#include <string>

namespace ds4::golden {

struct RunOptions {
  std::string device = "auto"; // as hip::openProvider() takes it, or "reference"
  int width = 8;               // greatest tokens of a step
  bool json = false;
  std::string products = "fast"; // or "exact", of what is compiled
};

} // namespace ds4::golden
