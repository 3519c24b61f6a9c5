// The kernel cache on a healthy machine, with damaged entries, and with folders that it cannot use.
#include "runtime/cache/KernelCache.h"

#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "support/Error.h"
#include "support/File.h"
#include "tests/unit/cache/CacheTools.h"

namespace ds4 {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class KernelCacheTest : public CacheTest {};

TEST_F(KernelCacheTest, FindsWhatWasStored) {
  KernelCache first = cache();
  EXPECT_FALSE(first.find(keyOf("a")));
  first.store(keyOf("a"), codeOf(1));
  first.store(keyOf("b"), codeOf(2, 0));
  EXPECT_EQ(cache().find(keyOf("a")), codeOf(1));
  EXPECT_EQ(cache(CachePolicy::ReadOnly).find(keyOf("b")), codeOf(2, 0));
  EXPECT_FALSE(cache(CachePolicy::Redo).find(keyOf("a")));
  EXPECT_FALSE(cache(CachePolicy::Off).find(keyOf("a")));
  cache(CachePolicy::Redo).store(keyOf("a"), codeOf(3));
  EXPECT_EQ(cache().find(keyOf("a")), codeOf(3));
  EXPECT_THAT(warnings_, IsEmpty());
  struct stat status;
  ASSERT_EQ(::stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(KernelCacheTest, EveryFieldOfTheKeyMatters) {
  cache().store(keyOf("a"), codeOf(1));
  const std::vector<void (*)(KernelKey &)> changes{
      [](KernelKey &k) { k.kernel = "b"; },
      [](KernelKey &k) { k.architecture = "gfx1150"; },
      [](KernelKey &k) { k.compiler = "hipRTC 7.2"; },
      [](KernelKey &k) { k.generator = "ds4c 0.1.1"; },
      [](KernelKey &k) { k.source += " "; },
      [](KernelKey &k) { k.headers = "digesu"; },
      [](KernelKey &k) { k.options = {"-O3", "-std=c++20"}; },
      [](KernelKey &k) { k.options = {"-std=c++20-O3"}; },
      [](KernelKey &k) { k.options.pop_back(); },
      [](KernelKey &k) { k.environment = {{"AMD_COMGR_DRIVER_OPTIONS_APPEND", "-O1"}}; },
      [](KernelKey &k) { k.block = 32; },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    KernelKey other = keyOf("a");
    changes[i](other);
    EXPECT_FALSE(cache().find(other)) << "change " << i;
  }
  EXPECT_TRUE(cache().find(keyOf("a")));
}

TEST_F(KernelCacheTest, FieldsCannotRunIntoEachOther) {
  KernelKey a = keyOf("a"), b = keyOf("a");
  a.options = {"x", "y"};
  b.options = {"x\noption 1\ny"};
  EXPECT_NE(a.text(), b.text());
  a.environment = {{"ab", "c"}};
  b = a;
  b.environment = {{"a", "bc"}};
  EXPECT_NE(a.digest(), b.digest());
  EXPECT_EQ(fieldOfKey(a.text(), "kernel"), "a");
  EXPECT_EQ(fieldOfKey(a.text(), "source"), "void f();");
  EXPECT_EQ(fieldOfKey("kernel 99\na\n", "kernel"), "");
  const std::vector<std::pair<std::string, std::string>> one{{"a.h", "bc"}}, two{{"a.hb", "c"}};
  EXPECT_NE(KernelKey::digestOf(one), KernelKey::digestOf(two));
}

TEST_F(KernelCacheTest, TheEnvironmentOfTheCompilerIsInTheKey) {
  ::unsetenv("AMD_COMGR_DRIVER_OPTIONS_APPEND");
  const size_t before = KernelKey::affectingEnvironment().size();
  ::setenv("AMD_COMGR_DRIVER_OPTIONS_APPEND", "-mllvm -x", 1);
  EXPECT_THAT(KernelKey::affectingEnvironment(), SizeIs(before + 1));
  ::unsetenv("AMD_COMGR_DRIVER_OPTIONS_APPEND");
}

TEST_F(KernelCacheTest, AReadOnlyCacheNamesTheKeyThatItLacks) {
  for (int folderIsThere = 0; folderIsThere < 2; ++folderIsThere) {
    try {
      cache(CachePolicy::ReadOnly).find(keyOf("missing_kernel"));
      FAIL();
    } catch (const Error &error) {
      EXPECT_EQ(error.code(), ExitCode::Environment);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("missing_kernel"), HasSubstr(keyOf("missing_kernel").digest())));
      EXPECT_EQ(std::string(error.what()).find("No such file or directory") != std::string::npos, folderIsThere == 0)
          << error.what();
    }
    EXPECT_THAT(warnings_, IsEmpty()); // the error says it all
    EXPECT_EQ(std::filesystem::exists(folder_), folderIsThere == 1);
    cache();
  }
  EXPECT_EQ(parseCachePolicy("readonly"), CachePolicy::ReadOnly);
  EXPECT_THROW(parseCachePolicy("sometimes"), Error);
}

// --- Damaged entries: put aside with one warning, and the next store heals ---

class DamagedEntry : public KernelCacheTest, public testing::WithParamInterface<const char *> {
protected:
  void damage(const std::string &path) {
    const std::string kind = GetParam();
    std::vector<std::byte> bytes = File(path).readAll();
    if (kind == "truncated")
      bytes.resize(bytes.size() / 2);
    else if (kind == "one byte short")
      bytes.pop_back();
    else if (kind == "one byte more")
      bytes.push_back({});
    else if (kind == "empty")
      bytes.clear();
    else if (kind == "zeroed")
      std::fill(bytes.begin(), bytes.end(), std::byte(0));
    else if (kind == "bit flipped in the code")
      bytes[bytes.size() - 100] ^= std::byte(4);
    else if (kind == "bit flipped in the key")
      bytes[40] ^= std::byte(1);
    else if (kind == "bit flipped in a length")
      bytes[12] ^= std::byte(128);
    else if (kind == "terabytes")
      return std::filesystem::resize_file(path, uint64_t(7) << 40); // a hole: the disk does not mind
    else if (kind == "another version")
      bytes[4] = std::byte(2);
    else if (kind == "another key")
      bytes = encodeEntry({keyOf("other").text(), codeOf(9)});
    std::ofstream(path, std::ios::trunc)
        .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
};

TEST_P(DamagedEntry, IsPutAsideAndHealed) {
  cache().store(keyOf("a"), codeOf(1));
  damage(pathOf(keyOf("a")));
  EXPECT_FALSE(cache().find(keyOf("a")));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("cached kernel a is not used")));
  EXPECT_FALSE(std::filesystem::exists(pathOf(keyOf("a"))));
  EXPECT_THAT(verifyCache(folder_).damaged, IsEmpty());
  cache().store(keyOf("a"), codeOf(1));
  EXPECT_EQ(cache().find(keyOf("a")), codeOf(1));
  EXPECT_THAT(warnings_, SizeIs(1));
}

TEST_P(DamagedEntry, IsFoundByVerify) {
  cache().store(keyOf("a"), codeOf(1));
  cache().store(keyOf("b"), codeOf(2));
  damage(pathOf(keyOf("a")));
  const VerifyReport report = verifyCache(folder_);
  EXPECT_EQ(report.entries, 1u);
  EXPECT_THAT(report.damaged, ElementsAre(HasSubstr(keyOf("a").digest())));
  EXPECT_THAT(verifyCache(folder_).damaged, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Kinds, DamagedEntry,
                         testing::Values("truncated", "one byte short", "one byte more", "empty", "zeroed",
                                         "bit flipped in the code", "bit flipped in the key", "bit flipped in a length",
                                         "terabytes", "another version", "another key"));

TEST_F(KernelCacheTest, AReadOnlyCacheLeavesADamagedEntryAlone) {
  cache().store(keyOf("a"), codeOf(1));
  std::ofstream(pathOf(keyOf("a")), std::ios::app) << "x";
  EXPECT_THROW(cache(CachePolicy::ReadOnly).find(keyOf("a")), Error);
  EXPECT_TRUE(std::filesystem::exists(pathOf(keyOf("a"))));
}

TEST_F(KernelCacheTest, LinksAndFoldersAreNoEntries) {
  cache().store(keyOf("a"), codeOf(1));
  std::filesystem::rename(pathOf(keyOf("a")), folder_ + "/elsewhere");
  std::filesystem::create_symlink(folder_ + "/elsewhere", pathOf(keyOf("a")));
  EXPECT_FALSE(cache().find(keyOf("a")));
  std::filesystem::create_directory(pathOf(keyOf("b")));
  EXPECT_FALSE(cache().find(keyOf("b")));
  EXPECT_THAT(warnings_, SizeIs(2));
}

// --- Folders that cannot be used: one warning, and everything goes on without ---

void expectMemoryOnly(KernelCache cache, const std::vector<std::string> &warnings, const std::string &reason) {
  EXPECT_FALSE(cache.find(keyOf("a")));
  cache.store(keyOf("a"), codeOf(1));
  cache.store(keyOf("b"), codeOf(1));
  EXPECT_FALSE(cache.find(keyOf("a")));
  cache.trim();
  EXPECT_THAT(warnings, ElementsAre(HasSubstr(reason)));
}

TEST_F(KernelCacheTest, NoHomeMeansNoCache) {
  for (const char *variable : {"DS4C_CACHE_DIR", "XDG_CACHE_HOME", "HOME"})
    ::unsetenv(variable);
  for (const char *home : {"", "/", "relative/home"}) {
    ::setenv("HOME", home, 1);
    EXPECT_EQ(defaultCacheFolder(), "");
  }
  folder_ = "";
  expectMemoryOnly(cache(), warnings_, "neither HOME nor XDG_CACHE_HOME");
  ::setenv("HOME", "/home/x", 1);
  EXPECT_EQ(defaultCacheFolder(), "/home/x/.cache/ds4c/kernels");
  ::setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(defaultCacheFolder(), "/xdg/ds4c/kernels");
  ::setenv("DS4C_CACHE_DIR", "/own", 1);
  EXPECT_EQ(defaultCacheFolder(), "/own/kernels");
  folder_ = testing::TempDir() + "none/none/none";
}

TEST_F(KernelCacheTest, AFileInTheWayMeansNoCache) {
  std::filesystem::create_directories(std::filesystem::path(folder_).parent_path());
  std::ofstream(folder_) << "a file";
  expectMemoryOnly(cache(), warnings_, "is no folder");
}

TEST_F(KernelCacheTest, ALinkToItselfMeansNoCache) {
  std::filesystem::create_directories(std::filesystem::path(folder_).parent_path());
  std::filesystem::create_symlink(std::filesystem::path(folder_).filename(), folder_);
  expectMemoryOnly(cache(), warnings_, "Too many levels of symbolic links");
}

TEST_F(KernelCacheTest, AFolderOfAnotherUserMeansNoCache) {
  if (::geteuid() != 0) {
    folder_ = "/usr"; // root's
    expectMemoryOnly(cache(), warnings_, "belongs to another user");
    folder_ = testing::TempDir() + "none/none/none";
    return;
  }
  cache().store(keyOf("a"), codeOf(1));
  ASSERT_EQ(::chown(folder_.c_str(), 12345, 12345), 0);
  expectMemoryOnly(cache(), warnings_, "belongs to another user");
}

TEST_F(KernelCacheTest, AnEntryOfAnotherUserIsNotUsed) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  cache().store(keyOf("a"), codeOf(1));
  ASSERT_EQ(::chown(pathOf(keyOf("a")).c_str(), 12345, 12345), 0);
  EXPECT_FALSE(cache().find(keyOf("a")));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("no file of this user")));
}

TEST_F(KernelCacheTest, AFolderThatEveryoneWritesMeansNoCache) {
  cache();
  std::filesystem::permissions(folder_, std::filesystem::perms::all);
  expectMemoryOnly(cache(), warnings_, "everyone may write");
}

// Runs `body` in a child with a file system of its own on `folder`; 77 when this machine does not allow that.
template <typename Body> int withFileSystem(const std::string &folder, unsigned long flags, const char *options, Body body) {
  std::filesystem::create_directories(folder);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool own = ::unshare(CLONE_NEWNS | (::geteuid() == 0 ? 0 : CLONE_NEWUSER)) == 0 &&
                     ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                     ::mount("tmpfs", folder.c_str(), "tmpfs", flags, options) == 0;
    ::_exit(own ? body() : 77);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST_F(KernelCacheTest, AFullDiskLeavesNoPartOfAnEntry) {
  const int outcome = withFileSystem(folder_, 0, "size=64k,mode=0700", [&] {
    KernelCache full = cache();
    full.store(keyOf("a"), codeOf(1, 1'000'000));
    full.store(keyOf("b"), codeOf(1, 1'000'000));
    const bool oneWarning = warnings_.size() == 1 && warnings_[0].find("No space left on device") != std::string::npos;
    const bool nothingThere = listCacheFiles(folder_).empty() && !full.find(keyOf("a"));
    KernelCache again = cache();
    again.store(keyOf("small"), codeOf(1, 100));
    return oneWarning && nothingThere && again.find(keyOf("small")) ? 0 : 1;
  });
  if (outcome == 77)
    GTEST_SKIP() << "no file system can be mounted here";
  EXPECT_EQ(outcome, 0);
}

TEST_F(KernelCacheTest, AReadOnlyDiskMeansNoCache) {
  const std::string home = folder_;
  const int outcome = withFileSystem(home, MS_RDONLY, "mode=0700", [&] {
    folder_ = home + "/.cache/ds4c/kernels";
    KernelCache readOnly = cache();
    readOnly.store(keyOf("a"), codeOf(1));
    return warnings_.size() == 1 && warnings_[0].find("Read-only file system") != std::string::npos && !readOnly.find(keyOf("a"))
               ? 0
               : 1;
  });
  if (outcome == 77)
    GTEST_SKIP() << "no file system can be mounted here";
  EXPECT_EQ(outcome, 0);
}

// --- Size and clock ---

void setUsed(const std::string &path, std::chrono::hours ago) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - ago);
}

TEST_F(KernelCacheTest, PruningKeepsWhatWasUsedLast) {
  using std::chrono::hours;
  const std::string names[] = {"a", "b", "c", "d"};
  for (const std::string &name : names)
    cache().store(keyOf(name), codeOf(1));
  setUsed(pathOf(keyOf("a")), hours(1));
  setUsed(pathOf(keyOf("b")), hours(9));
  setUsed(pathOf(keyOf("c")), hours(5));
  setUsed(pathOf(keyOf("d")), hours(7));
  EXPECT_TRUE(cache().find(keyOf("d"))); // used now
  const uint64_t size = std::filesystem::file_size(pathOf(keyOf("a")));
  const PruneReport report = pruneCache(folder_, 2 * size + 1);
  EXPECT_EQ(report.removed, 2u);
  EXPECT_EQ(report.kept, 2u);
  EXPECT_TRUE(cache().find(keyOf("a")));
  EXPECT_TRUE(cache().find(keyOf("d")));
  EXPECT_FALSE(cache().find(keyOf("b")));

  setUsed(pathOf(keyOf("a")), hours(1));
  setUsed(pathOf(keyOf("d")), hours(1));
  KernelCache small({.folder = folder_, .maxBytes = size + 1});
  small.store(keyOf("e"), codeOf(1));
  small.trim();
  EXPECT_THAT(listCacheFiles(folder_), SizeIs(1));
  EXPECT_TRUE(small.find(keyOf("e")));
}

TEST_F(KernelCacheTest, AClockThatWentBackwardsCostsNothing) {
  using std::chrono::hours;
  cache().store(keyOf("future"), codeOf(1));
  cache().store(keyOf("now"), codeOf(2));
  cache().store(keyOf("ancient"), codeOf(3));
  setUsed(pathOf(keyOf("future")), hours(-24 * 365));
  setUsed(pathOf(keyOf("ancient")), hours(24 * 365 * 60)); // before 1970
  EXPECT_THAT(verifyCache(folder_).damaged, IsEmpty());
  pruneCache(folder_, 2 * std::filesystem::file_size(pathOf(keyOf("now"))) + 100);
  EXPECT_TRUE(cache().find(keyOf("now")));
  EXPECT_TRUE(cache().find(keyOf("ancient")));
  EXPECT_FALSE(cache().find(keyOf("future"))); // the least recent, as far as anyone knows
  cache().store(keyOf("future"), codeOf(1));
  setUsed(pathOf(keyOf("future")), hours(-24 * 365));
  EXPECT_EQ(cache().find(keyOf("future")), codeOf(1));
  EXPECT_LT(std::filesystem::last_write_time(pathOf(keyOf("future"))), std::filesystem::file_time_type::clock::now() + hours(1));
}

TEST_F(KernelCacheTest, OldLeftoversGoAndOtherFilesStay) {
  cache().store(keyOf("a"), codeOf(1));
  const std::string old = pathOf(keyOf("a")) + ".tmp.0123", young = pathOf(keyOf("a")) + ".tmp.4567", aside = folder_ + "/x.bad",
                    other = folder_ + "/notes.txt";
  for (const std::string &path : {old, young, aside, other})
    std::ofstream(path) << "x";
  setUsed(old, std::chrono::hours(2));
  setUsed(other, std::chrono::hours(2000));
  pruneCache(folder_, 1'000'000);
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(young)); // its writer may be at work
  EXPECT_FALSE(std::filesystem::exists(aside));
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_TRUE(cache().find(keyOf("a")));
}

} // namespace
} // namespace ds4
