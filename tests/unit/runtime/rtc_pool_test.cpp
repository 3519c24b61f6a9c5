// Many kernels at once through helpers: bounded, in order, and with something to look at when one fails.
#include "runtime/hip/RtcPool.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "runtime/hip/HipTable.h"
#include "runtime/plan/PlanFile.h"

namespace ds4::hip {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

class RtcPoolTest : public testing::Test {
protected:
  void SetUp() override {
    static int count = 0;
    folder_ = fmt::format("{}rtc-pool-{}-{}/a b'c", testing::TempDir(), getpid(), count++);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(fs::path(folder_).parent_path()); }

  // The real helper, in a script that leaves a trace of each start.
  std::string tracedHelper() {
    const std::string path = folder_ + "/helper";
    std::ofstream(path) << "#!/bin/sh\ncd \"${0%/*}\" && touch started.$$\nexec '" << DS4_RTC << "'\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  size_t helpersStarted() const {
    return static_cast<size_t>(std::count_if(fs::directory_iterator(folder_), fs::directory_iterator(), [](const auto &entry) {
      return entry.path().filename().string().starts_with("started.");
    }));
  }
  static std::string textOf(const std::string &path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static RtcJob job(const std::string &kernel, const std::string &source, const std::string &architecture = "gfx1151") {
    return {.kernel = kernel, .architecture = architecture, .source = source, .headers = {}, .options = {}};
  }
  static std::string kernel(const std::string &name) { return "extern \"C\" __global__ void " + name + "(int *p) { *p = 1; }"; }

  std::string folder_;
};

std::string failureOf(RtcPool &pool, const RtcJob &job) {
  try {
    pool.compile(std::span(&job, 1), [](size_t, std::vector<std::byte>) {});
  } catch (const RtcError &error) {
    return error.what();
  }
  return "";
}

TEST_F(RtcPoolTest, JobsAreAsManyAsCoresAndMemoryAllow) {
  constexpr uint64_t kGiB = uint64_t(1) << 30;
  EXPECT_EQ(RtcPool::jobsFor(16, 64 * kGiB), 16u);
  EXPECT_EQ(RtcPool::jobsFor(16, 2 * kGiB), 4u);
  EXPECT_EQ(RtcPool::jobsFor(16, 1000), 1u);
  EXPECT_EQ(RtcPool::jobsFor(0, 64 * kGiB), 1u);
}

TEST_F(RtcPoolTest, EachJobGetsItsOwnCodeWithNoMoreHelpersThanAllowed) {
  RtcPool pool(DS4_SIM, {.helper = tracedHelper(), .jobs = 2});
  std::vector<RtcJob> jobs;
  for (int i = 0; i < 5; ++i)
    jobs.push_back(job(fmt::format("k{}", i), kernel(fmt::format("k{}", i))));
  std::vector<std::string> codes(jobs.size());
  pool.compile(jobs,
               [&](size_t i, std::vector<std::byte> code) { codes[i].assign(reinterpret_cast<char *>(code.data()), code.size()); });
  for (size_t i = 0; i < jobs.size(); ++i)
    EXPECT_THAT(codes[i], HasSubstr(fmt::format("k{}.kd", i)));
  EXPECT_THAT(pool.identity(), HasSubstr("hipRTC 22.1 of libds4sim.so"));
  EXPECT_LE(helpersStarted(), 2u);
  EXPECT_GE(helpersStarted(), 1u);
}

TEST_F(RtcPoolTest, AFailedJobLeavesSourceLogAndCommand) {
  RtcPool pool(DS4_SIM, {.helper = DS4_RTC, .dumpFailed = folder_ + "/dump"});
  const std::string message = failureOf(pool, job("wrong", "int fine;\nint 1x;\n"));
  EXPECT_THAT(message, AllOf(HasSubstr("kernel wrong does not compile for gfx1151: "), HasSubstr("error:"),
                             HasSubstr("(log: " + folder_ + "/dump/wrong.log)"), Not(HasSubstr("\n"))));
  EXPECT_THAT(textOf(folder_ + "/dump/wrong.log"), HasSubstr("int 1x;"));
  EXPECT_EQ(textOf(folder_ + "/dump/wrong.hip"), "int fine;\nint 1x;\n");
  const std::string command = textOf(folder_ + "/dump/wrong.sh");
  EXPECT_EQ(std::count(command.begin(), command.end(), '\n'), 1);
  FILE *again = popen(command.c_str(), "r");
  char output[4000] = {};
  EXPECT_GT(fread(output, 1, sizeof output - 1, again), 0u);
  EXPECT_EQ(WEXITSTATUS(pclose(again)), 3);
  EXPECT_THAT(output, HasSubstr("wrong:2:5: error:"));
}

TEST_F(RtcPoolTest, AHelperThatDiesLeavesItsLastWords) {
  const std::string path = folder_ + "/dying";
  std::ofstream(path) << "#!/bin/sh\nhead -c 100 >/dev/null; echo 'LLVM ERROR: out of registers' >&2; kill -ABRT $$\n";
  fs::permissions(path, fs::perms::owner_all);
  RtcPool pool(DS4_SIM, {.helper = path, .logFolder = folder_ + "/logs"});
  EXPECT_THAT(failureOf(pool, job("../evil/name", kernel("k"))),
              AllOf(HasSubstr("kernel ../evil/name: ds4-rtc died of signal 6"), HasSubstr("out of registers"),
                    HasSubstr("(log: " + folder_ + "/logs/___evil_name.log)")));
  EXPECT_EQ(textOf(folder_ + "/logs/___evil_name.log"), "LLVM ERROR: out of registers\n");
}

TEST_F(RtcPoolTest, ATemporaryFolderThatIsNotThereIsNamed) {
  setenv("TMPDIR", "/no/such/folder", 1);
  RtcPool broken(DS4_SIM, {.helper = "/bin/false"});
  EXPECT_THAT(failureOf(broken, job("k", kernel("k"))), HasSubstr("TMPDIR '/no/such/folder' cannot be written to (No such file"));
  RtcPool pool(DS4_SIM, {.helper = DS4_RTC});
  EXPECT_EQ(failureOf(pool, job("k", kernel("k"))), ""); // the simulator's compiler needs none
  unsetenv("TMPDIR");
}

// A hipRTC of 2022 that aborts on what it does not know, where it is installed.
class OldHipRtc : public RtcPoolTest {
protected:
  void SetUp() override {
    RtcPoolTest::SetUp();
    try {
      library_ = loadRtc(std::vector<std::string>{"libamdhip64.so.5"}).library;
    } catch (const Error &) {
      GTEST_SKIP() << "libamdhip64.so.5 is not installed";
    }
  }
  std::string library_;
};

TEST_F(OldHipRtc, CompilesForAnArchitectureThatItKnows) {
  RtcPool pool(library_, {.helper = DS4_RTC});
  std::vector<RtcJob> jobs{job("k", kernel("k"), "gfx1030")};
  std::string code;
  pool.compile(jobs,
               [&](size_t, std::vector<std::byte> bytes) { code.assign(reinterpret_cast<char *>(bytes.data()), bytes.size()); });
  EXPECT_THAT(code, HasSubstr("k.kd"));
  EXPECT_THAT(pool.identity(), AllOf(HasSubstr("of libamdhip64.so.5.2"), HasSubstr("libamd_comgr.so.2")));
}

// Whether a source includes a header of the plan, by itself or through others.
bool includes(const Plan &plan, std::string_view source, const std::string &header) {
  return std::ranges::any_of(plan.headers, [&](const PlanHeader &other) {
    return source.find("#include \"" + other.name + "\"") != source.npos &&
           (other.name == header || includes(plan, other.text, header));
  });
}

TEST_F(OldHipRtc, CompilesEveryKernelThatDoesWithoutTheMatrixUnit) {
  const Plan plan = readPlanFile(DS4C_TINY_PLAN);
  std::vector<RtcJob> jobs;
  for (const PlanKernel &kernel : plan.kernels)
    if (!includes(plan, kernel.source, "tile.h")) {
      jobs.push_back(job(kernel.symbol, kernel.source, "gfx1030"));
      jobs.back().options = plan.options;
      for (const PlanHeader &header : plan.headers)
        jobs.back().headers.emplace_back(header.name, header.text);
    }
  EXPECT_GT(jobs.size(), plan.kernels.size() / 2);
  EXPECT_LT(jobs.size(), plan.kernels.size());
  RtcPool pool(library_, {.helper = DS4_RTC});
  std::vector<std::string> codes(jobs.size());
  pool.compile(jobs,
               [&](size_t i, std::vector<std::byte> code) { codes[i].assign(reinterpret_cast<char *>(code.data()), code.size()); });
  for (size_t i = 0; i < jobs.size(); ++i)
    EXPECT_THAT(codes[i], HasSubstr(jobs[i].kernel + ".kd"));
}

TEST_F(OldHipRtc, RefusesAnArchitectureThatItDoesNotKnow) {
  RtcPool pool(library_, {.helper = DS4_RTC});
  EXPECT_THAT(failureOf(pool, job("k", kernel("k"), "gfx1151")),
              AllOf(HasSubstr("kernel k: the hipRTC of"), HasSubstr("does not know gfx1151"), HasSubstr("install ROCm")));
}

} // namespace
} // namespace ds4::hip
