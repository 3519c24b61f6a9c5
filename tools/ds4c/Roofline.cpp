#include "tools/ds4c/Roofline.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "support/Error.h"

namespace ds4 {

namespace {

// Published arithmetic for DeepSeek-V4-Flash, gigabytes a token at a position near 32,768: the two-bit mix of the ds4 engine, and
// the ROCmFPX MIX file, of which some types are not published.
struct Published {
  TrafficPart part;
  double twoBit, mixLow, mixHigh;
};
constexpr Published kPublished[] = {
    {TrafficPart::Attention, 4.886, 2.443, 2.443},     {TrafficPart::Compressors, 0.520, 0.138, 0.520},
    {TrafficPart::Indexer, 0.451, 0.120, 0.451},       {TrafficPart::HyperConnections, 0.068, 0.068, 0.068},
    {TrafficPart::Router, 0.090, 0.024, 0.090},        {TrafficPart::SharedExpert, 1.150, 0.575, 0.575},
    {TrafficPart::RoutedExperts, 1.826, 2.208, 2.208}, {TrafficPart::Head, 0.563, 0.281, 0.281},
};
constexpr double kPublishedRows = 0.066; // key-value rows and indexer keys

std::string range(double low, double high) {
  return low == high ? fmt::format("{:.3f}", low) : fmt::format("{:.3f} to {:.3f}", low, high);
}

void printRow(std::string_view name, double gigabytes, double share, const std::string &twoBit, const std::string &mix) {
  fmt::print("  {:<20} {:>8.4f} {:>6.1f} %  {:>12}  {:>16}\n", name, gigabytes, 100 * share, twoBit, mix);
}

} // namespace

bool isFlash(uint64_t blocks, int64_t width, int64_t experts) { return blocks == 43 && width == 4096 && experts == 256; }

StepTraffic stepTraffic(const Plan &plan, int64_t position) {
  if (plan.sizes.ratios.empty())
    userError("the plan does not tell the sizes that a token's bytes follow from: compile it again with this ds4c");
  TrafficSizes sizes{.expertsUsed = plan.sizes.expertsUsed,
                     .window = plan.sizes.window,
                     .indexerTopK = plan.sizes.indexerTopK,
                     .ratios = plan.sizes.ratios};
  for (const PlanState &state : plan.states) {
    if (state.kind == "window") {
      sizes.headWidth = static_cast<uint32_t>(state.cols);
      sizes.elementBytes = state.format == "f32" ? 4 : 2;
    } else if (state.kind == "indexer") {
      sizes.indexerWidth = static_cast<uint32_t>(state.cols);
    }
  }
  std::vector<TrafficWeight> weights;
  for (const PlanWeight &weight : plan.weights)
    weights.push_back({weight.name, weight.shape, weight.bytes});
  return stepTraffic(weights, sizes, position);
}

void printRoofline(const StepTraffic &traffic, bool isFlash) {
  fmt::print("\nbytes of the token at position {}, by arithmetic on shapes and formats\n", traffic.position);
  fmt::print("  {:<20} {:>8} {:>8}", "part", "GB", "share");
  fmt::print("{}\n", isFlash ? fmt::format("  {:>12}  {:>16}", "antirez q2 *", "ROCmFPX MIX *") : "");
  const auto total = static_cast<double>(traffic.total());
  for (int i = 0; i < kTrafficParts; ++i) {
    const auto part = static_cast<TrafficPart>(i);
    const auto *published = isFlash ? std::ranges::find(kPublished, part, &Published::part) : std::end(kPublished);
    std::string twoBit, mix;
    if (published != std::end(kPublished))
      twoBit = range(published->twoBit, published->twoBit), mix = range(published->mixLow, published->mixHigh);
    else if (isFlash && part == TrafficPart::Rows)
      twoBit = mix = range(kPublishedRows, kPublishedRows) + " with keys";
    const auto bytes = static_cast<double>(traffic.of(part));
    printRow(nameOf(part), bytes * 1e-9, bytes / total, twoBit, mix);
  }
  printRow("sum", total * 1e-9, 1, isFlash ? "9.62" : "", isFlash ? "5.92 to 6.70" : "");
  fmt::print("roofline, no measurement: {:.1f} tokens/s at {:.0f} GB/s (reachable), {:.1f} at {:.0f} GB/s (peak)\n",
             traffic.tokensPerSecond(kReachableBytesPerSecond), kReachableBytesPerSecond * 1e-9,
             traffic.tokensPerSecond(kPeakBytesPerSecond), kPeakBytesPerSecond * 1e-9);
  if (isFlash)
    fmt::print("* published arithmetic for these mixes at 32 K positions (docs/roofline.md): 22.9 and 32.8 to 37.1 tokens/s at 220 "
               "GB/s\n");
}

nlohmann::ordered_json toJson(const StepTraffic &traffic) {
  nlohmann::ordered_json out{{"position", traffic.position}, {"arithmetic", true}};
  for (int i = 0; i < kTrafficParts; ++i)
    out["bytes"][nameOf(static_cast<TrafficPart>(i))] = traffic.of(static_cast<TrafficPart>(i));
  out["total_bytes"] = traffic.total();
  out["tokens_per_second"] = {{"reachable_220_gb_s", traffic.tokensPerSecond(kReachableBytesPerSecond)},
                              {"peak_256_gb_s", traffic.tokensPerSecond(kPeakBytesPerSecond)}};
  return out;
}

} // namespace ds4
