// libcuda and libnvrtc, found at run time. Each is loaded by the first call that needs it, and stays.
//
// Where: the environment variable (DS4C_CUDA_DRIVER, DS4C_NVRTC: a path, then the only candidate), else the names
// and folders that drivers and toolkits install under.
#pragma once

#include <stdexcept>
#include <string>

#include "runtime/providers/cuda/CudaApi.h"

namespace ds4::cuda {

#define DS4_CUDA_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
struct Driver {
  DS4_CUDA_DRIVER(DS4_CUDA_MEMBER)
  DS4_CUDA_DRIVER_OPTIONAL(DS4_CUDA_MEMBER)
};
struct Nvrtc {
  DS4_CUDA_RTC(DS4_CUDA_MEMBER)
};
#undef DS4_CUDA_MEMBER

// A library that is not there or lacks an entry point; the message names each candidate with the reason.
struct LibraryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throw LibraryError; a later call tries again.
const Driver &driver();
const Nvrtc &nvrtc();

} // namespace ds4::cuda
