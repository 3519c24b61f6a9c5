// Results, reasons and the calling thread's last error.
#include <new>

#include "runtime/hip/ErrorNames.h"
#include "runtime/providers/cuda/Exports.h"
#include "support/OfThread.h"

namespace ds4::cuda {
namespace {

static_assert(hip::Result{} == hip::kSuccess);
Refusal &lastError() { return ofThread<Refusal>(); } // modules of static objects are unloaded late

} // namespace

hip::Result translate(Result result) {
  switch (result) {
  case kDeinitialized:
  case kStubLibrary:
  case kDeviceUnavailable:
  case kSystemNotReady:
  case kSystemDriverMismatch:
    return hip::kNoDevice;
  case kInvalidPtx:
  case kUnsupportedPtxVersion:
    return hip::kInvalidImage;
  case kLaunchOutOfResources:
    return hip::kInvalidConfiguration;
  case kLaunchTimeout:
  case kIllegalInstruction:
  case kInvalidAddressSpace:
  case kInvalidPc:
    return hip::kLaunchFailure;
  case kMisalignedAddress:
    return hip::kIllegalAddress;
  default:
    return hip::errorName(result).result;
  }
}

void check(Result result) {
  if (result == kSuccess)
    return;
  const char *name = nullptr, *text = nullptr;
  driver().cuGetErrorName(result, &name);
  driver().cuGetErrorString(result, &text);
  std::string reason = name ? name : "CUDA error " + std::to_string(result);
  if (text)
    reason += std::string(", ") + text;
  throw Refusal{translate(result), reason};
}

hip::Result remember(const Refusal &refusal) {
  lastError() = refusal;
  return refusal.result;
}

hip::Result rememberException() {
  try {
    throw;
  } catch (const Refusal &refusal) {
    return remember(refusal);
  } catch (const LibraryError &error) {
    return remember({hip::kNoDevice, error.what()});
  } catch (const std::bad_alloc &) {
    return remember({hip::kOutOfMemory, "no host memory"});
  } catch (...) {
    return remember({hip::kUnknown, ""});
  }
}

} // namespace ds4::cuda

namespace ds4::hip {

Result hipGetLastError() {
  const Result last = cuda::lastError().result;
  cuda::lastError().result = kSuccess;
  return last;
}

const char *hipGetErrorName(Result result) { return errorName(result).name; }

// Of the latest failure its own reason, else the general text.
const char *hipGetErrorString(Result result) {
  const bool latest = cuda::lastError().result == result && !cuda::lastError().reason.empty();
  return latest ? cuda::lastError().reason.c_str() : errorName(result).text;
}

} // namespace ds4::hip
