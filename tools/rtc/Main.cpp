// ds4-rtc: compiles kernels with the hipRTC of a provider, on behalf of the runtime. Requests come on stdin, answers go
// to stdout (runtime/hip/RtcProtocol.h); it ends when its input ends.
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "support/Error.h"
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

int serve() {
  const int output = takeOutput();
  std::array<std::byte, hip::kRtcFrameHeaderBytes> header;
  while (readAll(STDIN_FILENO, header)) {
    std::vector<std::byte> body(hip::rtcBodyBytes(header));
    if (!body.empty() && !readAll(STDIN_FILENO, body))
      environmentError("the request ends in its middle");
    writeAll(output, hip::encode(answerRequest(hip::decodeRequest(body))));
  }
  return 0;
}

} // namespace

int main(int argc, char **) {
  return runTool("ds4-rtc", [&] {
    if (argc > 1 || isatty(STDIN_FILENO))
      userError("ds4-rtc serves the ds4c runtime, which starts it by itself: it takes no arguments and no terminal");
    return serve();
  });
}
