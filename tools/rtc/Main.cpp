// ds4-rtc: compiles kernels with the hipRTC of a provider, on behalf of the runtime. Requests come on stdin, answers go
// to stdout (runtime/hip/RtcProtocol.h); it ends when its input ends.
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include <unistd.h>

#include "support/Error.h"
#include "support/Version.h"
#include "tools/rtc/Job.h"

namespace {

using namespace ds4;

// Fills `bytes`; false when the input ends before the first of them.
bool readAll(int descriptor, std::span<std::byte> bytes) {
  for (size_t have = 0; have < bytes.size();) {
    const ssize_t got = read(descriptor, bytes.data() + have, bytes.size() - have);
    if (got > 0)
      have += static_cast<size_t>(got);
    else if (got == 0 && have == 0)
      return false;
    else if (got == 0)
      environmentError("the request ends in its middle");
    else if (errno != EINTR)
      environmentError("cannot read the request: {}", strerror(errno));
  }
  return true;
}

void writeAll(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(descriptor, bytes.data(), bytes.size());
    if (put > 0)
      bytes = bytes.subspan(static_cast<size_t>(put));
    else if (errno != EINTR)
      environmentError("cannot write the answer: {}", strerror(errno));
  }
}

// A compiler may print to stdout; the answers keep that channel for themselves.
int takeOutput() {
  const int output = dup(STDOUT_FILENO);
  if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    environmentError("cannot set up the output: {}", strerror(errno));
  return output;
}

// The next request, if the input holds one.
std::optional<hip::RtcRequest> readRequest() {
  std::array<std::byte, hip::kRtcFrameHeaderBytes> header;
  if (!readAll(STDIN_FILENO, header))
    return std::nullopt;
  std::vector<std::byte> body(hip::rtcBodyBytes(header));
  if (!body.empty() && !readAll(STDIN_FILENO, body))
    environmentError("the request ends in its middle");
  return hip::decodeRequest(body);
}

int serve() {
  const int output = takeOutput();
  while (const auto request = readRequest())
    writeAll(output, hip::encode(answerRequest(*request)));
  return 0;
}

// For a person who looks into a request that failed (--dump-failed).
int answerAsText() {
  const auto request = readRequest();
  if (!request)
    userError("there is no request on stdin: redirect a .request file into it");
  const hip::RtcAnswer answer = answerRequest(*request);
  fmt::print("{}{}{}: {} bytes of code\n", answer.log, answer.log.empty() || answer.log.ends_with('\n') ? "" : "\n", request->name,
             answer.codeObject.size());
  return static_cast<int>(answer.status == hip::RtcAnswer::Status::Done ? ExitCode::Success : ExitCode::Environment);
}

constexpr std::string_view kHelp = R"(Compiles kernels by the hipRTC of a provider. The ds4c runtime starts it by itself.
Usage: ds4-rtc                        serve requests on stdin with answers on stdout
       ds4-rtc --text <FILE.request   show the compiler's log of a request that failed (ds4-run --dump-failed)
       ds4-rtc --help                 print this help
       ds4-rtc --version              print its version
)";

} // namespace

int main(int argc, char **argv) {
  return runTool("ds4-rtc", [&] {
    if (argc == 2 && std::string_view(argv[1]) == "--help") {
      fmt::print("{}", kHelp);
      return 0;
    }
    if (argc == 2 && std::string_view(argv[1]) == "--version") {
      fmt::print("ds4-rtc {}\n", kVersion);
      return 0;
    }
    const bool text = argc == 2 && std::string_view(argv[1]) == "--text";
    if ((argc > 1 && !text) || isatty(STDIN_FILENO))
      userError(
          "ds4-rtc serves the ds4c runtime, which starts it by itself; of a request that failed, `ds4-rtc --text <FILE.request` "
          "shows the compiler's log");
    return text ? answerAsText() : serve();
  });
}
