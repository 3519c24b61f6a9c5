// The entry points that libds4cuda.so exports, declared by the tables that its clients load, and what their bodies share.
//
// CUDA's result codes are HIP's wherever both know them; translate() maps the rest. Handles are CUDA's own behind HIP's
// opaque types. A device's primary context is made current by the first call of a thread that needs one.
#pragma once

#include <string>

#include "runtime/hip/HipApi.h"
#include "runtime/providers/cuda/Libraries.h"

namespace ds4::hip {

#define DS4_EXPORTED(name, result, parameters) extern "C" __attribute__((visibility("default"))) result name parameters;
DS4_HIP_REQUIRED(DS4_EXPORTED)
DS4_HIP_PROPERTIES(DS4_EXPORTED)
DS4_RTC_REQUIRED(DS4_EXPORTED)
#undef DS4_EXPORTED

} // namespace ds4::hip

namespace ds4::cuda {

// A failed HIP call: its result, and the reason in words where there is more to say than the result's name.
struct Refusal {
  hip::Result result;
  std::string reason;
};

hip::Result translate(Result result);

// Throws Refusal for any result but success, with CUDA's own name and text of it.
void check(Result result);

// The body of an entry point: no exception passes. A failure is remembered for this thread's hipGetLastError, its reason
// for hipGetErrorString.
hip::Result remember(const Refusal &refusal);
hip::Result rememberException();
template <typename Body> hip::Result entry(Body body) {
  try {
    body();
    return hip::kSuccess;
  } catch (...) {
    return rememberException();
  }
}

template <typename T> T &required(T *pointer) {
  if (!pointer)
    throw Refusal{hip::kInvalidValue, "a null pointer for a result"};
  return *pointer;
}

Device deviceOf(int ordinal);   // throws Refusal (InvalidDevice)
const Driver &currentDriver(); // the driver, with the context of this thread's device current

inline Stream cudaStream(hip::StreamHandle stream) { return reinterpret_cast<Stream>(stream); }
inline Event cudaEvent(hip::EventHandle event) { return reinterpret_cast<Event>(event); }
inline Address addressOf(const void *pointer) { return reinterpret_cast<Address>(pointer); }

} // namespace ds4::cuda
