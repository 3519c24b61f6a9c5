// Kernels from plan, cache and compiler, and plans that are loaded again and again.
#include "runtime/KernelLoader.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

#include "runtime/Executor.h"
#include "runtime/cache/CacheEntry.h"
#include "runtime/cache/CacheFolder.h"
#include "support/File.h"
#include "tests/unit/Failure.h"
#include "tests/unit/runtime/AddPlan.h"
#include "tests/unit/runtime/ProcessUse.h"

namespace ds4 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class KernelLoaderTest : public testing::Test {
protected:
  void SetUp() override {
    static int count = 0;
    folder_ = fmt::format("{}kernel-loader-{}-{}", testing::TempDir(), ::getpid(), count++);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  KernelLoadReport load(const Plan &plan, CachePolicy policy = CachePolicy::On) {
    KernelLoader loader(
        *provider_, plan,
        {.compiler = {.helper = DS4_RTC},
         .cache = {.policy = policy, .folder = folder_, .warn = [&](const std::string &text) { warnings_.push_back(text); }}});
    EXPECT_THAT(loader.load({}), SizeIs(1));
    return loader.report();
  }
  std::string onlyEntry() const {
    const std::vector<CacheFile> files = listCacheFiles(folder_);
    EXPECT_THAT(files, SizeIs(1));
    return files.front().path;
  }

  std::shared_ptr<const hip::Provider> provider_ = hip::openProvider("sim");
  std::string folder_;
  std::vector<std::string> warnings_;
};

TEST_F(KernelLoaderTest, CompilesOnceAndFindsItThen) {
  const Plan plan = test::addPlan();
  EXPECT_EQ(load(plan).compiled, 1);
  EXPECT_EQ(load(plan).cached, 1);
  EXPECT_EQ(load(plan, CachePolicy::ReadOnly).cached, 1);
  EXPECT_EQ(load(plan, CachePolicy::Redo).compiled, 1);
  EXPECT_EQ(load(plan, CachePolicy::Off).compiled, 1);
  Plan other = plan;
  other.kernels[0].source += " ";
  EXPECT_EQ(load(other).compiled, 1);
  EXPECT_THAT(warnings_, IsEmpty());
}

// Whole, of the right key, and still no code of this kernel for this device: of a compiler's or driver's fault.
TEST_F(KernelLoaderTest, AnEntryThatTheDeviceRefusesIsCompiledAgain) {
  const Plan plan = test::addPlan();
  Plan other = plan;
  other.kernels[0].symbol = "other";
  other.kernels[0].source.replace(other.kernels[0].source.find("add("), 3, "other");
  load(other);
  const std::vector<std::byte> codeOfOther = readEntry(onlyEntry()).code;
  std::filesystem::remove(onlyEntry());

  load(plan);
  const std::string path = onlyEntry();
  for (const std::vector<std::byte> &code : {std::vector(100, std::byte(7)), codeOfOther}) {
    writeFileAtomically(path, encodeEntry({readEntry(path).key, code}));
    warnings_.clear();
    EXPECT_EQ(test::failure([&] { load(plan, CachePolicy::ReadOnly); }).first, ExitCode::Environment);
    EXPECT_EQ(load(plan).compiled, 1);
    EXPECT_THAT(warnings_, ElementsAre(HasSubstr("cached kernel add is not used")));
    EXPECT_EQ(load(plan).cached, 1);
    EXPECT_THAT(warnings_, SizeIs(1));
  }
}

// Every kernel is compiled with all headers, one after another: not all of them are in memory.
TEST_F(KernelLoaderTest, ManyKernelsShareTheirHeaders) {
  Plan plan = test::addPlan();
  plan.headers = {{"big.h", std::string(500'000, ' ')}};
  plan.kernels.resize(3000, plan.kernels.front());
  const size_t before = test::peakKilobytes();
  KernelLoader loader(*provider_, plan, {.compiler = {.helper = "/bin/false"}, .cache = {.policy = CachePolicy::Off}});
  EXPECT_EQ(test::failure([&] { loader.load({}); }).first, ExitCode::Environment);
  EXPECT_LT(test::peakKilobytes(), before + 100'000);
}

// --- Again and again ---

TEST_F(KernelLoaderTest, AThousandLoadsLeaveNothing) {
  load(test::addPlan());
  const Plan plan = test::addPlan(decodeEntry(File(onlyEntry()).readAll()).code);
  const auto loadAndStep = [&] {
    test::Halves weights;
    Executor executor(hip::openProvider("sim"), plan, weights);
    const std::vector<int32_t> token{3};
    executor.step({.tokens = token});
  };
  for (int i = 0; i < 100; ++i)
    loadAndStep();
  const size_t files = test::openFiles(), memory = test::residentKilobytes();
  for (int i = 100; i < 1000; ++i)
    loadAndStep();
  EXPECT_EQ(test::openFiles(), files);
  if (test::kMemoryIsGivenBack)
    EXPECT_LT(test::residentKilobytes(), memory + 2048);
}

} // namespace
} // namespace ds4
