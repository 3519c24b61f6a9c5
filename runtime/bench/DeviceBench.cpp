#include "runtime/bench/DeviceBench.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "runtime/plan/Places.h"

namespace ds4 {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kCopyBytes = size_t(1) << 30; // larger than any cache
constexpr int kCopies = 10;

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

double copyRate(const hip::Provider &provider) {
  hip::Stream stream(provider);
  hip::DeviceBuffer from(provider, kCopyBytes), to(provider, kCopyBytes);
  from.fill(1, stream.handle());
  hip::Event begin(provider), end(provider);
  to.copyFrom(from, 0, 0, kCopyBytes, stream.handle());
  begin.record(stream.handle());
  for (int i = 0; i < kCopies; ++i)
    to.copyFrom(from, 0, 0, kCopyBytes, stream.handle());
  end.record(stream.handle());
  end.synchronize();
  return 2.0 * kCopies * kCopyBytes / (end.millisecondsSince(begin) * 1e-3);
}

// Bytes of weights that a launch reads once for one token: of experts the `used` ones; of an embedding a row.
double weightBytesOf(const Plan &plan, const PlanLaunch &launch, int used) {
  double bytes = 0;
  for (const PlanArgument &argument : launch.arguments) {
    if (argument.kind != PlanArgument::Kind::Weight)
      continue;
    const PlanWeight &weight = plan.weights[argument.value];
    const double share = weight.shape.size() == 3  ? static_cast<double>(used) / static_cast<double>(weight.shape[0])
                         : launch.label == "embed" ? 1.0 / static_cast<double>(weight.shape[0])
                         : weight.format == "i32"  ? 0
                                                   : 1;
    bytes += share * static_cast<double>(weight.bytes);
  }
  return bytes;
}

} // namespace

DeviceTimes measureDevice(Executor &executor, int64_t pos, int q, int repeats) {
  constexpr int kUsedExperts = 6; // of every DeepSeek-V4 model
  const Plan &plan = executor.plan();
  const hip::Provider &provider = executor.provider();
  DeviceTimes times;
  times.copyBytesPerSecond = copyRate(provider);

  std::vector<int32_t> tokens(static_cast<size_t>(q));
  for (int i = 0; i < q; ++i)
    tokens[static_cast<size_t>(i)] = static_cast<int32_t>((100 + 7 * i) % plan.vocabulary);
  StepInput input{.pos = pos, .tokens = tokens};
  executor.step(input);

  std::vector<double> whole;
  for (int i = 0; i < repeats; ++i) {
    const auto start = Clock::now();
    executor.step(input);
    whole.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  times.stepSeconds = median(whole);

  // One event before every launch and one after the last; then an event before the first and one after the last.
  std::vector<hip::Event> marks;
  for (size_t i = 0; i <= plan.launches.size(); ++i)
    marks.emplace_back(provider);
  std::vector<size_t> order;
  std::vector<std::vector<double>> seconds(plan.launches.size());
  const auto timeSteps = [&](auto wants) {
    std::vector<double> sums;
    for (int i = 0; i < repeats; ++i) {
      order.clear();
      executor.setLaunchHook([&](size_t launch, hip::StreamHandle stream) {
        if (wants(launch))
          marks[order.size()].record(stream), order.push_back(launch);
      });
      executor.step(input);
      executor.setLaunchHook(nullptr);
      for (size_t k = 0; k + 1 < order.size(); ++k)
        if (order[k] < seconds.size())
          seconds[order[k]].push_back(marks[k + 1].millisecondsSince(marks[k]) * 1e-3);
      sums.push_back(marks[order.size() - 1].millisecondsSince(marks[0]) * 1e-3);
    }
    return median(sums);
  };
  const size_t end = plan.launches.size(); // the hook's last call
  const double marked = timeSteps([](size_t) { return true; });
  const std::vector<size_t> ran(order.begin(), order.end() - 1);
  const std::vector<std::vector<double>> each = seconds;
  times.launchSeconds = timeSteps([&](size_t launch) { return launch == ran.front() || launch == end; });
  times.launches = static_cast<int>(ran.size());
  // What the events themselves took, spread over all launches.
  const double perEvent = std::max(0.0, (marked - times.launchSeconds) / static_cast<double>(ran.size()));

  std::map<std::string, size_t> indices;
  for (size_t launch : ran) {
    const PlanLaunch &planned = plan.launches[launch];
    const std::string place = placeInLayer(planned.label);
    auto [index, fresh] = indices.try_emplace(place, times.places.size());
    if (fresh)
      times.places.push_back({.place = place, .kernel = plan.kernels[planned.at(pos, q).kernel].op});
    PlaceTime &sum = times.places[index->second];
    const double taken = std::max(0.0, median(each[launch]) - perEvent);
    sum.launches += 1;
    sum.seconds += taken;
    sum.weightBytes += weightBytesOf(plan, planned, kUsedExperts);
    times.kernelSeconds += taken;
    times.weightBytes += weightBytesOf(plan, planned, kUsedExperts);
  }
  return times;
}

} // namespace ds4
