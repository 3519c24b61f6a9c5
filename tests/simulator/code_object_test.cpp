// Loading of code objects and launching of kernels: what is accepted, what is refused and how it is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/Error.h"
#include "tests/simulator/Device.h"

namespace ds4::sim::test {
namespace {

using testing::HasSubstr;

std::string messageOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

TEST(CodeObjectTest, NotAnElfFile) {
  const std::vector<std::byte> text(100, std::byte('x'));
  EXPECT_THAT(messageOf([&] { CodeObject::load(text); }), HasSubstr("not an ELF file"));
  EXPECT_THAT(messageOf([&] { CodeObject::load({}); }), HasSubstr("not an ELF file"));
}

TEST(CodeObjectTest, OtherArchitectureIsNamed) {
  auto object = assemble({{"kernel", "  s_endpgm\n"}});
  constexpr size_t flagsInHeader = 48;
  object[flagsInHeader] = std::byte(0x36); // EF_AMDGPU_MACH_AMDGCN_GFX1030
  EXPECT_THAT(messageOf([&] { CodeObject::load(object); }), HasSubstr("neither gfx1151 nor gfx1100"));
}

TEST(CodeObjectTest, Gfx1100Runs) {
  const auto object = CodeObject::load(assemble({{"kernel", "  s_endpgm\n"}}, "gfx1100"));
  Device device;
  EXPECT_EQ(device.launch(object, "kernel", 1, 32, device.allocate<uint32_t>(1)).instructions, 1u);
}

// Whatever is cut off or overwritten, loading either works or says so.
TEST(CodeObjectTest, DamagedFilesAreRefusedInOneLine) {
  const auto whole = assemble({{"kernel", "  s_endpgm\n"}});
  int refused = 0;
  const auto tryLoad = [&](const std::vector<std::byte> &bytes) {
    const std::string message = messageOf([&] { CodeObject::load(bytes); });
    refused += message != "no error";
    EXPECT_EQ(message.find('\n'), message.npos);
  };
  for (size_t size = 0; size < whole.size(); size += 61)
    tryLoad({whole.begin(), whole.begin() + ptrdiff_t(size)});
  EXPECT_GT(refused, 10);
  for (size_t at = 0; at < std::min<size_t>(whole.size(), 1024); at++) {
    auto damaged = whole;
    damaged[at] = std::byte(0xff);
    tryLoad(damaged);
  }
}

TEST(CodeObjectTest, KernelInfo) {
  const auto object =
      compileKernels("KERNEL(128) sized(u32 *out, u32 n) { SHARED u32 row[100]; row[thread() % 100] = n; barrier(); "
                     "out[thread()] = row[0]; }");
  const KernelInfo *kernel = object->find("sized");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->ldsBytes, 400u);
  EXPECT_EQ(kernel->scratchBytesPerLane, 0u);
  EXPECT_EQ(kernel->maxWorkgroup, 128u);
  EXPECT_GE(kernel->kernargBytes, 12u);
  EXPECT_GT(kernel->vgprs, 0u);
  EXPECT_EQ(object->kernels().size(), 1u);
  EXPECT_EQ(object->find("other"), nullptr);
}

TEST(CodeObjectTest, DeviceVariables) {
  const auto object = compileKernels("extern \"C\" __attribute__((device, used)) u32 table[4] = {5, 6, 7, 8};\n"
                                     "KERNEL(32) read(u32 *out) { if (thread() < 4) out[thread()] = table[thread()]; }");
  const std::span<std::byte> table = object->global("table");
  ASSERT_EQ(table.size(), 16u);
  reinterpret_cast<uint32_t *>(table.data())[1] = 60;
  Device device;
  auto *out = device.allocate<uint32_t>(4);
  device.launch(object, "read", 1, 32, out);
  EXPECT_THAT(std::vector<uint32_t>(out, out + 4), testing::ElementsAre(5, 60, 7, 8));
  EXPECT_TRUE(object->global("none").empty());
}

TEST(LaunchTest, HiddenArguments) {
  const auto object = compileKernels(R"(
KERNEL(1024) shape(u32 *out) {
  if (thread() || group()) return;
  out[0] = __builtin_amdgcn_workgroup_size_x();
  out[1] = __builtin_amdgcn_grid_size_x();
}
)");
  Device device;
  auto *out = device.allocate<uint32_t>(2);
  device.launch(object, "shape", 3, 96, out);
  EXPECT_EQ(out[0], 96u);
  EXPECT_EQ(out[1], 3u * 96);
}

TEST(LaunchTest, FunctionCallsAndScratch) {
  const auto object = compileKernels(R"(
__attribute__((device, noinline)) u32 choose(u32 *table, u32 k) { return table[k & 7] + 1; }
KERNEL(32) calls(u32 *out, u32 step) {
  u32 table[8];
  for (u32 k = 0; k < 8; k++) table[k] = k * step;
  out[thread()] = choose(table, thread()) + choose(table, thread() + 1);
}
)");
  Device device;
  auto *out = device.allocate<uint32_t>(32);
  device.launch(object, "calls", 1, 32, out, 10u);
  for (uint32_t t = 0; t < 32; t++)
    EXPECT_EQ(out[t], (t & 7) * 10 + ((t + 1) & 7) * 10 + 2);
}

TEST(LaunchTest, PartialWavesKeepTheirInactiveLanesStill) {
  const auto object = compileKernels("KERNEL(1024) fill(u32 *out) { out[group() * 40 + thread()] = thread() + 1; }");
  Device device;
  auto *out = device.allocate<uint32_t>(128);
  device.launch(object, "fill", 2, 40, out);
  EXPECT_EQ(out[79], 40u);
  EXPECT_EQ(out[80], 0u);
}

TEST(LaunchTest, RefusedShapes) {
  const auto object = compileKernels("KERNEL(64) kernel(u32 *out) { out[thread()] = 1; }");
  Device device;
  auto *out = device.allocate<uint32_t>(64);
  EXPECT_THAT(messageOf([&] { device.launch(object, "kernel", 1, 128, out); }),
              HasSubstr("a workgroup of 128 work-items, it allows 1 to 64"));
  EXPECT_THAT(messageOf([&] { device.launch(object, "kernel", 0, 64, out); }), HasSubstr("a grid of 0 workgroups"));
  EXPECT_THAT(messageOf([&] { device.launch(object, "kernel", 1, 64); }), HasSubstr("0 bytes of arguments given, it takes 8"));
}

TEST(MemoryTest, ContainsAndRemove) {
  Memory memory;
  char room[102], *bytes = room + 1;
  memory.add(bytes, 100);
  EXPECT_TRUE(memory.contains(bytes, 100));
  EXPECT_TRUE(memory.contains(bytes + 99, 1));
  EXPECT_FALSE(memory.contains(bytes + 99, 2));
  EXPECT_FALSE(memory.contains(bytes - 1, 1));
  memory.remove(bytes);
  EXPECT_FALSE(memory.contains(bytes, 1));
}

// Many small launches: a decode step has hundreds, so each must cost little besides its instructions.
TEST(LaunchTest, SmallLaunchesAreCheap) {
  const auto object = compileKernels("KERNEL(64) tiny(u32 *out) { out[group() * 64 + thread()] += 1; }");
  Device device;
  auto *out = device.allocate<uint32_t>(256);
  for (int k = 0; k < 1000; k++)
    device.launch(object, "tiny", 4, 64, out);
  EXPECT_EQ(out[255], 1000u);
}

} // namespace
} // namespace ds4::sim::test
