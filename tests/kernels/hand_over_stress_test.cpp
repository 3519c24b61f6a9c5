// The hand-over to the last workgroup that arrives, many times over: what only hardware can prove about its fences.
//
// Every workgroup first reads the word beside each slot, so that old values lie in the caches near it; nobody writes that word,
// where a read of the slot would race. Then it writes its own slots, and arrives. The last one counts slots that do not hold this
// launch's value. DS4C_TEST_DEVICE names the device (sim by default); a GPU runs 100,000 launches, the simulator a few.
#include <array>
#include <cstdlib>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "runtime/hip/DeviceObjects.h"
#include "runtime/hip/RtcClient.h"

namespace ds4::hip {
namespace {

constexpr uint32_t kThreads = 128, kMostGroups = 1024;
constexpr std::array<uint32_t, 12> kGrids{1, 2, 3, 7, 32, 61, 131, 132, 133, 264, 397, kMostGroups};

constexpr const char *kSource = R"(#include "hand_over.h"
using namespace ds4;
DS4_KERNEL(128) hand_over(U32 *slots, U32 *counter, U32 *outcome, U32 launch, U32 groups) {
  U32 own = blockX() * 128 + threadIndex(), all = groups * 128, old = 0;
  for (U32 i = threadIndex(); i < all; i += 128)
    old |= slots[2 * i + 1];
  slots[2 * own] = launch * 2654435761u + own;
  if (!arrivesLast(counter, static_cast<int>(groups)))
    return;
  U32 wrong = 0;
  for (U32 i = threadIndex(); i < all; i += 128)
    wrong += slots[2 * i] != launch * 2654435761u + i;
  deviceAdd(outcome, wrong);
  deviceAdd(outcome + 2, old == 1); // keeps the reads
  if (threadIndex() == 0)
    deviceAdd(outcome + 1, 1);
}
)";

struct Arguments {
  void *slots, *counter, *outcome;
  uint32_t launch, groups;
};

TEST(HandOverStress, TheLastWorkgroupSeesWhatAllOthersWrote) {
  const char *device = std::getenv("DS4C_TEST_DEVICE");
  const auto provider = openProvider(device ? device : "sim");
  const uint32_t launches = provider->kind == ProviderKind::Simulator ? 24 : 100'000;
  RtcJob job{
      .kernel = "hand_over", .architecture = provider->architecture, .source = kSource, .headers = {}, .options = {"-std=c++20"}};
  for (const HeaderText &header : kernelHeaders())
    job.headers.emplace_back(header.name, header.text);
  const Module module(*provider, RtcClient(provider->table.library).compile(job), "hand_over");
  const FunctionHandle function = module.function("hand_over");

  const DeviceBuffer slots(*provider, kMostGroups * kThreads * 2 * sizeof(uint32_t));
  const DeviceBuffer counter(*provider, 4), outcome(*provider, 12);
  const Stream stream(*provider);
  for (const DeviceBuffer *buffer : {&slots, &counter, &outcome})
    buffer->fill(0, stream.handle());
  for (uint32_t launch = 0; launch < launches; ++launch) {
    const uint32_t groups = kGrids[launch % kGrids.size()];
    const Arguments arguments{slots.data(), counter.data(), outcome.data(), launch + 1, groups};
    stream.launch(function, {.grid = {groups, 1, 1}, .block = {kThreads, 1, 1}}, std::as_bytes(std::span(&arguments, 1)),
                  "hand_over");
  }
  stream.synchronize();
  std::array<uint32_t, 3> found{};
  outcome.download(std::as_writable_bytes(std::span(found)));
  EXPECT_EQ(found[0], 0u) << "stale slots";
  EXPECT_EQ(found[1], launches) << "launches with a last workgroup";
}

} // namespace
} // namespace ds4::hip
