#include "runtime/hip/RtcProtocol.h"

#include <gtest/gtest.h>

#include "support/Error.h"

namespace ds4::hip {
namespace {

std::span<const std::byte> bodyOf(const std::vector<std::byte> &frame) { return std::span(frame).subspan(kRtcFrameHeaderBytes); }

uint64_t bodyBytesOf(std::span<const std::byte> frame) { return rtcBodyBytes(frame.first<kRtcFrameHeaderBytes>()); }

RtcRequest sampleRequest() {
  RtcRequest request;
  request.hipLibrary = "/opt/rocm/lib/libamdhip64.so.7";
  request.name = "ds4_rms_norm";
  request.architecture = "gfx1151";
  request.options = {"-O3", "-DN=4"};
  request.headers = {{"wave.h", "// text\n"}, {"empty.h", ""}};
  request.source = std::string("a\0b", 3);
  return request;
}

TEST(RtcProtocol, ARequestSurvives) {
  const RtcRequest sent = sampleRequest();
  const std::vector<std::byte> frame = encode(sent);
  ASSERT_EQ(bodyBytesOf(frame), frame.size() - kRtcFrameHeaderBytes);
  const RtcRequest got = decodeRequest(bodyOf(frame));
  EXPECT_EQ(got.kind, RtcRequest::Kind::Compile);
  EXPECT_EQ(got.hipLibrary, sent.hipLibrary);
  EXPECT_EQ(got.name, sent.name);
  EXPECT_EQ(got.architecture, sent.architecture);
  EXPECT_EQ(got.options, sent.options);
  EXPECT_EQ(got.headers, sent.headers);
  EXPECT_EQ(got.source, sent.source);
}

TEST(RtcProtocol, AnAnswerSurvives) {
  const RtcAnswer sent{RtcAnswer::Status::CompileError, "log\n", "hipRTC 7.1", {std::byte{1}, std::byte{0}, std::byte{255}}};
  const RtcAnswer got = decodeAnswer(bodyOf(encode(sent)));
  EXPECT_EQ(got.status, sent.status);
  EXPECT_EQ(got.log, sent.log);
  EXPECT_EQ(got.identity, sent.identity);
  EXPECT_EQ(got.codeObject, sent.codeObject);
}

TEST(RtcProtocol, EveryTruncationIsAnError) {
  const std::vector<std::byte> frame = encode(sampleRequest());
  const auto body = bodyOf(frame);
  for (size_t size = 0; size < body.size(); ++size)
    EXPECT_THROW(decodeRequest(body.first(size)), Error) << size;
}

TEST(RtcProtocol, TrailingBytesAreAnError) {
  std::vector<std::byte> frame = encode(RtcAnswer{});
  frame.push_back(std::byte{0});
  EXPECT_THROW(decodeAnswer(bodyOf(frame)), Error);
}

TEST(RtcProtocol, FlippedBytesNeverCrash) {
  const std::vector<std::byte> good = encode(sampleRequest());
  int refused = 0;
  for (size_t at = kRtcFrameHeaderBytes; at < good.size(); ++at) {
    std::vector<std::byte> bad = good;
    bad[at] ^= std::byte{0xff};
    try {
      decodeRequest(bodyOf(bad));
    } catch (const Error &) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(RtcProtocol, HeadersOfOtherKindsVersionsOrSizesAreErrors) {
  const std::vector<std::byte> good = encode(RtcAnswer{});
  for (size_t at : {0u, 4u, 15u}) { // magic, version, top byte of the length
    std::vector<std::byte> bad = good;
    bad[at] ^= std::byte{0x40};
    EXPECT_THROW(bodyBytesOf(bad), Error) << at;
  }
  EXPECT_NO_THROW(bodyBytesOf(good));
}

} // namespace
} // namespace ds4::hip
