#include "runtime/hip/RtcProtocol.h"

#include <bit>
#include <cstring>

#include "support/Error.h"

namespace ds4::hip {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

constexpr char kMagic[4] = {'D', 'S', '4', 'R'};

class Writer {
public:
  Writer() : bytes_(kRtcFrameHeaderBytes) {}

  void number(uint64_t value) { append(&value, sizeof value); }
  void bytes(const void *data, size_t size) {
    number(size);
    append(data, size);
  }
  void text(const std::string &text) { bytes(text.data(), text.size()); }

  std::vector<std::byte> frame() {
    const uint64_t body = bytes_.size() - kRtcFrameHeaderBytes;
    std::memcpy(bytes_.data(), kMagic, sizeof kMagic);
    std::memcpy(bytes_.data() + 4, &kRtcProtocolVersion, sizeof kRtcProtocolVersion);
    std::memcpy(bytes_.data() + 8, &body, sizeof body);
    return std::move(bytes_);
  }

private:
  void append(const void *data, size_t size) {
    const auto *from = static_cast<const std::byte *>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }

  std::vector<std::byte> bytes_;
};

class Reader {
public:
  explicit Reader(std::span<const std::byte> body) : rest_(body) {}

  uint64_t number() {
    uint64_t value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> bytes() { return take(number()); }
  std::string text() {
    const auto from = bytes();
    return {reinterpret_cast<const char *>(from.data()), from.size()};
  }
  // A count of items that take at least `least` bytes each.
  size_t count(size_t least) {
    const uint64_t value = number();
    if (value > rest_.size() / least)
      damaged();
    return value;
  }
  template <typename Enum> Enum choice(Enum last) {
    const uint64_t value = number();
    if (value > static_cast<uint64_t>(last))
      damaged();
    return static_cast<Enum>(value);
  }
  void end() const {
    if (!rest_.empty())
      damaged();
  }

private:
  [[noreturn]] static void damaged() { environmentError("a damaged message between ds4-rtc and its client"); }
  std::span<const std::byte> take(uint64_t size) {
    if (size > rest_.size())
      damaged();
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

  std::span<const std::byte> rest_;
};

} // namespace

std::vector<std::byte> encode(const RtcRequest &request) {
  Writer writer;
  writer.number(static_cast<uint64_t>(request.kind));
  for (const std::string *text : {&request.hipLibrary, &request.name, &request.architecture, &request.source})
    writer.text(*text);
  writer.number(request.options.size());
  for (const std::string &option : request.options)
    writer.text(option);
  writer.number(request.headers.size());
  for (const auto &[name, text] : request.headers) {
    writer.text(name);
    writer.text(text);
  }
  return writer.frame();
}

std::vector<std::byte> encode(const RtcAnswer &answer) {
  Writer writer;
  writer.number(static_cast<uint64_t>(answer.status));
  writer.text(answer.log);
  writer.text(answer.identity);
  writer.bytes(answer.codeObject.data(), answer.codeObject.size());
  return writer.frame();
}

uint64_t rtcBodyBytes(std::span<const std::byte, kRtcFrameHeaderBytes> header) {
  uint32_t version;
  uint64_t body;
  std::memcpy(&version, header.data() + 4, sizeof version);
  std::memcpy(&body, header.data() + 8, sizeof body);
  if (std::memcmp(header.data(), kMagic, sizeof kMagic) != 0)
    environmentError("no message of ds4-rtc but garbage");
  if (version != kRtcProtocolVersion)
    environmentError("ds4-rtc protocol version {}, {} is wanted: install ds4-rtc and the runtime of the same release", version,
                     kRtcProtocolVersion);
  if (body > kRtcMaxBodyBytes)
    environmentError("a message of {} bytes from or to ds4-rtc, {} are possible", body, kRtcMaxBodyBytes);
  return body;
}

RtcRequest decodeRequest(std::span<const std::byte> body) {
  Reader reader(body);
  RtcRequest request;
  request.kind = reader.choice(RtcRequest::Kind::Compile);
  for (std::string *text : {&request.hipLibrary, &request.name, &request.architecture, &request.source})
    *text = reader.text();
  for (size_t i = reader.count(8); i > 0; --i)
    request.options.push_back(reader.text());
  for (size_t i = reader.count(16); i > 0; --i) {
    std::string name = reader.text();
    request.headers.emplace_back(std::move(name), reader.text());
  }
  reader.end();
  return request;
}

RtcAnswer decodeAnswer(std::span<const std::byte> body) {
  Reader reader(body);
  RtcAnswer answer;
  answer.status = reader.choice(RtcAnswer::Status::ProviderError);
  answer.log = reader.text();
  answer.identity = reader.text();
  const auto code = reader.bytes();
  answer.codeObject.assign(code.begin(), code.end());
  reader.end();
  return answer;
}

} // namespace ds4::hip
