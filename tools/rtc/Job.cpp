#include "tools/rtc/Job.h"

#include <algorithm>

#include "runtime/hip/HipTable.h"
#include "support/Error.h"
#include "tools/rtc/CompilerLibraries.h"

namespace ds4 {
namespace {

using namespace hip;

// hipRTC loads comgr with its first program; before that, what is asked of the compiler has no answer.
void loadCompiler(const RtcTable &table) {
  ProgramHandle program = nullptr;
  if (table.hiprtcCreateProgram(&program, "", "empty", 0, nullptr, nullptr) == kRtcSuccess)
    table.hiprtcDestroyProgram(&program);
}

// A provider's entry points, loaded at the first request that names it.
const RtcTable &tableOf(const std::string &hipLibrary) {
  static std::string loaded;
  static RtcTable table;
  if (loaded != hipLibrary) {
    table = loadRtc(rtcCandidates(hipLibrary));
    loadCompiler(table);
    loaded = hipLibrary;
  }
  return table;
}

std::string identityOf(const RtcTable &table) {
  int major = 0, minor = 0;
  if (const RtcResult result = table.hiprtcVersion(&major, &minor); result != kRtcSuccess)
    environmentError("hiprtcVersion of {}: {}", table.library, table.hiprtcGetErrorString(result));
  return fmt::format("hipRTC {}.{} of {}", major, minor, compilerLibraries(table.library));
}

// Some versions abort on an architecture that is newer than they are.
void checkArchitecture(const RtcTable &table, const std::string &architecture) {
  const std::vector<std::string> known = knownArchitectures();
  if (architecture.starts_with("gfx") && !known.empty() && std::find(known.begin(), known.end(), architecture) == known.end())
    environmentError("the hipRTC of {} does not know {} (its newest is {}): install ROCm 6.4 or newer", table.library, architecture,
                     known.back());
}

class Program {
public:
  Program(const RtcTable &table, const RtcRequest &request) : table_(table) {
    std::vector<const char *> names, texts;
    for (const auto &[name, text] : request.headers) {
      names.push_back(name.c_str());
      texts.push_back(text.c_str());
    }
    check(table.hiprtcCreateProgram(&handle_, request.source.c_str(), request.name.c_str(), static_cast<int>(names.size()),
                                    texts.data(), names.data()),
          "hiprtcCreateProgram");
  }
  ~Program() { table_.hiprtcDestroyProgram(&handle_); }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  RtcResult compile(const RtcRequest &request) {
    const std::string architecture = "--offload-arch=" + request.architecture;
    std::vector<const char *> options{architecture.c_str()};
    for (const std::string &option : request.options)
      options.push_back(option.c_str());
    return table_.hiprtcCompileProgram(handle_, static_cast<int>(options.size()), options.data());
  }

  std::string log() const {
    size_t bytes = 0;
    check(table_.hiprtcGetProgramLogSize(handle_, &bytes), "hiprtcGetProgramLogSize");
    std::string text(bytes, '\0');
    if (bytes != 0)
      check(table_.hiprtcGetProgramLog(handle_, text.data()), "hiprtcGetProgramLog");
    return text.substr(0, text.find('\0'));
  }

  std::vector<std::byte> code() const {
    size_t bytes = 0;
    check(table_.hiprtcGetCodeSize(handle_, &bytes), "hiprtcGetCodeSize");
    std::vector<std::byte> code(bytes);
    check(table_.hiprtcGetCode(handle_, reinterpret_cast<char *>(code.data())), "hiprtcGetCode");
    return code;
  }

private:
  void check(RtcResult result, const char *call) const {
    if (result != kRtcSuccess)
      environmentError("{} of {}: {}", call, table_.library, table_.hiprtcGetErrorString(result));
  }

  const RtcTable &table_;
  ProgramHandle handle_ = nullptr;
};

RtcAnswer compile(const RtcTable &table, const RtcRequest &request) {
  RtcAnswer answer;
  answer.identity = identityOf(table);
  checkArchitecture(table, request.architecture);
  Program program(table, request);
  const RtcResult result = program.compile(request);
  answer.log = program.log();
  if (result == kRtcSuccess) {
    answer.codeObject = program.code();
    answer.status = RtcAnswer::Status::Done;
    return answer;
  }
  // Some versions say HIPRTC_ERROR_COMPILATION with an empty log when something else failed.
  if (result == kRtcCompilation && !answer.log.empty())
    answer.status = RtcAnswer::Status::CompileError;
  else
    answer.log = fmt::format("hiprtcCompileProgram of {}: {}: {}", table.library, table.hiprtcGetErrorString(result), answer.log);
  return answer;
}

} // namespace

RtcAnswer answerRequest(const RtcRequest &request) {
  RtcAnswer answer;
  try {
    const RtcTable &table = tableOf(request.hipLibrary);
    if (request.kind == RtcRequest::Kind::Compile)
      return compile(table, request);
    answer.identity = identityOf(table);
    answer.status = RtcAnswer::Status::Done;
  } catch (const std::exception &error) {
    answer.status = RtcAnswer::Status::ProviderError;
    answer.log = error.what();
  }
  return answer;
}

} // namespace ds4
