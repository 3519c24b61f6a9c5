#include "codegen/bench/ExpertBench.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "codegen/bench/ProductWork.h"
#include "codegen/emitters/Emitters.h"
#include "models/formats/MixCodebooks.h"
#include "support/Half.h"
#include "support/Synthetic.h"

namespace ds4 {
namespace {

constexpr int kExperts = 8, kUsed = 6, kWide = 4096, kNarrow = 2048, kRouted = 256;
constexpr float kLimit = 10, kScale = 1.5f;

// Which experts the tokens chose, and what each slot weighs.
struct Choice {
  std::vector<int> ids;
  std::vector<float> weights;
  explicit Choice(int tokens) {
    for (int slot = 0; slot < tokens * kUsed; ++slot) {
      ids.push_back((slot / kUsed * 3 + slot % kUsed) % kExperts);
      weights.push_back(0.1f + 0.05f * static_cast<float>(slot % kUsed));
    }
  }
  double distinct() const { // bytes of an expert are counted once, however many tokens chose it
    std::vector<int> sorted = ids;
    std::ranges::sort(sorted);
    return static_cast<double>(std::ranges::unique(sorted).begin() - sorted.begin());
  }
};

std::vector<float> inputs(const char *name, int count) { return syntheticTensor(name, 0, static_cast<uint64_t>(count), {}); }

double bytesOf(const Format &format, int rows, int width) {
  return static_cast<double>(format.rowBytes(static_cast<uint64_t>(rows) * width));
}

ProductCost finish(ProductCost cost, int rows, int width, int tokens) {
  cost.kernel = "fast";
  cost.rows = rows;
  cost.width = width;
  cost.limit = productLimit(cost.format, /*routed=*/true, tokens);
  return cost;
}

ProductCost measureGateUp(const Format &format, int rows, int tokens) {
  const std::string name(format.name);
  const BenchMatrix gate(format, rows, kWide, kExperts);
  const std::vector<float> x = inputs("bench.x", tokens * kWide);
  const Choice choice(tokens);
  BenchWork work{
      name, 2.0 * tokens * kUsed * rows * kWide, 2 * choice.distinct() * bytesOf(format, rows, kWide) + x.size() * 4.0, {}};
  for (int slot = 0; slot < tokens * kUsed; ++slot)
    for (int row = 0; row < rows; ++row) { // the same matrix as gate and as up
      const double product = gate.product(choice.ids[slot], row, x.data() + static_cast<size_t>(slot / kUsed) * kWide);
      const double gated = std::min<double>(product, kLimit);
      work.expected.push_back(gated / (1 + std::exp(-gated)) * std::clamp<double>(product, -kLimit, kLimit));
    }
  const KernelSpec spec = emitExperts(
      MoeGateUpShape{.format = name, .experts = kExperts, .used = kUsed, .n = rows, .k = kWide, .limit = kLimit, .fast = true},
      tokens);
  BenchLaunch launch(spec, 0, tokens);
  launch.pass(x);
  launch.pass(choice.ids);
  launch.pass(choice.weights);
  launch.pass(gate.bytes);
  launch.pass(gate.bytes);
  const std::byte *result = launch.pass(std::vector<float>(work.expected.size()));
  return finish(costOf(spec, work, launch, result, tokens), rows, kWide, tokens);
}

ProductCost measureDown(const Format &format, int rows, int tokens) {
  const std::string name(format.name);
  const BenchMatrix down(format, rows, kNarrow, kExperts), shared(format, rows, kNarrow, 1);
  const std::vector<float> h = inputs("bench.h", tokens * kUsed * kNarrow), hs = inputs("bench.hs", tokens * kNarrow);
  const Choice choice(tokens);
  BenchWork work{name,
                 (kUsed + 1.0) * tokens * rows * kNarrow,
                 (choice.distinct() + 1) * bytesOf(format, rows, kNarrow) + (h.size() + hs.size()) * 4.0,
                 {}};
  for (int token = 0; token < tokens; ++token)
    for (int row = 0; row < rows; ++row) {
      double sum = shared.product(0, row, hs.data() + static_cast<size_t>(token) * kNarrow);
      for (int slot = token * kUsed; slot < (token + 1) * kUsed; ++slot)
        sum += choice.weights[slot] * down.product(choice.ids[slot], row, h.data() + static_cast<size_t>(slot) * kNarrow);
      work.expected.push_back(sum);
    }
  const KernelSpec spec = emitExperts(MoeDownShape{.format = name,
                                                   .sharedFormat = name,
                                                   .experts = kExperts,
                                                   .used = kUsed,
                                                   .n = rows,
                                                   .k = kNarrow,
                                                   .sharedK = kNarrow,
                                                   .fast = true},
                                      tokens);
  BenchLaunch launch(spec, 0, tokens);
  launch.pass(h);
  launch.pass(choice.ids);
  launch.pass(choice.weights);
  launch.pass(down.bytes);
  launch.pass(hs);
  launch.pass(shared.bytes);
  const std::byte *result = launch.pass(std::vector<float>(work.expected.size()));
  return finish(costOf(spec, work, launch, result, tokens), rows, kNarrow, tokens);
}

// The weights of the chosen experts of one token, best first.
std::vector<double> routingOf(const std::vector<float> &router, const float *x) {
  std::vector<double> p(kRouted);
  for (int expert = 0; expert < kRouted; ++expert) {
    double logit = 0;
    for (int i = 0; i < kWide; ++i)
      logit += static_cast<double>(router[static_cast<size_t>(expert) * kWide + i]) * x[i];
    p[expert] = std::sqrt(std::log1p(std::exp(logit)));
  }
  std::ranges::sort(p, std::greater());
  p.resize(kUsed);
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double &weight : p)
    weight *= kScale / sum;
  return p;
}

ProductCost measureRouterOf(const std::string &format, int tokens) {
  constexpr int kHidden = 64; // rows of the shared expert, whose workgroups are left out
  const std::vector<float> x = inputs("bench.x", tokens * kWide), drawn = inputs("bench.router", kRouted * kWide);
  const Format &encoding = *findFormatByName(format);
  std::vector<std::byte> router(encoding.rowBytes(drawn.size()));
  std::vector<float> values(drawn.size());
  encoding.encode(drawn, {}, router);
  encoding.decode(router, values);
  const BenchMatrix shared(*findFormatByName("rocmfp4_fast"), kHidden, kWide, 1);
  const std::vector<float> bias(kRouted);
  BenchWork work{format, double{kRouted} * kWide, router.size() + x.size() * 4.0 + bias.size() * 4.0, {}};
  for (int token = 0; token < tokens; ++token)
    std::ranges::copy(routingOf(values, x.data() + static_cast<size_t>(token) * kWide), std::back_inserter(work.expected));
  KernelSpec spec = emitKernel(MoeRouteShape{.routerFormat = format,
                                             .biasFormat = "f32",
                                             .format = "rocmfp4_fast",
                                             .experts = kRouted,
                                             .used = kUsed,
                                             .width = kWide,
                                             .hidden = kHidden,
                                             .scale = kScale,
                                             .limit = kLimit,
                                             .fast = true});
  spec.grid[0] = kRouted * 32 / spec.block / 2; // the router's workgroups come first, two rows a wave
  BenchLaunch launch(spec, 0, tokens);
  launch.pass(x);
  launch.pass(router);
  launch.pass(shared.bytes);
  launch.pass(shared.bytes);
  launch.pass(bias);
  launch.pass(std::vector<int>(static_cast<size_t>(tokens) * kUsed));
  const std::byte *result = launch.pass(std::vector<float>(work.expected.size()));
  launch.pass(std::vector<float>(static_cast<size_t>(tokens) * kHidden));
  launch.passScratch();
  ProductCost cost = costOfLaunch(spec, work, launch, result, tokens, {110e3, 110e3}, {390e3, 390e3});
  cost.rows = kRouted;
  cost.width = kWide;
  return cost;
}

} // namespace

void measureExperts(const Format &format, int rows, const std::vector<int> &tokens, std::vector<ProductCost> &costs) {
  if (isMix(format) || !fastColumns(format.name, kWide, 1) || !fastColumns(format.name, kNarrow, 1))
    return;
  for (int count : tokens) {
    costs.push_back(measureGateUp(format, rows, count));
    costs.push_back(measureDown(format, rows, count));
  }
}

void measureRouter(std::string_view chosen, const std::vector<int> &tokens, std::vector<ProductCost> &costs) {
  for (const char *format : {"f16", "f32"})
    if (chosen.empty() || chosen == format)
      for (int count : tokens)
        costs.push_back(measureRouterOf(format, count));
}

} // namespace ds4
