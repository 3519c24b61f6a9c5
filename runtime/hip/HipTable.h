// HIP and hipRTC as tables of functions, filled from whatever library provides them. Nothing of ds4c links HIP.
//
// A loaded library stays loaded for the life of the process: GPU runtimes own threads that do not survive dlclose.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/hip/HipApi.h"

namespace ds4::hip {

// Asked where they are exported.
#define DS4_HIP_OPTIONAL(X)                                                                                                        \
  X(hipDeviceTotalMem, Result, (size_t * bytes, int device))                                                                       \
  X(hipDeviceGetPCIBusId, Result, (char *address, int bytes, int device))

#define DS4_HIP_MEMBER(name, result, parameters) result(*name) parameters = nullptr;

struct HipTable {
  DS4_HIP_REQUIRED(DS4_HIP_MEMBER)
  DS4_HIP_PROPERTIES(DS4_HIP_MEMBER) // at least one
  DS4_HIP_OPTIONAL(DS4_HIP_MEMBER)
  DS4_HIP_SIMULATOR(DS4_HIP_MEMBER)  // all or none
  std::string library;               // the path it came from
};

struct RtcTable {
  DS4_RTC_REQUIRED(DS4_HIP_MEMBER)
  std::string library;
};

#undef DS4_HIP_MEMBER

// Load the first of `candidates` (names or paths, as for dlopen) that exists and exports everything required. When none
// does, throw ds4::Error (Environment) that lists each candidate with the loader's reason or the missing symbols, and
// ends in the remedy.
HipTable loadHip(std::span<const std::string> candidates, std::string_view remedy);
RtcTable loadRtc(std::span<const std::string> candidates);

// Where the AMD runtime is looked for, newest first.
std::vector<std::string> amdHipCandidates();
// The hipRTC that belongs to a HIP library: libhiprtc.so of the same version beside it, else the library itself (HIP 5
// and ds4c's own providers carry both).
std::vector<std::string> rtcCandidates(const std::string &hipLibrary);
// The folders of the executable and of the library that holds this code, where they are known.
std::vector<std::string> foldersOfThisProgram();
// Where a provider of our own is looked for: in ../lib and beside the executable, beside this code's own library, then
// on the loader's path.
std::vector<std::string> ownProviderCandidates(std::string_view fileName);

} // namespace ds4::hip
