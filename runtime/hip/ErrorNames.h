// Names and texts of HIP's results, as the runtime spells them.
#pragma once

#include <algorithm>
#include <iterator>

#include "runtime/hip/HipApi.h"

namespace ds4::hip {

struct ErrorName {
  Result result;
  const char *name, *text;
};

inline constexpr ErrorName kErrorNames[] = {
    {kSuccess, "hipSuccess", "no error"},
    {kInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {kOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {kNotInitialized, "hipErrorNotInitialized", "initialization error"},
    {kInvalidConfiguration, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    {kInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {kNoDevice, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {kInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {kInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    {kNoBinaryForGpu, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"},
    {kInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {kNotFound, "hipErrorNotFound", "named symbol not found"},
    {kNotReady, "hipErrorNotReady", "device not ready"},
    {kIllegalAddress, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {kLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {kUnknown, "hipErrorUnknown", "unknown error"},
};

// The row of a result; that of kUnknown for one that is not listed.
inline const ErrorName &errorName(Result result) {
  const auto *found = std::find_if(std::begin(kErrorNames), std::end(kErrorNames), [&](const ErrorName &e) { return e.result == result; });
  return found == std::end(kErrorNames) ? std::end(kErrorNames)[-1] : *found;
}

} // namespace ds4::hip
