#include <gtest/gtest.h>

#include "support/Error.h"
#include "support/Printable.h"
#include "tests/unit/Failure.h"

namespace ds4 {

// Names of tensors, kernels and fields come from files that may be damaged; a refusal that repeats one stays a line.
TEST(Error, IsOneLineWhateverAFileBringsIntoIt) {
  const std::string name("ffn\n\nup\t\x01\0.weight\x7f", 18);
  EXPECT_EQ(test::failure([&] { userError("'{}' is missing", name); }),
            std::pair(ExitCode::User, std::string("'ffn; up \\x01\\x00.weight\\x7f' is missing")));
  EXPECT_EQ(test::failure([] { throw Error(ExitCode::Environment, "no device\n"); }),
            std::pair(ExitCode::Environment, std::string("no device")));
}

TEST(Error, KeepsLettersBeyondAscii) {
  EXPECT_EQ(test::failure([] { userError("'{}' is missing", "größe"); }).second, "'größe' is missing");
}

// A terminal obeys control characters, of which U+009B is one, and shows other bytes as it likes.
TEST(Error, ShowsWhatIsNotPrintable) {
  EXPECT_EQ(test::failure([] { userError("\x1b[2J \xc2\x9b m \xff"); }).second, "\\x1b[2J \\xc2\\x9b m \\xff");
  EXPECT_EQ(quoteName("a\xc3"), "'a\\xc3'");
}

TEST(Error, IsNoLongerThanAPersonReads) {
  std::string name;
  for (int i = 0; i < 1000000; ++i)
    name += "ß";
  const std::string message = test::failure([&] { userError("'{}' is missing: fetch it again", name); }).second;
  EXPECT_LE(message.size(), 4000u);
  EXPECT_TRUE(message.starts_with("'ßß")) << message;
  EXPECT_TRUE(message.ends_with("ß' is missing: fetch it again")) << message;
  EXPECT_EQ(message, oneLine(message));
  const size_t gap = message.find(" ... ");
  ASSERT_NE(gap, message.npos);
  EXPECT_EQ(message.substr(gap - 2, 9), "ß ... ß");
  EXPECT_EQ(quoteName(std::string(100, 'x')), "'" + std::string(80, 'x') + "...'");
}

} // namespace ds4
