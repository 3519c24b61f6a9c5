// Opens a drafter's file, as a test describes it, for the small model.
#pragma once

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "models/DrafterModel.h"
#include "tests/unit/Failure.h"
#include "tests/unit/models/SmallModel.h"

namespace ds4::test {

// `File`: what write(path) makes a file of.
template <typename File> class DrafterFileTest : public testing::Test {
protected:
  DrafterModel open(const File &file) {
    SmallModel().write(folder_ / "target.gguf");
    target_.emplace(Model::open(folder_ / "target.gguf"));
    file.write(folder_ / "drafter.gguf");
    return DrafterModel::open(folder_ / "drafter.gguf", *target_);
  }
  std::string refusal(const File &file) {
    const auto [code, line] = failure([&] { open(file); });
    EXPECT_EQ(code, ExitCode::User);
    EXPECT_EQ(line.find('\n'), line.npos);
    return line;
  }

  TemporaryFolder folder_;
  std::optional<Model> target_;
};

} // namespace ds4::test
