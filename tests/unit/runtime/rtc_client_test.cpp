#include "runtime/hip/RtcClient.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "tests/unit/Failure.h"

namespace ds4::hip {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A helper that is a shell script.
std::string helper(const std::string &body) {
  static int count = 0;
  const std::string path = fmt::format("{}rtc-helper-{}-{}", testing::TempDir(), getpid(), count++);
  std::ofstream(path) << "#!/bin/sh\n" << body << '\n';
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

// What compile() of one kernel ends in with such a helper.
std::pair<ExitCode, std::string> failure(const std::string &helperPath, std::chrono::milliseconds timeout = 20s) {
  return test::failure([&] {
    RtcClient client("libds4sim.so", helperPath, timeout);
    client.compile({.kernel = "ds4_rms_norm_n64",
                    .architecture = "gfx1151",
                    .source = std::string(300'000, ' '),
                    .headers = {},
                    .options = {}});
  });
}

void expectEnvironment(const std::pair<ExitCode, std::string> &outcome, const std::string &part) {
  EXPECT_EQ(outcome.first, ExitCode::Environment);
  EXPECT_THAT(outcome.second, AllOf(HasSubstr("kernel ds4_rms_norm_n64"), HasSubstr(part), Not(HasSubstr("\n"))));
}

TEST(RtcClient, MissingHelperIsNamed) {
  expectEnvironment(failure("/no/such/folder/ds4-rtc"), "cannot start /no/such/folder/ds4-rtc: No such file or directory");
}

TEST(RtcClient, DeathWithoutReadingIsReportedWithStatus) { expectEnvironment(failure(helper("exit 7")), "status 7"); }

TEST(RtcClient, DeathAfterReadingIsReportedWithSignal) {
  expectEnvironment(failure(helper("head -c 1000 >/dev/null; kill -SEGV $$")), "signal 11 (Segmentation fault)");
}

TEST(RtcClient, LastWordsOfADyingHelperAreKept) {
  const auto outcome =
      failure(helper("head -c 1000 >/dev/null; echo 'munmap_chunk(): invalid' >&2; echo pointer >&2; kill -ABRT $$"));
  expectEnvironment(outcome, "signal 6");
  expectEnvironment(outcome, "it said: munmap_chunk(): invalid; pointer");
}

TEST(RtcClient, AHangingHelperIsStopped) {
  const auto start = std::chrono::steady_clock::now();
  expectEnvironment(failure(helper("head -c 1000000 >/dev/null; exec sleep 1000"), 300ms), "no answer within 300 ms");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
}

TEST(RtcClient, AHelperThatNeverReadsIsStopped) {
  expectEnvironment(failure(helper("exec sleep 1000"), 300ms), "no answer within 300 ms");
}

// Its errors are kept in memory until its end.
TEST(RtcClient, AHelperThatFloodsItsErrorsIsStopped) {
  const auto start = std::chrono::steady_clock::now();
  expectEnvironment(failure(helper("head -c 1000000000 /dev/zero >&2; echo at last >&2; exec sleep 1000")),
                    "wrote more than 64 MB of errors");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
}

TEST(RtcClient, HalfAnAnswerIsReported) {
  // A header that promises 32 bytes, then three.
  expectEnvironment(
      failure(helper(R"(head -c 300000 >/dev/null; printf 'DS4R\001\000\000\000\040\000\000\000\000\000\000\000abc'; exit 3)")),
      "status 3 before it answered");
}

TEST(RtcClient, HalfAHeaderIsReported) {
  expectEnvironment(failure(helper("head -c 300000 >/dev/null; printf DS4R; exit 0")), "status 0 before it answered");
}

TEST(RtcClient, GarbageIsReported) {
  expectEnvironment(failure(helper("head -c 300000 >/dev/null; echo 'Hello, this is no answer at all'; exec sleep 1000")),
                    "garbage");
}

TEST(RtcClient, AnotherProtocolVersionIsReported) {
  expectEnvironment(
      failure(
          helper(R"(head -c 300000 >/dev/null; printf 'DS4R\002\000\000\000\010\000\000\000\000\000\000\000'; exec sleep 1000)")),
      "protocol version 2");
}

TEST(RtcClient, AnAbsurdLengthIsReported) {
  expectEnvironment(
      failure(
          helper(R"(head -c 300000 >/dev/null; printf 'DS4R\001\000\000\000\377\377\377\377\377\377\377\377'; exec sleep 1000)")),
      "a message of");
}

TEST(RtcClient, AGarbledBodyIsReported) {
  expectEnvironment(
      failure(helper(
          R"(head -c 300000 >/dev/null; printf 'DS4R\001\000\000\000\010\000\000\000\000\000\000\000zzzzzzzz'; exec sleep 1000)")),
      "damaged");
}

TEST(RtcClient, NoProcessIsLeftBehind) {
  failure(helper("exec sleep 1000"), 100ms);
  failure(helper("exit 1"));
  errno = 0;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

bool runs(pid_t process) {
  std::string stat;
  std::getline(std::ifstream(fmt::format("/proc/{}/stat", process)), stat);
  return !stat.empty() && stat.find(") Z") == stat.npos; // a zombie has ended, and waits for its parent
}

// A helper behind a script that does not exec it, or a compiler that starts others.
TEST(RtcClient, WhatAHelperStartedEndsWithIt) {
  const std::string path = fmt::format("{}rtc-started-{}", testing::TempDir(), getpid());
  for (const char *end : {"wait", "exit 1"}) {
    failure(helper(fmt::format("sleep 1000 <&- >&- & echo $! >'{}'; {}", path, end)), 1s);
    pid_t started = 0;
    std::ifstream(path) >> started;
    ASSERT_GT(started, 0);
    for (int tries = 0; tries < 100 && runs(started); ++tries)
      std::this_thread::sleep_for(50ms);
    EXPECT_FALSE(runs(started)) << end;
  }
  std::filesystem::remove(path);
}

TEST(RtcClient, AProviderWithoutHiprtcIsReportedByTheRealHelper) {
  try {
    RtcClient(DS4_FAKE_HIP, DS4_RTC).identity();
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ExitCode::Environment);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("lacks hiprtcVersion"), HasSubstr("libfake_hip.so")));
  }
}

TEST(RtcHelper, DamagedInputEndsInStatusThreeAndOneLine) {
  const std::string command = fmt::format("printf 'no frame at all, just text' | {} 2>&1", DS4_RTC);
  FILE *pipe = popen(command.c_str(), "r");
  char line[500] = {};
  ASSERT_TRUE(fgets(line, sizeof line, pipe));
  EXPECT_THAT(line, HasSubstr("ds4-rtc: error: no message of ds4-rtc but garbage"));
  EXPECT_FALSE(fgets(line, sizeof line, pipe));
  pclose(pipe);
  EXPECT_EQ(WEXITSTATUS(std::system((command + " >/dev/null").c_str())), 3);
  EXPECT_EQ(std::system(fmt::format("{} </dev/null", DS4_RTC).c_str()), 0);
  EXPECT_EQ(WEXITSTATUS(std::system(fmt::format("{} --nonsense </dev/null 2>/dev/null", DS4_RTC).c_str())), 2);
}

} // namespace
} // namespace ds4::hip
