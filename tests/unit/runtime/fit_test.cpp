// Memory is judged before loading, placed in slabs, and filled from many threads.
#include "runtime/Fit.h"

#include <fstream>

#include <gmock/gmock.h>

#include "runtime/DeviceSlabs.h"
#include "runtime/WeightLoader.h"
#include "runtime/hip/DeviceMemory.h"
#include "support/Error.h"

namespace ds4 {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint64_t kGB = 1'000'000'000;

// 90 GB of weights; state 1 GB and 10 kB a position; scratch 1 GB.
Need need(int64_t context) {
  return {.weights = 90 * kGB,
          .state = kGB + uint64_t(context) * 10'000,
          .scratch = kGB,
          .statePerPosition = 10'000,
          .context = context};
}

TEST(Fit, WhatFitsIsNotSpokenOf) {
  EXPECT_FALSE(misfit(need(100'000), {.deviceFree = 100 * kGB, .deviceTotal = 128 * kGB, .hostAvailable = kGB}));
  // An APU: no carve-out, all from the machine.
  EXPECT_FALSE(
      misfit(need(100'000), {.deviceFree = 110 * kGB, .deviceTotal = 128 * kGB, .ownFree = 0, .hostAvailable = 100 * kGB}));
  // A carve-out of 96 GB leaves the machine little, which is enough.
  EXPECT_FALSE(
      misfit(need(100'000), {.deviceFree = 96 * kGB, .deviceTotal = 96 * kGB, .ownFree = 96 * kGB, .hostAvailable = 2 * kGB}));
}

TEST(Fit, TheLargestContextThatFitsIsNamedAndDoesFit) {
  Have have{.deviceFree = 100 * kGB, .deviceTotal = 128 * kGB, .hostAvailable = kGB};
  const auto line = misfit(need(1'000'000), have);
  ASSERT_TRUE(line);
  EXPECT_THAT(*line, AllOf(HasSubstr("weights 90.00 GB"), HasSubstr("state 11.00 GB for 1000000 positions"),
                           HasSubstr("scratch 1.00 GB"), HasSubstr("100.00 GB free of 128.00 GB"), HasSubstr("--context ")));
  const int64_t context = std::stoll(line->substr(line->find("--context ") + 10));
  EXPECT_EQ(context % 128, 0);
  EXPECT_GT(context, 790'000); // (100 - 92 - 0.067) GB / 10 kB
  EXPECT_FALSE(misfit(need(context), have));
  EXPECT_TRUE(misfit(need(context + 256), have));
}

TEST(Fit, AModelThatNeverFitsIsTold) {
  EXPECT_THAT(misfit(need(128), {.deviceFree = 64 * kGB, .deviceTotal = 64 * kGB}).value(), HasSubstr("no context fits"));
  // Free on paper, but the machine's memory is taken.
  EXPECT_THAT(
      misfit(need(128), {.deviceFree = 110 * kGB, .deviceTotal = 128 * kGB, .ownFree = 0, .hostAvailable = 20 * kGB}).value(),
      AllOf(HasSubstr("the machine 20.00 GB"), HasSubstr("no context fits")));
}

TEST(Fit, PartsOfAPlanAreSummed) {
  Plan plan;
  plan.context = 1000;
  plan.arenaBytes = 5000;
  plan.weights = {{.name = "a", .bytes = 1000}, {.name = "b", .bytes = 1}};
  plan.states = {{.name = "w", .kind = "window", .rows = 10, .cols = 100, .format = "f16"},
                 {.name = "c", .kind = "compressed", .rows = 250, .cols = 100, .format = "f16"}};
  const Need sum = Need::of(plan);
  EXPECT_EQ(sum.weights, 1024u + 256u);
  EXPECT_EQ(sum.state, 2048u + 50176u);
  EXPECT_EQ(sum.scratch, 5000u);
  EXPECT_EQ(sum.statePerPosition, 50u);
}

TEST(Fit, TheDriversCountersAreRead) {
  const std::string folder = testing::TempDir();
  EXPECT_FALSE(hip::readMemoryCounters(folder + "none"));
  for (const auto &[name, value] :
       {std::pair("vram_total", 536870912), {"vram_used", 100}, {"gtt_total", 123456789}, {"gtt_used", 7}})
    std::ofstream(fmt::format("{}/mem_info_{}", folder, name)) << value << "\n";
  const auto counters = hip::readMemoryCounters(folder);
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->vramTotal, 536870912u);
  EXPECT_EQ(counters->gttUsed, 7u);
}

TEST(DeviceSlabs, PiecesAreAlignedAndNoSlabIsLargerThanItsLimit) {
  const std::vector<uint64_t> pieces{100, 700, 300, 5000, 0, 1};
  const DeviceSlabs::Layout layout = DeviceSlabs::layoutOf(pieces, 1024);
  EXPECT_THAT(layout.slabs, ElementsAre(1024, 512, 5120, 256)); // the fourth piece is larger than a slab
  for (const auto &place : layout.places)
    EXPECT_EQ(place.offset % 256, 0u);
  EXPECT_EQ(layout.places[1].slab, 0u);
  EXPECT_EQ(layout.places[1].offset, 256u);
  EXPECT_EQ(layout.bytes(), 6912u);
}

// Byte i of weight w is a mixture of both numbers.
class Counting : public WeightSource {
public:
  static std::byte at(const std::string &name, uint64_t i) { return static_cast<std::byte>(i * 31 + i / 1000 + name.size()); }
  uint64_t pieceBytes(const PlanWeight &) const override { return 777; }
  void read(const PlanWeight &weight, uint64_t offset, std::span<std::byte> out) const override {
    if (weight.name == "broken" && offset > 2000)
      userError("'broken' at {}", offset);
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = at(weight.name, offset + i);
  }
};

class WeightLoading : public testing::Test {
protected:
  Plan plan_;
  std::shared_ptr<const hip::Provider> provider_ = hip::openProvider("sim");
  Counting source_;

  DeviceSlabs slabsFor(std::vector<PlanWeight> weights) {
    plan_.weights = std::move(weights);
    std::vector<uint64_t> bytes;
    for (const PlanWeight &weight : plan_.weights)
      bytes.push_back(weight.bytes);
    return DeviceSlabs(*provider_, bytes);
  }
};

TEST_F(WeightLoading, EveryByteArrivesWhateverTheThreads) {
  const DeviceSlabs slabs = slabsFor({{.name = "a", .bytes = 10'000}, {.name = "bcd", .bytes = 1}, {.name = "ef", .bytes = 7770}});
  for (unsigned threads : {1u, 5u}) {
    slabs.fill(0, nullptr);
    double last = 0;
    const WeightLoadReport report =
        loadWeights(*provider_, plan_.weights, source_, slabs, {.threads = threads, .progress = [&](std::string_view, double share) {
                                                          EXPECT_GT(share, last);
                                                          last = share;
                                                        }});
    EXPECT_EQ(report.bytes, 17'771u);
    EXPECT_EQ(last, 1);
    for (size_t w = 0; w < plan_.weights.size(); ++w) {
      std::vector<std::byte> bytes(plan_.weights[w].bytes);
      slabs.download(w, bytes);
      for (size_t i = 0; i < bytes.size(); ++i)
        ASSERT_EQ(bytes[i], Counting::at(plan_.weights[w].name, i)) << plan_.weights[w].name << " byte " << i;
    }
  }
}

TEST_F(WeightLoading, AnErrorOfAThreadArrives) {
  const DeviceSlabs slabs = slabsFor({{.name = "a", .bytes = 10'000}, {.name = "broken", .bytes = 10'000}});
  EXPECT_THROW(loadWeights(*provider_, plan_.weights, source_, slabs, {.threads = 3}), Error);
}

TEST_F(WeightLoading, IsInterrupted) {
  const DeviceSlabs slabs = slabsFor({{.name = "a", .bytes = 1'000'000}});
  std::atomic<bool> stop = false;
  try {
    loadWeights(*provider_, plan_.weights, source_, slabs,
                {.threads = 2, .stop = &stop, .progress = [&](std::string_view, double share) { stop = share > 0.1; }});
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), kInterrupted);
  }
}

} // namespace
} // namespace ds4
