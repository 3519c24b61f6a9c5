// Writers of the kernel cache that die or fail at any step, and several at once: what is found is always one writer's whole
// entry, or nothing.
#include <csignal>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>

#include "support/Error.h"
#include "tests/unit/cache/CacheTools.h"

extern char **environ;

namespace ds4 {
namespace {

using testing::IsEmpty;

// This program again, as a writer: stores one entry and finds it, or learns by a warning that it is not kept.
int store(const std::string &folder) {
  int warnings = 0;
  KernelCache cache({.folder = folder, .warn = [&](const std::string &) { ++warnings; }});
  cache.store(keyOf("a"), codeOf(1));
  const auto found = cache.find(keyOf("a"));
  return found ? (found == codeOf(1) ? 0 : 1) : (warnings == 1 ? 0 : 2);
}

// Its wait status.
int runWriter(const std::string &folder, const std::string &fault, int at) {
  std::vector<std::string> settings{"LD_PRELOAD=" DS4_FAULTY_FILES, "DS4_FAULT=" + fault, "DS4_FAULT_AT=" + std::to_string(at)};
  std::vector<char *> environment;
  for (std::string &setting : settings)
    environment.push_back(setting.data());
  environment.push_back(nullptr);
  std::string program = "/proc/self/exe", mode = "--store", where = folder;
  char *arguments[] = {program.data(), mode.data(), where.data(), nullptr};
  pid_t child = -1;
  EXPECT_EQ(::posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, environment.data()), 0);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

void expectClean(const std::string &folder) {
  if (std::filesystem::exists(folder))
    EXPECT_THAT(verifyCache(folder).damaged, IsEmpty());
}

class CacheFaultTest : public CacheTest {};

TEST_F(CacheFaultTest, AWriterKilledAtAnyStepLeavesAWholeCache) {
  int steps = 0;
  for (int status = SIGKILL; WIFSIGNALED(status); ++steps) {
    ASSERT_LT(steps, 100);
    std::filesystem::remove_all(folder_);
    status = runWriter(folder_, "kill", steps + 1);
    expectClean(folder_);
    EXPECT_EQ(runWriter(folder_, "kill", 0), 0) << "after a kill at step " << steps + 1;
    KernelCache healthy = cache();
    EXPECT_EQ(healthy.find(keyOf("a")), codeOf(1));
  }
  EXPECT_GT(steps, 8); // make folders, create, write, extend, sync, link, rename, sync the folder
}

TEST_F(CacheFaultTest, AFailureAtAnyStepCostsTheEntryAlone) {
  for (const int reason : {ENOSPC, EIO, EEXIST, EACCES})
    for (int at = 1; at <= 14; ++at) {
      std::filesystem::remove_all(folder_);
      EXPECT_EQ(runWriter(folder_, std::to_string(reason), at), 0) << std::strerror(reason) << " at step " << at;
      expectClean(folder_);
      EXPECT_EQ(runWriter(folder_, "kill", 0), 0);
    }
}

// How often the loops below kill: DS4C_CACHE_KILLS, else a number for every day.
int kills() {
  const char *wanted = std::getenv("DS4C_CACHE_KILLS");
  return wanted ? std::atoi(wanted) : 150;
}

TEST_F(CacheFaultTest, WritersKilledAtRandomMomentsLeaveACleanCache) {
  std::mt19937 random(7);
  cache(); // the folder
  for (int i = 0; i < kills(); ++i) {
    const pid_t child = ::fork();
    if (child == 0)
      for (int n = 0;; ++n)
        cache().store(keyOf(std::to_string(n % 3)), codeOf(n % 3 + 1));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  expectClean(folder_);
  for (int n = 0; n < 3; ++n)
    if (const auto found = cache().find(keyOf(std::to_string(n))))
      EXPECT_EQ(*found, codeOf(n + 1));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(CacheFaultTest, WritersOfOneKeyNeverMix) {
  constexpr int kWriters = 8, kRounds = 40;
  std::vector<pid_t> children;
  for (int writer = 0; writer < kWriters; ++writer) {
    children.push_back(::fork());
    if (children.back() != 0)
      continue;
    int wrong = 0;
    for (int round = 0; round < kRounds; ++round) {
      KernelCache own = cache(); // the first makes the folder, the others find it
      own.store(keyOf("a"), codeOf(writer + 1));
      const auto found = own.find(keyOf("a"));
      wrong += !found || *found != codeOf(static_cast<int>(found->front()));
    }
    ::_exit(wrong == 0 && warnings_.empty() ? 0 : 1);
  }
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  expectClean(folder_);
}

} // namespace
} // namespace ds4

int main(int argc, char **argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--store")
    return ds4::store(argv[2]);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
