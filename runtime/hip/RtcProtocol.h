// What ds4-rtc and its client say to each other.
//
// A message is a frame: magic "DS4R", protocol version (u32), length of the body (u64), body. The body is a sequence of
// strings (u64 length, bytes) and numbers (u64), all little-endian. The client sends a request and waits for its answer;
// several requests may follow one another; the helper ends when its input ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ds4::hip {

inline constexpr uint32_t kRtcProtocolVersion = 1;
inline constexpr size_t kRtcFrameHeaderBytes = 16;
inline constexpr uint64_t kRtcMaxBodyBytes = uint64_t(256) << 20;

struct RtcRequest {
  enum class Kind : uint64_t { Identify, Compile };
  Kind kind = Kind::Compile;
  std::string hipLibrary;   // HipTable::library: hipRTC is looked for beside it and in it
  std::string name;         // of the kernel, for diagnostics
  std::string architecture; // "gfx1151"
  std::vector<std::string> options;
  std::vector<std::pair<std::string, std::string>> headers; // include name -> text
  std::string source;
};

struct RtcAnswer {
  enum class Status : uint64_t {
    Done,         // code object, or identity
    CompileError, // the source is wrong; the log says where
    ProviderError // no hipRTC, or it failed for another reason
  };
  Status status = Status::ProviderError;
  std::string log;
  std::string identity; // of the compiler: "hipRTC 7.1 of libhiprtc.so.7.1.25424"
  std::vector<std::byte> codeObject;
};

// Whole frames.
std::vector<std::byte> encode(const RtcRequest &request);
std::vector<std::byte> encode(const RtcAnswer &answer);

// The length of the body that follows a frame's header. Throws ds4::Error (Environment) on a header of another
// protocol or version, or an absurd length.
uint64_t rtcBodyBytes(std::span<const std::byte, kRtcFrameHeaderBytes> header);

// Throw ds4::Error (Environment) when the body is not a whole message of its kind.
RtcRequest decodeRequest(std::span<const std::byte> body);
RtcAnswer decodeAnswer(std::span<const std::byte> body);

} // namespace ds4::hip
