// The entry points that libds4sim.so exports, declared by the tables that its clients load: a signature that differs
// from the table does not compile.
#pragma once

#include "runtime/hip/HipApi.h"

namespace ds4::hip {

#define DS4_EXPORTED(name, result, parameters) extern "C" __attribute__((visibility("default"))) result name parameters;
DS4_HIP_REQUIRED(DS4_EXPORTED)
DS4_HIP_PROPERTIES(DS4_EXPORTED)
DS4_HIP_SIMULATOR(DS4_EXPORTED)
DS4_RTC_REQUIRED(DS4_EXPORTED)
#undef DS4_EXPORTED

} // namespace ds4::hip
