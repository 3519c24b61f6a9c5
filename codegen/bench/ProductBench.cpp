#include "codegen/bench/ProductBench.h"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "codegen/bench/ExpertBench.h"
#include "codegen/bench/ProductWork.h"
#include "codegen/emitters/Emitters.h"
#include "support/Error.h"
#include "support/Half.h"
#include "support/Synthetic.h"

namespace ds4 {
namespace {

constexpr int kWidth = 4096, kExperts = 4;

struct FormatLimits {
  std::string_view format;
  ProductLimit one, four; // tokens
  double eight;           // a limit of our own
};
constexpr FormatLimits kLimits[] = {
    {"rocmfp4_fast", {105, 88}, {165, 145}, 287},
    {"rocmfp4", {108, 90}, {165, 145}, 267},
    {"q8_0", {90, 65}, {150, 130}, 277},
    {"rocmfp2", {70, 56}, {145, 122}, 290},
    {"rocmfp3", {108, 88}, {165, 142}, 283},
    {"rocmfp2_mix", {108, 90}, {180, 155}, 314},
    {"rocmfp3_mix", {140, 112}, {200, 172}, 347},
    // Of our own, from the first good version: no stretch.
    {"q4_k", {85, 85}, {150, 150}, 300},
    {"q5_k", {140, 140}, {205, 205}, 368},
    {"q6_k", {132, 132}, {322, 322}, 343},
    {"q2_k", {85, 85}, {152, 152}, 304},
    {"q4_0", {78, 78}, {140, 140}, 261},
    {"mxfp4", {108, 108}, {170, 170}, 290},
    {"rocmfp8", {112, 112}, {195, 195}, 277},
    {"rocmfp6", {150, 150}, {220, 220}, 354},
    {"q3_k", {138, 138}, {205, 205}, 342},
    {"iq2_xxs", {89, 89}, {145, 145}, 290},
    {"iq3_xxs", {105, 105}, {176, 176}, 331},
    {"iq4_xs", {140, 140}, {193, 193}, 354},
};

} // namespace

std::optional<ProductLimit> productLimit(std::string_view format, bool routed, int tokens) {
  const double allowance = routed ? 1.15 : 1; // an expert has no other columns to share its weights with
  for (const FormatLimits &limits : kLimits)
    if (limits.format == format && (tokens == 1 || tokens == 4 || tokens == 8)) {
      const ProductLimit eight{limits.eight, limits.eight};
      const ProductLimit &limit = tokens == 1 || routed ? limits.one : tokens == 4 ? limits.four : eight;
      return ProductLimit{limit.limit * allowance, limit.stretch * allowance};
    }
  return std::nullopt;
}

namespace {

// One slot a token: token t takes expert t mod kExperts.
ProductCost measure(const std::string &format, const BenchMatrix &matrix, const KernelSpec &spec, int tokens, bool routed) {
  const std::vector<float> x = syntheticTensor("bench.x", 0, static_cast<uint64_t>(tokens) * kWidth, {});
  std::vector<int> ids(tokens);
  for (int token = 0; token < tokens; ++token)
    ids[token] = routed ? token % kExperts : 0;

  const int matrices = routed ? tokens : 1, distinct = std::min(matrices, kExperts);
  BenchWork work{format,
                 static_cast<double>(matrices) * matrix.rows * kWidth,
                 static_cast<double>(findFormatByName(format)->rowBytes(static_cast<uint64_t>(matrix.rows) * kWidth)) * distinct +
                     x.size() * 4.0,
                 {}};
  for (int token = 0; token < tokens; ++token)
    for (int row = 0; row < matrix.rows; ++row)
      work.expected.push_back(matrix.product(ids[token], row, x.data() + static_cast<size_t>(token) * kWidth));

  BenchLaunch launch(spec, 0, tokens);
  launch.pass(x);
  if (routed)
    launch.pass(ids);
  launch.pass(matrix.bytes);
  const std::byte *result = launch.pass(std::vector<float>(work.expected.size()));
  ProductCost cost = costOf(spec, work, launch, result, tokens);
  cost.rows = matrix.rows;
  cost.width = kWidth;
  return cost;
}

// The projection to the coefficients of hyper-connections, which also divides by the root mean square of its input.
ProductCost measureProjection(int tokens) {
  constexpr int kProjected = 24, kColumns = 4 * kWidth;
  constexpr float kEps = 1e-6f;
  const std::vector<float> x = syntheticTensor("bench.x", 0, static_cast<uint64_t>(tokens) * kColumns, {});
  const std::vector<float> drawn = syntheticTensor("bench.w", 0, uint64_t{kProjected} * kColumns, {});
  std::vector<uint16_t> w(drawn.size());
  std::ranges::transform(drawn, w.begin(), floatToHalf);
  const std::vector<float> base(kProjected), scale(3, 1.0f);
  BenchWork work{"f16", double{kProjected} * kColumns, w.size() * 2.0 + x.size() * 4.0 + (base.size() + scale.size()) * 4.0, {}};
  for (int token = 0; token < tokens; ++token) {
    const float *z = x.data() + static_cast<size_t>(token) * kColumns;
    double squares = 0;
    for (int i = 0; i < kColumns; ++i)
      squares += static_cast<double>(z[i]) * z[i];
    for (int row = 0; row < kProjected; ++row) {
      double sum = 0;
      for (int i = 0; i < kColumns; ++i)
        sum += static_cast<double>(halfToFloat(w[static_cast<size_t>(row) * kColumns + i])) * z[i];
      work.expected.push_back(sum / std::sqrt(squares / kColumns + kEps));
    }
  }
  const KernelSpec spec = emitKernel(HcCoefficientsShape{.fnFormat = "f16", .width = kWidth, .eps = kEps});
  BenchLaunch launch(spec, 0, tokens);
  launch.pass(x);
  launch.pass(w);
  launch.pass(base);
  launch.pass(scale);
  const std::byte *result = launch.pass(std::vector<float>(work.expected.size()));
  launch.passScratch();
  ProductCost cost = costOfLaunch(spec, work, launch, result, tokens, {45e3, 32e3}, {92e3, 78e3});
  cost.rows = kProjected;
  cost.width = kColumns;
  return cost;
}

// All but that of tables.
bool hasProducts(const Format &format) { return format.id != WeightFormat::I32; }

std::vector<std::string_view> namesOfProducts() {
  std::vector<std::string_view> names;
  for (const Format *format : formats())
    if (hasProducts(*format))
      names.push_back(format->name);
  return names;
}

} // namespace

std::vector<ProductCost> measureProducts(const ProductSelection &selection) {
  std::vector<ProductCost> costs;
  const std::string &chosen = selection.format;
  for (const Format *format : formats()) {
    const std::string name(format->name);
    if ((!chosen.empty() && name != chosen) || !hasProducts(*format))
      continue;
    const int rows = selection.rows;
    const BenchMatrix dense(*format, rows, kWidth, 1), experts(*format, rows, kWidth, selection.experts ? kExperts : 1);
    for (int tokens : selection.tokens) {
      auto add = [&](const KernelSpec &spec, bool routed, bool fast) {
        costs.push_back(measure(name, routed ? experts : dense, spec, tokens, routed));
        costs.back().kernel = fast ? "fast" : "exact";
        if (fast)
          costs.back().limit = productLimit(name, routed, tokens);
      };
      const int columns = fastColumns(name, kWidth, tokens);
      if (selection.exact) {
        add(emitKernel(LinearShape{name, rows, kWidth}), false, false);
        if (selection.experts)
          add(emitKernel(ExpertLinearShape{name, kExperts, 1, rows, kWidth}), true, false);
      }
      if (columns) {
        add(emitKernel(LinearShape{name, rows, kWidth, columns}), false, true);
        if (selection.experts)
          add(emitKernel(ExpertLinearShape{name, kExperts, 1, rows, kWidth, false, true}), true, true);
      }
    }
    if (selection.experts)
      measureExperts(*format, rows, selection.tokens, costs);
  }
  if (selection.experts && (chosen.empty() || chosen == "f16" || chosen == "f32"))
    measureRouter(chosen, selection.tokens, costs);
  if (chosen.empty() || chosen == "f16")
    for (int tokens : selection.tokens)
      costs.push_back(measureProjection(tokens));
  if (costs.empty())
    userError("no product kernel reads format '{}': choose one of {}", chosen, fmt::join(namesOfProducts(), ", "));
  return costs;
}

} // namespace ds4
