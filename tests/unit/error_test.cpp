#include <gtest/gtest.h>

#include "support/Error.h"
#include "tests/unit/Failure.h"

namespace ds4 {

// Names of tensors, kernels and fields come from files that may be damaged; a refusal that repeats one stays a line.
TEST(Error, IsOneLineWhateverAFileBringsIntoIt) {
  const std::string name("ffn\n\nup\t\x01\0.weight\x7f", 18);
  EXPECT_EQ(test::failure([&] { userError("'{}' is missing", name); }),
            std::pair(ExitCode::User, std::string("'ffn; up   .weight ' is missing")));
  EXPECT_EQ(test::failure([] { throw Error(ExitCode::Environment, "no device\n"); }),
            std::pair(ExitCode::Environment, std::string("no device")));
}

TEST(Error, KeepsLettersBeyondAscii) {
  EXPECT_EQ(test::failure([] { userError("'{}' is missing", "größe"); }).second, "'größe' is missing");
}

} // namespace ds4
