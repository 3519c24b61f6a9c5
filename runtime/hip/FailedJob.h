// What a failed compile leaves for the person who looks into it.
#pragma once

#include <string>

#include "runtime/hip/RtcClient.h"

namespace ds4::hip {

// Writes <kernel>.log into `folder` and returns its path; "" when it cannot be written.
std::string writeJobLog(const std::string &folder, const std::string &kernel, const std::string &log);

// Writes beside it the source (.hip), the whole request (.request), and a line that compiles it again (.sh).
// Throws ds4::Error (Environment) when the folder cannot be made or written.
void dumpJob(const std::string &folder, const RtcRequest &request, const std::string &helper);

} // namespace ds4::hip
