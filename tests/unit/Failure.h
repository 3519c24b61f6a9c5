// How an action ends: the code and the line of the ds4::Error that it throws, or success.
#pragma once

#include <string>
#include <utility>

#include "support/Error.h"

namespace ds4::test {

template <typename Action> std::pair<ExitCode, std::string> failure(Action action) {
  try {
    action();
  } catch (const Error &error) {
    return {error.code(), error.what()};
  }
  return {ExitCode::Success, ""};
}

} // namespace ds4::test
