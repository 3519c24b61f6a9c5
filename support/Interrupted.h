// How work ends that the user stopped.
#pragma once

#include "support/Error.h"

namespace ds4 {

// The exit code that shells give to SIGINT.
inline constexpr ExitCode kInterrupted = static_cast<ExitCode>(130);

} // namespace ds4
