// Messages between ds4-rtc and the runtime, in both directions: a frame's header, and a body behind a right one.
#include <algorithm>

#include "runtime/hip/RtcProtocol.h"
#include "tests/fuzz/Fuzz.h"

using namespace ds4;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const auto bytes = fuzz::bytesOf(data, size);
  if (size < hip::kRtcFrameHeaderBytes)
    return 0;
  fuzz::read(ExitCode::Environment, [&] {
    const uint64_t body = hip::rtcBodyBytes(bytes.first<hip::kRtcFrameHeaderBytes>());
    fuzz::require(body <= hip::kRtcMaxBodyBytes, "a body beyond the limit");
  });
  const auto body = bytes.subspan(hip::kRtcFrameHeaderBytes);
  const auto sameBody = [&](const std::vector<std::byte> &frame) {
    fuzz::require(std::ranges::equal(std::span(frame).subspan(hip::kRtcFrameHeaderBytes), body),
                  "a message written otherwise than read");
  };
  fuzz::read(ExitCode::Environment, [&] { sameBody(hip::encode(hip::decodeRequest(body))); });
  return fuzz::read(ExitCode::Environment, [&] { sameBody(hip::encode(hip::decodeAnswer(body))); });
}
