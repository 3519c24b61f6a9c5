// A recorder's records as files: a trace for Perfetto and chrome://tracing, and one JSON record a line.
#pragma once

#include <string>

#include "runtime/plan/Plan.h"
#include "runtime/trace/Recorder.h"
#include "support/File.h"

namespace ds4::trace {

// What both files say of the run.
struct ProfileInfo {
  std::string device;         // "gfx1151 simulator (gfx1151)"
  std::string plan;           // planIdentity()
  std::string responseSha256; // responseDigest() of what was generated
};

// A JSON object of events with a name, begin and duration ("traceEvents"), and what the time axis is ("otherData"). On the
// simulator a microsecond of the viewer is one wave instruction.
void writeChromeTrace(FileWriter &file, const ProfileInfo &info, const Plan &plan, const Recorder &recorder);

// A header, a record a line, and a footer with the number of records, how many were dropped, and the response's SHA-256. Two
// runs of the same response on the simulator differ in "host_ns" alone.
void writeLineRecords(FileWriter &file, const ProfileInfo &info, const Plan &plan, const Recorder &recorder);

} // namespace ds4::trace
