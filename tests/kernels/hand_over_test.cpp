// Kernels whose workgroups hand results over, with the simulator's hostile schedules and memory; what they cost.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include <gtest/gtest.h>

#include "codegen/KernelResources.h"
#include "codegen/clang/Compiler.h"
#include "codegen/emitters/Emitters.h"
#include "codegen/kernels/scratch.h"
#include "codegen/kernels/step.h"
#include "runtime/providers/simulator/Machine.h"
#include "support/Half.h"

namespace ds4::test {
namespace {

// Text that makes a compile of the kernel leave out a part of the hand-over.
const std::string kNoAcquire = "#include \"wave.h\"\n#define acquireDevice()\n";
const std::string kNoRelease = "#include \"wave.h\"\n#define releaseDevice()\n";

std::vector<std::byte> compile(const KernelSpec &spec, const std::string &fault = "") {
  CompileRequest request{.name = spec.symbol, .source = fault + spec.source, .options = {"-O3"}};
  for (const HeaderText &header : kernelHeaders())
    request.headers.emplace_back(header.name, header.text);
  CompileResult result = compileHip(request);
  EXPECT_TRUE(result.ok) << result.log;
  return result.codeObject;
}

// A launch of hc_site with operands that need no random numbers to tell a stale value from a right one.
class SiteLaunch {
public:
  SiteLaunch(int width, int q, const std::string &fault = "")
      : spec_(emitKernel(HcSiteShape{.fnFormat = "f16", .width = width})), q_(q),
        object_(sim::CodeObject::load(compile(spec_, fault))), fn_(24 * 4 * width), streams_(q * 4 * width), base_(24),
        scale_(3, 1.0f), norm_(width, 1.0f), y_(q * width), post_(q * 4, 1.0f), comb_(q * 16, 0.25f), newStreams_(streams_.size()),
        newPost_(post_.size()), newComb_(comb_.size()), x_(y_.size()), scratch_(spec_.scratchBytes / 4) {
    auto fill = [](std::vector<float> &values, float step) {
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = step * static_cast<float>(static_cast<int>(i * 37 % 101) - 50);
    };
    fill(streams_, 0.02f), fill(base_, 0.01f), fill(y_, 0.03f);
    for (size_t i = 0; i < fn_.size(); ++i)
      fn_[i] = floatToHalf(0.002f * static_cast<float>(static_cast<int>(i * 31 % 97) - 48));
    add(step_);
    add(streams_);
    add(fn_);
    for (std::vector<float> *operand : {&base_, &scale_, &norm_, &y_, &post_, &comb_, &newStreams_, &newPost_, &newComb_, &x_})
      add(*operand);
    add(scratch_);
  }

  sim::Counters run(const sim::Options &options) {
    for (std::vector<float> *result : {&newStreams_, &newPost_, &newComb_, &x_})
      std::ranges::fill(*result, 1e30f);
    std::fill(scratch_.begin() + kScratchCounters, scratch_.end(), 0x7fc00000u);
    sim::Launch launch{
        .object = object_, .kernel = object_->find(spec_.symbol), .block = {static_cast<uint32_t>(spec_.block), 1, 1}};
    for (int axis = 0; axis < 3; ++axis)
      launch.grid[axis] = static_cast<uint32_t>(spec_.grid[axis].evaluate(0, q_));
    launch.arguments = std::as_bytes(std::span(arguments_));
    return sim::run(launch, memory_, options);
  }

  std::vector<float> results() const {
    std::vector<float> all;
    for (const std::vector<float> *result : {&newStreams_, &newPost_, &newComb_, &x_})
      all.insert(all.end(), result->begin(), result->end());
    return all;
  }
  bool countersAreClear() const {
    return std::all_of(scratch_.begin(), scratch_.begin() + kScratchCounters, [](uint32_t word) { return word == 0; });
  }
  void clearCounters() { std::fill_n(scratch_.begin(), kScratchCounters, 0); }

private:
  template <typename Values> void add(Values &values) {
    const size_t bytes = values.size() * sizeof(values[0]);
    memory_.add(values.data(), bytes);
    memory_.markInitialised(values.data(), bytes);
    arguments_.push_back(reinterpret_cast<uint64_t>(values.data()));
  }

  KernelSpec spec_;
  int q_;
  std::shared_ptr<sim::CodeObject> object_;
  sim::Memory memory_;
  std::array<Step, 1> step_{};
  std::vector<uint16_t> fn_;
  std::vector<float> streams_, base_, scale_, norm_, y_, post_, comb_, newStreams_, newPost_, newComb_, x_;
  std::vector<uint32_t> scratch_;
  std::vector<uint64_t> arguments_;
};

// Of `seeds` hostile launches those whose results differ from an ordinary one, or that leave a counter behind.
int wrongLaunches(SiteLaunch &site, int seeds, bool adversarial) {
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

} // namespace

TEST(HandOver, SiteHoldsUnderHostileSchedules) {
  SiteLaunch site(256, 2);
  EXPECT_EQ(wrongLaunches(site, 300, false), 0);
  EXPECT_EQ(wrongLaunches(site, 300, true), 0);
}
TEST(HandOver, SiteWithoutAcquireIsCaught) {
  SiteLaunch site(256, 1, kNoAcquire);
  EXPECT_GT(wrongLaunches(site, 50, true), 40);
}
TEST(HandOver, SiteWithoutReleaseIsCaught) {
  SiteLaunch site(256, 1, kNoRelease);
  EXPECT_GT(wrongLaunches(site, 100, true), 10);
}

// Wave instructions at the size of the real model, waits included, and registers.
TEST(HandOver, CostOfASite) {
  for (auto [q, limit] : {std::pair(1, 80'000), std::pair(4, 240'000)}) {
    SiteLaunch site(4096, q);
    const sim::Counters counters = site.run({});
    std::printf("hc_site 4096, q = %d: %llu wave instructions, longest wave %llu\n", q,
                static_cast<unsigned long long>(counters.instructions), static_cast<unsigned long long>(counters.longestWave));
    EXPECT_LE(counters.instructions, static_cast<uint64_t>(limit));
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
