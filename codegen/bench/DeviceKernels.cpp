#include "codegen/bench/DeviceKernels.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>

#include <fmt/format.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/kernels/scratch.h"
#include "codegen/kernels/step.h"
#include "models/synth/Generator.h"
#include "runtime/hip/DeviceObjects.h"
#include "runtime/hip/RtcClient.h"
#include "support/Error.h"
#include "support/Half.h"

namespace ds4 {
namespace {

constexpr int kWidth = 4096, kHidden = 2048, kExperts = 256, kUsed = 6, kHeads = 64, kHeadWidth = 512, kPicks = 512;
constexpr int kLaunches = 64; // rounds of a run
constexpr double kAmplitude = 0.04;

// One launch of a chain; its arguments in each of the rounds.
struct Timed {
  const KernelSpec *spec;
  hip::FunctionHandle function;
  std::vector<std::vector<const std::byte *>> rounds;
};

class KernelBench {
public:
  KernelBench(const hip::Provider &provider, int runs)
      : provider_(provider), runs_(runs), rtc_(provider.table.library), stream_(provider) {}

  hip::FunctionHandle load(const KernelSpec &spec) {
    hip::RtcJob job{spec.symbol, provider_.architecture, spec.source, {}, {"-O3", "-std=c++17"}};
    for (const HeaderText &header : kernelHeaders())
      job.headers.emplace_back(header.name, header.text);
    return modules_.emplace_back(provider_, rtc_.compile(job), spec.symbol).function(spec.symbol);
  }

  const std::byte *keep(std::span<const std::byte> bytes) {
    hip::DeviceBuffer &buffer = buffers_.emplace_back(provider_, bytes.size());
    buffer.upload(bytes);
    return buffer.data();
  }
  template <typename T> const std::byte *keep(const std::vector<T> &values) { return keep(std::as_bytes(std::span(values))); }
  const std::byte *room(size_t bytes) {
    hip::DeviceBuffer &buffer = buffers_.emplace_back(provider_, bytes);
    buffer.fill(0, stream_.handle());
    return buffer.data();
  }
  const std::byte *floats(size_t count) { return keep(syntheticTensor("bench.x", 0, count, {})); }
  const std::byte *halves(size_t count) {
    const std::vector<float> values = syntheticTensor("bench.w", 0, count, {.amplitude = kAmplitude});
    std::vector<uint16_t> bits(count);
    std::ranges::transform(values, bits.begin(), floatToHalf);
    return keep(bits);
  }
  const std::byte *step(int q) {
    Step step{};
    step.pos = 32767;
    step.q = q;
    return keep(std::as_bytes(std::span(&step, 1)));
  }
  // `copies` matrices of generated weights, one below the other.
  const std::byte *weights(std::string_view name, size_t count, size_t copies) {
    const Format &format = *findFormatByName(name);
    const std::vector<std::byte> pool = makePool(format, kAmplitude, 1);
    const size_t each = format.rowBytes(count), all = each * copies;
    hip::DeviceBuffer &buffer = buffers_.emplace_back(provider_, all);
    for (size_t at = 0; at < all; at += pool.size())
      buffer.upload(std::span(pool).first(std::min(pool.size(), all - at)), at);
    return buffer.data();
  }

  // Microseconds of the chain: the median over the runs, of kLaunches rounds each.
  double time(std::span<const Timed> chain, int q) {
    std::vector<double> runs;
    for (int run = 0; run <= runs_; ++run) {
      hip::Event begin(provider_), end(provider_);
      begin.record(stream_.handle());
      for (int i = 0; i < kLaunches; ++i)
        for (const Timed &timed : chain)
          launch(timed, i, q);
      end.record(stream_.handle());
      end.synchronize();
      if (run > 0) // the first warms up
        runs.push_back(end.millisecondsSince(begin) * 1e3 / kLaunches);
    }
    std::ranges::nth_element(runs, runs.begin() + runs_ / 2);
    return runs[static_cast<size_t>(runs_) / 2];
  }

  // As the compiler chooses for the device (Compile.cpp).
  bool fine() const { return provider_.kind == hip::ProviderKind::Cuda; }
  bool clusters() const { return hasClusters(provider_.architecture); }

  // The last of a launch's arguments, where its kernel wants any.
  std::vector<const std::byte *> scratch(const KernelSpec &spec) {
    if (!spec.scratchBytes)
      return {};
    return {room(static_cast<size_t>(spec.scratchBytes))};
  }

  void clear() {
    stream_.synchronize();
    buffers_.clear();
    modules_.clear();
  }

private:
  void launch(const Timed &timed, int i, int q) {
    hip::LaunchShape shape{.block = {static_cast<uint32_t>(timed.spec->block), 1, 1}};
    for (size_t axis = 0; axis < 3; ++axis)
      shape.grid[axis] = static_cast<uint32_t>(timed.spec->grid[axis].evaluate(32767, q));
    const auto &arguments = timed.rounds[static_cast<size_t>(i) % timed.rounds.size()];
    stream_.launch(timed.function, shape, std::as_bytes(std::span(arguments)), timed.spec->symbol);
  }

  const hip::Provider &provider_;
  int runs_;
  hip::RtcClient rtc_;
  hip::Stream stream_;
  std::deque<hip::Module> modules_;
  std::deque<hip::DeviceBuffer> buffers_;
};

void timeDense(KernelBench &bench, KernelTime &result, const std::string &format, int n) {
  const int columns = fastColumns(format, kWidth, result.tokens);
  const KernelSpec spec = emitKernel(LinearShape{format, n, kWidth, columns, bench.fine()});
  const size_t bytes = findFormatByName(format)->rowBytes(static_cast<uint64_t>(n) * kWidth), copies = kRotated / bytes + 1;
  const std::byte *step = bench.step(result.tokens), *x = bench.floats(static_cast<size_t>(result.tokens) * kWidth);
  const std::byte *w = bench.weights(format, static_cast<size_t>(n) * kWidth, copies);
  const std::byte *y = bench.room(static_cast<size_t>(result.tokens) * n * 4);
  Timed timed{&spec, bench.load(spec), {}};
  for (size_t copy = 0; copy < copies; ++copy)
    timed.rounds.push_back({step, x, w + copy * bytes, y});
  result.megabytes = static_cast<double>(bytes) * 1e-6;
  result.microseconds = bench.time({&timed, 1}, result.tokens);
}

// Gate and up, then down with the shared expert, of six experts that change from round to round.
void timeExperts(KernelBench &bench, KernelTime &result, const std::string &gateFormat, const std::string &downFormat,
                 const std::string &sharedFormat) {
  const int q = result.tokens;
  const size_t matrix = size_t{kHidden} * kWidth;
  const KernelSpec gateUp = emitExperts(MoeGateUpShape{gateFormat, kExperts, kUsed, kHidden, kWidth, 10, true, bench.fine()}, q);
  const KernelSpec down =
      emitExperts(MoeDownShape{downFormat, sharedFormat, kExperts, kUsed, kWidth, kHidden, kHidden, true, bench.fine()}, q);
  const std::byte *step = bench.step(q), *x = bench.floats(static_cast<size_t>(q) * kWidth),
                  *h = bench.room(size_t(q) * kUsed * kHidden * 4);
  const std::byte *gate = bench.weights(gateFormat, matrix, kExperts), *up = bench.weights(gateFormat, matrix, kExperts);
  const std::byte *routed = bench.weights(downFormat, matrix, kExperts), *shared = bench.weights(sharedFormat, matrix, 1);
  const std::byte *hs = bench.floats(static_cast<size_t>(q) * kHidden), *y = bench.room(static_cast<size_t>(q) * kWidth * 4);
  const std::byte *weights = bench.keep(std::vector<float>(static_cast<size_t>(q) * kUsed, 0.25f));
  Timed chain[] = {{&gateUp, bench.load(gateUp), {}}, {&down, bench.load(down), {}}};
  for (int round = 0; round < kLaunches; ++round) {
    std::vector<int> ids(static_cast<size_t>(q) * kUsed);
    for (size_t i = 0; i < ids.size(); ++i)
      ids[i] = static_cast<int>((static_cast<size_t>(round) * 37 + i * 41) % kExperts);
    const std::byte *chosen = bench.keep(ids);
    chain[0].rounds.push_back({step, x, chosen, weights, gate, up, h});
    chain[1].rounds.push_back({step, h, chosen, weights, routed, hs, shared, y});
  }
  const auto bytes = [&](const std::string &format) { return static_cast<double>(findFormatByName(format)->rowBytes(matrix)); };
  result.launches = 2;
  result.megabytes = (q * kUsed * (2 * bytes(gateFormat) + bytes(downFormat)) + bytes(sharedFormat)) * 1e-6;
  result.microseconds = bench.time(chain, q);
}

void timeSite(KernelBench &bench, KernelTime &result) {
  constexpr int kStreams = 4, kProjected = 24;
  const size_t q = static_cast<size_t>(result.tokens);
  HcSiteShape shape{.fnFormat = "f16", .width = kWidth, .clusters = bench.clusters()};
  if (shape.clusters)
    shape.deferred = shape.due = shape.iterations / 2;
  const KernelSpec spec = emitKernel(shape);
  const size_t fnBytes = size_t{kProjected} * kStreams * kWidth * 2, copies = kRotated / fnBytes / 4;
  const std::byte *step = bench.step(result.tokens), *streams = bench.floats(q * kStreams * kWidth);
  const std::byte *fn = bench.weights("f16", size_t{kProjected} * kStreams * kWidth, copies);
  const std::byte *base = bench.floats(kProjected), *scale = bench.floats(3), *norm = bench.floats(kWidth),
                  *y = bench.floats(q * kWidth);
  const std::byte *post = bench.floats(q * kStreams), *comb = bench.floats(q * kStreams * kStreams);
  const std::byte *outStreams = bench.room(q * kStreams * kWidth * 4), *outPost = bench.room(q * kStreams * 4);
  const std::byte *outComb = bench.room(q * kStreams * kStreams * 4), *x = bench.room(q * kWidth * 4);
  const std::vector<const std::byte *> scratch = bench.scratch(spec);
  Timed timed{&spec, bench.load(spec), {}};
  for (size_t copy = 0; copy < copies; ++copy) {
    auto &round = timed.rounds.emplace_back(std::vector<const std::byte *>{step, streams, fn + copy * fnBytes, base, scale, norm, y,
                                                                           post, comb, outStreams, outPost, outComb, x});
    round.insert(round.end(), scratch.begin(), scratch.end());
  }
  result.megabytes = static_cast<double>(fnBytes) * 1e-6;
  result.microseconds = bench.time({&timed, 1}, result.tokens);
}

// The kernel of a step at the end of 32,768 positions: the window, and rows that are picked out of 8,192.
void timeAttention(KernelBench &bench, KernelTime &result, int halves) {
  constexpr int kRatio = 4, kRows = 8192, kSlots = 128 + kMaxWidth, kDims = 64;
  const size_t q = static_cast<size_t>(result.tokens);
  MaskedAttentionShape shape{.heads = kHeads, .width = kHeadWidth, .ratio = kRatio, .picks = kPicks, .scale = 0.044194f};
  shape.rope = {.dims = kDims, .base = 160000};
  shape.visibility = Visibility::DirectVisible;
  shape.halves = halves;
  shape.clusters = bench.clusters();
  const KernelSpec spec = emitKernel(shape);
  std::vector<int> picks(q * kPicks);
  for (size_t i = 0; i < picks.size(); ++i)
    picks[i] = static_cast<int>(i % kPicks * (kRows / kPicks));
  Timed timed{&spec,
              bench.load(spec),
              {{bench.step(result.tokens), bench.floats(q * kHeads * kHeadWidth), bench.halves(size_t{kSlots} * kHeadWidth),
                bench.floats(kHeads), bench.halves(size_t{kRows} * kHeadWidth), bench.keep(picks),
                bench.room(q * kHeads * kHeadWidth * 4)}}};
  const std::vector<const std::byte *> scratch = bench.scratch(spec);
  timed.rounds[0].insert(timed.rounds[0].end(), scratch.begin(), scratch.end());
  result.megabytes = (128 + static_cast<double>(q) * kPicks) * kHeadWidth * 2e-6;
  result.microseconds = bench.time({&timed, 1}, result.tokens);
}

struct Case {
  std::string name;
  std::vector<std::pair<int, std::optional<double>>> tokens; // and the limit
  std::function<void(KernelBench &, KernelTime &)> run;
};

std::vector<Case> cases() {
  constexpr int kLong = 32768;
  const auto dense = [](const std::string &format, std::vector<std::pair<int, std::optional<double>>> tokens) {
    return Case{format + " 4096 x 32768", std::move(tokens),
                [format](KernelBench &bench, KernelTime &result) { timeDense(bench, result, format, kLong); }};
  };
  return {
      dense("rocmfp4_fast", {{1, 24}, {2, {}}, {4, 32}, {8, 45}}),
      dense("q8_0", {{1, 40}, {4, 52}, {8, {}}}),
      dense("rocmfp4", {{1, {}}, {4, {}}}),
      dense("mxfp4", {{1, {}}, {4, {}}}),
      dense("q4_0", {{1, {}}, {4, {}}}),
      {"experts rocmfp2, rocmfp3, shared rocmfp4_fast",
       {{1, 26}, {4, {}}},
       [](KernelBench &bench, KernelTime &result) { timeExperts(bench, result, "rocmfp2", "rocmfp3", "rocmfp4_fast"); }},
      {"hyper-connection site", {{1, 6}, {4, {}}}, timeSite},
      {"attention 128 + 512 rows",
       {{1, 20}, {4, {}}},
       [](KernelBench &bench, KernelTime &result) { timeAttention(bench, result, 2); }},
      {"attention 128 + 512 rows, one half",
       {{1, 20}, {4, {}}},
       [](KernelBench &bench, KernelTime &result) { timeAttention(bench, result, 1); }},
  };
}

} // namespace

std::vector<KernelTime> measureKernels(const hip::Provider &provider, const std::string &wanted, int runs) {
  KernelBench bench(provider, runs);
  std::vector<KernelTime> times;
  for (const Case &entry : cases()) {
    if (entry.name.find(wanted) == std::string::npos)
      continue;
    for (const auto &[tokens, limit] : entry.tokens) {
      KernelTime result{.name = entry.name, .tokens = tokens, .limit = limit};
      try {
        entry.run(bench, result);
      } catch (const hip::RtcError &error) {
        result.failure = error.what();
      }
      bench.clear();
      times.push_back(std::move(result));
    }
  }
  if (times.empty())
    userError("no kernel's name contains '{}'", wanted);
  return times;
}

} // namespace ds4
