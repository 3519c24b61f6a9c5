// How a bad file must be refused: one line, the user's exit code, the file and the cause named, in well under a second.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/Model.h"
#include "support/Error.h"

namespace ds4::test {

inline void expectRefusal(const std::string &path, const std::string &cause) {
  const auto start = std::chrono::steady_clock::now();
  try {
    Model::open(path);
    ADD_FAILURE() << "was opened; wanted: " << cause;
  } catch (const Error &error) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), ExitCode::User);
    EXPECT_THAT(message, testing::HasSubstr(cause));
    EXPECT_THAT(message, testing::HasSubstr(std::filesystem::path(path).filename().string()));
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), 4000u);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

} // namespace ds4::test
