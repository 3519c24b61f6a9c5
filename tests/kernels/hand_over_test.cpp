// Kernels whose workgroups hand results over, with the simulator's hostile schedules and memory; what they cost.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>

#include <gtest/gtest.h>

#include "codegen/KernelResources.h"
#include "codegen/clang/Compiler.h"
#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/SharedLaunch.h"
#include "codegen/kernels/scratch.h"
#include "codegen/kernels/step.h"
#include "runtime/providers/simulator/Machine.h"
#include "support/Half.h"

namespace ds4::test {
namespace {

// A part of hand_over.h that a compile leaves out. Without the release there is still the barrier, which orders LDS alone.
using Fault = std::string_view;
constexpr Fault kNone = "", kNoAcquire = "  acquireDevice();\n", kNoRelease = "  releaseDevice();\n";
constexpr Fault kNoBarrier = "  barrier();\n"; // the first, before the count

std::vector<std::byte> compile(const KernelSpec &spec, Fault fault = kNone) {
  CompileRequest request{.name = spec.symbol, .source = spec.source, .options = {"-O3"}};
  for (const HeaderText &header : kernelHeaders()) {
    std::string text(header.text);
    if (header.name == "hand_over.h") {
      const size_t at = text.find(fault);
      EXPECT_NE(at, text.npos) << fault;
      text.erase(at, fault.size());
    }
    request.headers.emplace_back(header.name, text);
  }
  CompileResult result = compileHip(request);
  EXPECT_TRUE(result.ok) << result.log;
  return result.codeObject;
}

// A launch with operands of plain patterns, which tell a stale value from a right one.
class HandOver {
public:
  HandOver(const KernelSpec &spec, int q, Fault fault = kNone, int pos = 0)
      : spec_(spec), object_(sim::CodeObject::load(compile(spec, fault))) {
    step_.pos = pos;
    step_.q = q;
    add(&step_, sizeof(step_));
  }

  // Operands in the order of the kernel's arguments; the scratch follows them.
  HandOver &read(size_t count, float step, float from = 0) {
    std::vector<float> &values = inputs_.emplace_back(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = from + step * static_cast<float>(static_cast<int>(i * 37 % 101) - 50);
    add(values.data(), count * sizeof(float));
    return *this;
  }
  HandOver &readHalves(size_t count, float step) {
    std::vector<uint16_t> &values = halves_.emplace_back(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = floatToHalf(step * static_cast<float>(static_cast<int>(i * 31 % 97) - 48));
    add(values.data(), count * sizeof(uint16_t));
    return *this;
  }
  HandOver &write(size_t count) {
    std::vector<float> &values = outputs_.emplace_back(count);
    add(values.data(), count * sizeof(float));
    return *this;
  }

  sim::Counters run(const sim::Options &options) {
    if (scratch_.empty()) {
      scratch_.resize(spec_.scratchBytes / 4);
      add(scratch_.data(), spec_.scratchBytes);
    }
    for (std::vector<float> &result : outputs_)
      std::ranges::fill(result, 1e30f);
    std::fill(scratch_.begin() + kScratchCounters, scratch_.end(), 0x7fc00000u);
    sim::Launch launch{
        .object = object_, .kernel = object_->find(spec_.symbol), .block = {static_cast<uint32_t>(spec_.block), 1, 1}};
    for (int axis = 0; axis < 3; ++axis)
      launch.grid[axis] = static_cast<uint32_t>(spec_.grid[axis].evaluate(step_.pos, step_.q));
    launch.arguments = std::as_bytes(std::span(arguments_));
    return sim::run(launch, memory_, options);
  }

  std::vector<float> results() const {
    std::vector<float> all;
    for (const std::vector<float> &result : outputs_)
      all.insert(all.end(), result.begin(), result.end());
    return all;
  }
  bool countersAreClear() const {
    return std::all_of(scratch_.begin(), scratch_.begin() + kScratchCounters, [](uint32_t word) { return word == 0; });
  }
  void clearCounters() { std::fill_n(scratch_.begin(), kScratchCounters, 0); }

private:
  void add(void *data, size_t bytes) {
    memory_.add(data, bytes);
    memory_.markInitialised(data, bytes);
    arguments_.push_back(reinterpret_cast<uint64_t>(data));
  }

  KernelSpec spec_;
  std::shared_ptr<sim::CodeObject> object_;
  sim::Memory memory_;
  Step step_{};
  std::deque<std::vector<uint16_t>> halves_;
  std::deque<std::vector<float>> inputs_, outputs_;
  std::vector<uint32_t> scratch_;
  std::vector<uint64_t> arguments_;
};

// Of `seeds` hostile launches those whose results differ from an ordinary one, or that leave a counter behind.
int wrongLaunches(HandOver &site, int seeds, bool adversarial) {
  sim::Options options{.threads = 1, .detectRaces = true};
  site.run(options);
  const std::vector<float> expected = site.results();
  options.schedule = sim::Schedule::Interleaved;
  options.adversarialMemory = adversarial;
  int wrong = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    options.seed = static_cast<uint64_t>(seed);
    site.run(options);
    std::vector<float> results = site.results();
    wrong += std::memcmp(results.data(), expected.data(), results.size() * sizeof(float)) != 0 || !site.countersAreClear();
    site.clearCounters();
  }
  return wrong;
}

// hc_site of `width` channels.
std::unique_ptr<HandOver> siteLaunch(int width, int q, Fault fault = kNone) {
  auto launch = std::make_unique<HandOver>(emitKernel(HcSiteShape{.fnFormat = "f16", .width = width}), q, fault);
  launch->read(q * 4 * width, 0.02f).readHalves(24 * 4 * width, 0.002f).read(24, 0.01f).read(3, 0, 1).read(width, 0, 1);
  launch->read(q * width, 0.03f).read(q * 4, 0, 1).read(q * 16, 0, 0.25f);
  launch->write(q * 4 * width).write(q * 4).write(q * 16).write(q * width);
  return launch;
}

// Two products, one finished by a norm of the whole row, the other piece by piece by a norm of its heads.
std::unique_ptr<HandOver> sharedLaunch(int q, Fault fault = kNone) {
  constexpr int kInput = 64, kRow = 128, kHeads = 16, kHead = 32;
  auto root = [](int n, std::vector<int> arguments, int chain) {
    return SharedPart{kernelSource(LinearShape{"f16", n, kInput}, kSharedWaves), std::move(arguments), chain, false};
  };
  auto launch = std::make_unique<HandOver>(emitSharedLaunch({root(kRow, {0, 1, 4}, 0),
                                                             root(kHeads * kHead, {0, 2, 5}, 1),
                                                             {kernelSource(RmsNormShape{"f32", kRow, 1e-6f}), {4, 3, 6}, 0, true},
                                                             {kernelSource(HeadNormShape{kHeads, kHead, 1e-6f}), {5, 7}, 1, true}},
                                                            8),
                                           q, fault);
  launch->read(q * kInput, 0.02f).readHalves(kRow * kInput, 0.01f).readHalves(kHeads * kHead * kInput, 0.01f).read(kRow, 0, 1);
  launch->write(q * kRow).write(q * kHeads * kHead).write(q * kRow).write(q * kHeads * kHead);
  return launch;
}

// A router of eight workgroups before those of a shared expert.
std::unique_ptr<HandOver> routeLaunch(int q, Fault fault = kNone) {
  constexpr int kWidth = 64, kExperts = 64, kUsed = 6, kHidden = 64;
  const MoeRouteShape shape{
      .routerFormat = "f16", .format = "f16", .experts = kExperts, .used = kUsed, .width = kWidth, .hidden = kHidden};
  auto launch = std::make_unique<HandOver>(emitKernel(shape), q, fault);
  launch->read(q * kWidth, 0.02f).readHalves(kExperts * kWidth, 0.01f);
  launch->readHalves(kHidden * kWidth, 0.01f).readHalves(kHidden * kWidth, 0.02f).read(kExperts, 0.001f);
  launch->write(q * kUsed).write(q * kUsed).write(q * kHidden);
  return launch;
}

// The best of three chunks of rows, the last of which is not full.
std::unique_ptr<HandOver> selectLaunch(int q, Fault fault = kNone) {
  constexpr int kBest = 64, kRows = 2100;
  const SelectTopKShape shape{.k = kBest, .ratio = 4, .capacity = kRows, .chunk = 1024};
  auto launch = std::make_unique<HandOver>(emitKernel(shape), q, fault, 4 * kRows - q);
  launch->read(q * kRows, 0.02f).write(q * kBest);
  return launch;
}

// Scores of four blocks of rows, and the selection among them in the workgroup that scored last.
std::unique_ptr<HandOver> indexerLaunch(int q, Fault fault = kNone) {
  constexpr int kBest = 64, kRows = 1024, kVisible = 1000, kHeads = 16, kWidth = 32, kRatio = 4;
  const IndexScoreShape score{
      .element = "f16", .heads = kHeads, .width = kWidth, .ratio = kRatio, .capacity = kRows, .scale = 0.125f};
  const SelectTopKShape select{.k = kBest, .ratio = kRatio, .capacity = kRows};
  auto launch = std::make_unique<HandOver>(
      emitSharedLaunch({{kernelSource(score), {0, 1, 2, 3}, 0, false}, {kernelSource(select, kSharedWaves), {3, 4}, 0, true}}, 5),
      q, fault, kRatio * kVisible - q);
  launch->read(q * kHeads * kWidth, 0.02f).read(q * kHeads, 0.01f).readHalves(kRows * kWidth, 0.02f);
  launch->write(q * kRows).write(q * kBest);
  return launch;
}

// The last write of the streams in four workgroups; their weighted sum and its norm follow in the last of them.
std::unique_ptr<HandOver> headLaunch(int q, Fault fault = kNone) {
  constexpr int kWidth = 4096;
  auto launch = std::make_unique<HandOver>(
      emitSharedLaunch({{kernelSource(HcWriteShape{.width = kWidth}), {0, 1, 2, 3, 8}, 0, false},
                        {kernelSource(HcHeadShape{.fnFormat = "f16", .width = kWidth}), {8, 4, 5, 6, 9}, 0, true},
                        {kernelSource(RmsNormShape{"f32", kWidth, 1e-6f}), {9, 7, 10}, 0, true}},
                       11),
      q, fault);
  launch->read(q * kWidth, 0.02f).read(q * 4 * kWidth, 0.03f).read(q * 4, 0, 1).read(q * 16, 0, 0.25f);
  launch->readHalves(4 * 4 * kWidth, 0.0005f).read(4, 0.01f).read(1, 0, 1).read(kWidth, 0, 1);
  launch->write(q * 4 * kWidth).write(q * kWidth).write(q * kWidth);
  return launch;
}

// Attention over a full window, a block of rows a part.
std::unique_ptr<HandOver> attentionLaunch(int q, Fault fault = kNone) {
  constexpr int kHeads = 16, kWidth = 256; // of four waves: the more there are, the likelier that one is late
  MaskedAttentionShape shape{.heads = kHeads, .width = kWidth, .scale = 0.1f};
  shape.parts = 4;
  auto launch = std::make_unique<HandOver>(emitKernel(shape), q, fault, 500);
  launch->read(q * kHeads * kWidth, 0.02f).readHalves(shape.slots * kWidth, 0.02f).read(kHeads, 0.01f).write(q * kHeads * kWidth);
  return launch;
}

} // namespace

TEST(HandOver, SiteHoldsUnderHostileSchedules) {
  auto site = siteLaunch(256, 2);
  EXPECT_EQ(wrongLaunches(*site, 1000, false), 0);
  EXPECT_EQ(wrongLaunches(*site, 1000, true), 0);
}
TEST(HandOver, SiteWithoutAcquireIsCaught) {
  auto site = siteLaunch(256, 1, kNoAcquire);
  EXPECT_GT(wrongLaunches(*site, 50, true), 40);
}
TEST(HandOver, SiteWithoutReleaseIsCaught) {
  auto site = siteLaunch(256, 1, kNoRelease);
  EXPECT_GT(wrongLaunches(*site, 100, true), 10);
}

TEST(HandOver, SiteWithoutBarrierIsCaught) {
  auto site = siteLaunch(256, 1, kNoBarrier);
  EXPECT_GT(wrongLaunches(*site, 100, true), 5);
}

TEST(HandOver, SharedLaunchHoldsUnderHostileSchedules) {
  auto launch = sharedLaunch(2);
  EXPECT_EQ(wrongLaunches(*launch, 1000, false), 0);
  EXPECT_EQ(wrongLaunches(*launch, 1000, true), 0);
}
TEST(HandOver, SharedLaunchWithoutAcquireIsCaught) {
  auto launch = sharedLaunch(1, kNoAcquire);
  EXPECT_GT(wrongLaunches(*launch, 50, true), 40);
}
TEST(HandOver, SharedLaunchWithoutReleaseIsCaught) {
  auto launch = sharedLaunch(1, kNoRelease);
  EXPECT_GT(wrongLaunches(*launch, 100, true), 10);
}
TEST(HandOver, SharedLaunchWithoutBarrierIsCaught) {
  auto launch = sharedLaunch(1, kNoBarrier);
  EXPECT_GT(wrongLaunches(*launch, 100, true), 5);
}

TEST(HandOver, RouteHoldsUnderHostileSchedules) {
  auto launch = routeLaunch(2);
  EXPECT_EQ(wrongLaunches(*launch, 1000, false), 0);
  EXPECT_EQ(wrongLaunches(*launch, 1000, true), 0);
}
TEST(HandOver, RouteWithoutAcquireIsCaught) {
  auto launch = routeLaunch(1, kNoAcquire);
  EXPECT_GT(wrongLaunches(*launch, 50, true), 40);
}
TEST(HandOver, RouteWithoutReleaseIsCaught) {
  auto launch = routeLaunch(1, kNoRelease);
  EXPECT_GT(wrongLaunches(*launch, 100, true), 10);
}
TEST(HandOver, RouteWithoutBarrierIsCaught) {
  auto launch = routeLaunch(1, kNoBarrier);
  EXPECT_GT(wrongLaunches(*launch, 100, true), 5);
}

TEST(HandOver, SelectionHoldsUnderHostileSchedules) {
  auto launch = selectLaunch(2);
  EXPECT_EQ(wrongLaunches(*launch, 1000, false), 0);
  EXPECT_EQ(wrongLaunches(*launch, 1000, true), 0);
}
TEST(HandOver, SelectionWithoutAcquireIsCaught) {
  auto launch = selectLaunch(1, kNoAcquire);
  EXPECT_GT(wrongLaunches(*launch, 50, true), 40);
}
TEST(HandOver, SelectionWithoutReleaseIsCaught) {
  auto launch = selectLaunch(1, kNoRelease);
  EXPECT_GT(wrongLaunches(*launch, 100, true), 10);
}
TEST(HandOver, SelectionWithoutBarrierIsCaught) {
  auto launch = selectLaunch(1, kNoBarrier);
  EXPECT_GT(wrongLaunches(*launch, 100, true), 5);
}

TEST(HandOver, IndexerHoldsUnderHostileSchedules) {
  auto launch = indexerLaunch(2);
  EXPECT_EQ(wrongLaunches(*launch, 1000, false), 0);
  EXPECT_EQ(wrongLaunches(*launch, 1000, true), 0);
}
TEST(HandOver, IndexerWithoutAcquireIsCaught) {
  auto launch = indexerLaunch(1, kNoAcquire);
  EXPECT_GT(wrongLaunches(*launch, 50, true), 40);
}
TEST(HandOver, IndexerWithoutReleaseIsCaught) {
  auto launch = indexerLaunch(1, kNoRelease);
  EXPECT_GT(wrongLaunches(*launch, 100, true), 10);
}
TEST(HandOver, IndexerWithoutBarrierIsCaught) {
  auto launch = indexerLaunch(1, kNoBarrier);
  EXPECT_GT(wrongLaunches(*launch, 100, true), 5);
}

TEST(HandOver, HeadHoldsUnderHostileSchedules) {
  auto launch = headLaunch(1);
  EXPECT_EQ(wrongLaunches(*launch, 1000, false), 0);
  EXPECT_EQ(wrongLaunches(*launch, 1000, true), 0);
}
TEST(HandOver, HeadWithoutAcquireIsCaught) {
  auto launch = headLaunch(1, kNoAcquire);
  EXPECT_GT(wrongLaunches(*launch, 50, true), 40);
}
TEST(HandOver, HeadWithoutReleaseIsCaught) {
  auto launch = headLaunch(1, kNoRelease);
  EXPECT_GT(wrongLaunches(*launch, 100, true), 10);
}
TEST(HandOver, HeadWithoutBarrierIsCaught) {
  auto launch = headLaunch(1, kNoBarrier);
  EXPECT_GT(wrongLaunches(*launch, 100, true), 5);
}

TEST(HandOver, AttentionHoldsUnderHostileSchedules) {
  auto launch = attentionLaunch(2);
  EXPECT_EQ(wrongLaunches(*launch, 1000, false), 0);
  EXPECT_EQ(wrongLaunches(*launch, 1000, true), 0);
}
TEST(HandOver, AttentionWithoutAcquireIsCaught) {
  auto launch = attentionLaunch(1, kNoAcquire);
  EXPECT_GT(wrongLaunches(*launch, 50, true), 40);
}
TEST(HandOver, AttentionWithoutReleaseIsCaught) {
  auto launch = attentionLaunch(1, kNoRelease);
  EXPECT_GT(wrongLaunches(*launch, 100, true), 10);
}
TEST(HandOver, AttentionWithoutBarrierIsCaught) {
  auto launch = attentionLaunch(1, kNoBarrier);
  EXPECT_GT(wrongLaunches(*launch, 100, true), 5);
}

// Wave instructions at the size of the real model, waits included, and registers.
TEST(HandOver, CostOfASite) {
  for (auto [q, limit] : {std::pair(1, 80'000), std::pair(4, 240'000)}) {
    auto site = siteLaunch(4096, q);
    const sim::Counters counters = site->run({});
    std::printf("hc_site 4096, q = %d: %llu wave instructions, longest wave %llu\n", q,
                static_cast<unsigned long long>(counters.instructions), static_cast<unsigned long long>(counters.longestWave));
    EXPECT_LE(counters.instructions, static_cast<uint64_t>(limit));
    EXPECT_LE(counters.longestWave, 1'400u); // before the hand-over and after it
  }
}
TEST(HandOver, RegistersOfASite) {
  const KernelSpec spec = emitKernel(HcSiteShape{.fnFormat = "f16", .width = 4096});
  const KernelResources resources = readKernelResources(compile(spec)).at(0);
  std::printf("hc_site f16 4096: %d VGPRs, %d SGPRs, %d bytes of LDS\n", resources.vgprs, resources.sgprs, resources.ldsBytes);
  EXPECT_LE(resources.vgprs, 96); // sixteen waves a SIMD
  EXPECT_NO_THROW(checkResources(resources, spec.budget));
}

} // namespace ds4::test
