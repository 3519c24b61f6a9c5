// hipRTC over the in-process Clang.
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "codegen/clang/Compiler.h"
#include "runtime/providers/simulator/api/Exports.h"

namespace ds4::hip {

struct OpaqueProgram {
  CompileRequest request;
  CompileResult result;
};

namespace {

struct Programs {
  std::mutex mutex;
  std::unordered_map<ProgramHandle, std::unique_ptr<OpaqueProgram>> live;
  static Programs &instance() {
    static Programs programs;
    return programs;
  }
};

OpaqueProgram *find(ProgramHandle program) {
  Programs &programs = Programs::instance();
  std::lock_guard lock(programs.mutex);
  const auto found = programs.live.find(program);
  return found == programs.live.end() ? nullptr : found->second.get();
}

template <typename Body> RtcResult entry(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return kRtcOutOfMemory;
  } catch (...) {
    return kRtcInternalError;
  }
}

// hipRTC's sources know these without any include.
const std::vector<std::string> kKeywords{"-D__global__=__attribute__((global))", "-D__device__=__attribute__((device))",
                                         "-D__host__=__attribute__((host))", "-D__shared__=__attribute__((shared))",
                                         "-D__constant__=__attribute__((constant))"};

// An option that names the architecture is taken out, the rest goes to Clang.
void applyOptions(CompileRequest &request, int count, const char **options) {
  request.options = kKeywords;
  for (int i = 0; i < count; ++i) {
    const std::string_view option = options[i];
    bool architecture = false;
    for (std::string_view prefix : {"--offload-arch=", "--gpu-architecture="})
      if (option.starts_with(prefix)) {
        request.architecture = option.substr(prefix.size());
        architecture = true;
      }
    if (!architecture)
      request.options.emplace_back(option);
  }
}

} // namespace

RtcResult hiprtcVersion(int *major, int *minor) {
  if (!major || !minor)
    return kRtcInvalidInput;
  *major = 22;
  *minor = 1;
  return kRtcSuccess;
}

const char *hiprtcGetErrorString(RtcResult result) {
  switch (result) {
  case kRtcSuccess:
    return "HIPRTC_SUCCESS";
  case kRtcOutOfMemory:
    return "HIPRTC_ERROR_OUT_OF_MEMORY";
  case kRtcInvalidInput:
    return "HIPRTC_ERROR_INVALID_INPUT";
  case kRtcInvalidProgram:
    return "HIPRTC_ERROR_INVALID_PROGRAM";
  case kRtcInvalidOption:
    return "HIPRTC_ERROR_INVALID_OPTION";
  case kRtcCompilation:
    return "HIPRTC_ERROR_COMPILATION";
  default:
    return "HIPRTC_ERROR_INTERNAL_ERROR";
  }
}

RtcResult hiprtcCreateProgram(ProgramHandle *program, const char *source, const char *name, int headerCount, const char **headers,
                              const char **includeNames) {
  return entry([&] {
    if (!program || !source || headerCount < 0 || (headerCount > 0 && (!headers || !includeNames)))
      return kRtcInvalidInput;
    auto made = std::make_unique<OpaqueProgram>();
    made->request.source = source;
    if (name && *name)
      made->request.name = name;
    for (int i = 0; i < headerCount; ++i)
      made->request.headers.emplace_back(includeNames[i], headers[i]);
    Programs &programs = Programs::instance();
    std::lock_guard lock(programs.mutex);
    *program = made.get();
    programs.live[made.get()] = std::move(made);
    return kRtcSuccess;
  });
}

RtcResult hiprtcDestroyProgram(ProgramHandle *program) {
  return entry([&] {
    if (!program)
      return kRtcInvalidInput;
    Programs &programs = Programs::instance();
    std::lock_guard lock(programs.mutex);
    if (programs.live.erase(*program) == 0)
      return kRtcInvalidProgram;
    *program = nullptr;
    return kRtcSuccess;
  });
}

RtcResult hiprtcCompileProgram(ProgramHandle handle, int optionCount, const char **options) {
  return entry([&] {
    OpaqueProgram *program = find(handle);
    if (!program)
      return kRtcInvalidProgram;
    if (optionCount < 0 || (optionCount > 0 && !options))
      return kRtcInvalidInput;
    applyOptions(program->request, optionCount, options);
    program->result = compileHip(program->request);
    return program->result.ok ? kRtcSuccess : kRtcCompilation;
  });
}

RtcResult hiprtcGetProgramLogSize(ProgramHandle handle, size_t *bytes) {
  const OpaqueProgram *program = find(handle);
  if (!program)
    return kRtcInvalidProgram;
  *bytes = program->result.log.size() + 1;
  return kRtcSuccess;
}

RtcResult hiprtcGetProgramLog(ProgramHandle handle, char *log) {
  const OpaqueProgram *program = find(handle);
  if (!program)
    return kRtcInvalidProgram;
  std::memcpy(log, program->result.log.c_str(), program->result.log.size() + 1);
  return kRtcSuccess;
}

RtcResult hiprtcGetCodeSize(ProgramHandle handle, size_t *bytes) {
  const OpaqueProgram *program = find(handle);
  if (!program || !program->result.ok)
    return kRtcInvalidProgram;
  *bytes = program->result.codeObject.size();
  return kRtcSuccess;
}

RtcResult hiprtcGetCode(ProgramHandle handle, char *code) {
  const OpaqueProgram *program = find(handle);
  if (!program || !program->result.ok)
    return kRtcInvalidProgram;
  std::memcpy(code, program->result.codeObject.data(), program->result.codeObject.size());
  return kRtcSuccess;
}

} // namespace ds4::hip
