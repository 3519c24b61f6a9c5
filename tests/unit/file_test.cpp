// Files that are written: what an output's name may stand for, and what is never lost.
#include "support/File.h"

#include <array>
#include <climits>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "support/Outputs.h"
#include "tests/unit/Failure.h"

namespace ds4 {

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FileTest : public testing::Test {
protected:
  FileTest() : folder_(fs::path(testing::TempDir()) / "file_test" / testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~FileTest() override { fs::remove_all(folder_); }

  std::string operator/(const std::string &name) const { return (folder_ / name).string(); }
  static std::string contents(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator(file), {}};
  }
  static mode_t modeOf(const std::string &path) {
    struct stat status{};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
  }
  size_t entries() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  fs::path folder_;
};

TEST_F(FileTest, ANewFileHasTheModeThatTheUmaskLeaves) {
  for (const mode_t mask : {022, 077, 027}) {
    const mode_t before = ::umask(mask);
    writeFileAtomically(*this / "file", "new");
    ::umask(before);
    EXPECT_EQ(modeOf(*this / "file"), 0644 & ~mask);
    fs::remove(*this / "file");
  }
}

TEST_F(FileTest, AFileThatIsReplacedKeepsItsMode) {
  writeFileAtomically(*this / "file", "old");
  for (const mode_t mode : {0600, 0664, 0640}) {
    ASSERT_EQ(::chmod((*this / "file").c_str(), mode), 0);
    writeFileAtomically(*this / "file", "new");
    EXPECT_EQ(modeOf(*this / "file"), mode);
  }
}

TEST_F(FileTest, ALinkIsWrittenThrough) {
  fs::create_directory(*this / "folder");
  writeFileAtomically(*this / "folder/file", "old");
  fs::create_symlink("folder/file", *this / "second");
  fs::create_symlink(*this / "second", *this / "first");
  fs::create_symlink("folder/absent", *this / "dangling");
  writeFileAtomically(*this / "first", "new");
  writeFileAtomically(*this / "dangling", "made");
  EXPECT_TRUE(fs::is_symlink(*this / "first") && fs::is_symlink(*this / "second") && fs::is_symlink(*this / "dangling"));
  EXPECT_EQ(contents(*this / "folder/file"), "new");
  EXPECT_EQ(contents(*this / "folder/absent"), "made");
  EXPECT_EQ(entries(), 4u);
}

TEST_F(FileTest, ALinkToItselfIsRefused) {
  fs::create_symlink("b", *this / "a");
  fs::create_symlink("a", *this / "b");
  const auto [code, line] = test::failure([&] { FileWriter(*this / "a"); });
  EXPECT_EQ(code, ExitCode::User);
  EXPECT_THAT(line, HasSubstr("a' is a link that leads to itself: choose another output"));
}

TEST_F(FileTest, NamesAreAsLongAsTheFolderAllows) {
  writeFileAtomically(*this / std::string(NAME_MAX, 'x'), "long");
  EXPECT_EQ(contents(*this / std::string(NAME_MAX, 'x')), "long");
  EXPECT_EQ(entries(), 1u);
  for (const std::string &name : {std::string(NAME_MAX + 1, 'x'), std::string("none/file")}) {
    const auto [code, line] = test::failure([&] { FileWriter(*this / name); }); // before a byte is written
    EXPECT_EQ(code, ExitCode::Environment);
    EXPECT_THAT(line, HasSubstr("cannot write '"));
  }
}

TEST_F(FileTest, TooManyOpenFilesAreTheEnvironments) {
  writeFileAtomically(*this / "file", "text");
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const struct rlimit none{3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto [code, line] = test::failure([&] { File(*this / "file"); });
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(code, ExitCode::Environment);
  EXPECT_THAT(line, HasSubstr("Too many open files"));
  EXPECT_EQ(test::failure([&] { File(*this / "none"); }).first, ExitCode::User);
}

TEST_F(FileTest, OneFileForTwoOutputsIsRefusedByAnyName) {
  const auto refusal = [&](const std::string &a, const std::string &b) {
    return test::failure([&] { refuseOneFileForTwo(std::array{NamedOutput{"--a", a}, NamedOutput{"--b", b}}); }).second;
  };
  writeFileAtomically(*this / "there", "text");
  fs::create_symlink("new", *this / "link");
  EXPECT_EQ(refusal(*this / "new", *this / "new"), fmt::format("--a and --b both write '{}': name two files", *this / "new"));
  EXPECT_NE(refusal(*this / "new", *this / "./new"), "");
  EXPECT_NE(refusal(*this / "link", *this / "new"), "");
  EXPECT_NE(refusal(*this / "there", *this / "none/../there"), "");
  EXPECT_EQ(refusal(*this / "new", *this / "there"), "");
  EXPECT_EQ(refusal("", ""), "");
}

} // namespace

} // namespace ds4
