// hipRTC over NVRTC: the same calls and result codes; options are translated, and code objects are cubins.
#include <new>
#include <string_view>
#include <vector>

#include "runtime/providers/cuda/Exports.h"

namespace ds4::hip {

using namespace cuda;

namespace {

thread_local std::string loadFailure; // why NVRTC is not there, for hiprtcGetErrorString

Program cudaProgram(ProgramHandle program) { return reinterpret_cast<Program>(program); }

template <typename Body> RtcResult rtcEntry(Body body) {
  try {
    return body(nvrtc());
  } catch (const LibraryError &error) {
    loadFailure = error.what();
    return kRtcInternalError;
  } catch (const std::bad_alloc &) {
    return kRtcOutOfMemory;
  } catch (...) {
    return kRtcInternalError;
  }
}

// hipRTC's --offload-arch is NVRTC's --gpu-architecture. NVRTC always optimises and knows no -O. Functions that host and device
// share carry no mark of either.
std::vector<std::string> translateOptions(int count, const char **options) {
  constexpr std::string_view kArchitecture = "--offload-arch=";
  std::vector<std::string> translated{"--device-as-default-execution-space"};
  for (int i = 0; i < count; ++i) {
    const std::string_view option = options[i];
    if (option.substr(0, kArchitecture.size()) == kArchitecture)
      translated.push_back("--gpu-architecture=" + std::string(option.substr(kArchitecture.size())));
    else if (option.substr(0, 2) != "-O")
      translated.emplace_back(option);
  }
  return translated;
}

} // namespace

RtcResult hiprtcVersion(int *major, int *minor) {
  return rtcEntry([&](const Nvrtc &rtc) { return rtc.nvrtcVersion(major, minor); });
}

const char *hiprtcGetErrorString(RtcResult result) {
  try {
    return nvrtc().nvrtcGetErrorString(result);
  } catch (const std::exception &) {
    return loadFailure.empty() ? "NVRTC is not there" : loadFailure.c_str();
  }
}

RtcResult hiprtcCreateProgram(ProgramHandle *program, const char *source, const char *name, int headerCount, const char **headers,
                              const char **includeNames) {
  return rtcEntry([&](const Nvrtc &rtc) {
    return rtc.nvrtcCreateProgram(reinterpret_cast<Program *>(program), source, name, headerCount, headers, includeNames);
  });
}

RtcResult hiprtcDestroyProgram(ProgramHandle *program) {
  return rtcEntry([&](const Nvrtc &rtc) { return rtc.nvrtcDestroyProgram(reinterpret_cast<Program *>(program)); });
}

RtcResult hiprtcCompileProgram(ProgramHandle program, int optionCount, const char **options) {
  return rtcEntry([&](const Nvrtc &rtc) {
    const std::vector<std::string> translated = translateOptions(optionCount, options);
    std::vector<const char *> pointers;
    for (const std::string &option : translated)
      pointers.push_back(option.c_str());
    return rtc.nvrtcCompileProgram(cudaProgram(program), static_cast<int>(pointers.size()), pointers.data());
  });
}

RtcResult hiprtcGetProgramLogSize(ProgramHandle program, size_t *bytes) {
  return rtcEntry([&](const Nvrtc &rtc) { return rtc.nvrtcGetProgramLogSize(cudaProgram(program), bytes); });
}

RtcResult hiprtcGetProgramLog(ProgramHandle program, char *log) {
  return rtcEntry([&](const Nvrtc &rtc) { return rtc.nvrtcGetProgramLog(cudaProgram(program), log); });
}

RtcResult hiprtcGetCodeSize(ProgramHandle program, size_t *bytes) {
  return rtcEntry([&](const Nvrtc &rtc) { return rtc.nvrtcGetCUBINSize(cudaProgram(program), bytes); });
}

RtcResult hiprtcGetCode(ProgramHandle program, char *code) {
  return rtcEntry([&](const Nvrtc &rtc) { return rtc.nvrtcGetCUBIN(cudaProgram(program), code); });
}

} // namespace ds4::hip
