#include "runtime/SessionImage.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "support/Error.h"
#include "support/File.h"
#include "support/Sha256.h"

namespace ds4 {

namespace {

// A file is the mark, the length of the header (64 bits, little endian), the header (JSON: everything but the states' bytes,
// of which it has the lengths), the states' bytes one behind the other, and the SHA-256 of all that in hex.
constexpr std::string_view kMark = "ds4c-session v1\n", kMarkOfAnyVersion = "ds4c-session v";
constexpr uint64_t kHeadBytes = kMark.size() + sizeof(uint64_t), kDigestBytes = 64;
constexpr uint64_t kChunk = uint64_t(4) << 20;

using Json = nlohmann::json;

Json describe(const std::vector<StateBytes> &states) {
  Json list = Json::array();
  for (const StateBytes &state : states)
    list.push_back({state.state, state.bytes.size()});
  return list;
}

// Visits every StateBytes of an image in the order of the file.
template <typename Image, typename Visit> void forEachState(Image &image, Visit visit) {
  std::ranges::for_each(image.states, visit);
  for (auto &checkpoint : image.checkpoints)
    std::ranges::for_each(checkpoint.states, visit);
}

class SessionReader {
public:
  explicit SessionReader(const std::string &path) : file_(path) {}

  SessionImage read() {
    checkMark();
    checkDigest();
    const uint64_t headerBytes = headerLength();
    if (headerBytes > contentBytes() - kHeadBytes)
      damaged();
    const std::string header = readText(kHeadBytes, headerBytes);
    const Json json = Json::parse(header, nullptr, /*allow_exceptions=*/false);
    uint64_t offset = kHeadBytes + headerBytes;
    try {
      SessionImage image = readHeader(json);
      forEachState(image, [&](StateBytes &state) {
        file_.read(offset, state.bytes);
        offset += state.bytes.size();
      });
      if (offset != contentBytes())
        damaged();
      return image;
    } catch (const Json::exception &) { // a member that is missing or of another type
      damaged();
    }
  }

private:
  [[noreturn]] void damaged() const {
    userError("session file '{}' is damaged: delete it, or name another with --session", file_.path());
  }

  std::string readText(uint64_t offset, uint64_t bytes) const {
    std::string text(bytes, '\0');
    file_.read(offset, std::as_writable_bytes(std::span(text)));
    return text;
  }

  uint64_t contentBytes() const { return file_.size() - kDigestBytes; }

  uint64_t headerLength() const {
    uint64_t length = 0;
    file_.read(kMark.size(), std::as_writable_bytes(std::span(&length, 1)));
    return length;
  }

  void checkMark() const {
    const std::string mark = readText(0, std::min<uint64_t>(file_.size(), kMark.size()));
    if (mark != kMark && mark.size() == kMark.size() && mark.starts_with(kMarkOfAnyVersion))
      userError("session file '{}' was written by another version of ds4c: delete it, or name another with --session",
                file_.path());
    if (!kMark.starts_with(mark))
      userError("'{}' is no session file of ds4c: name another with --session", file_.path());
    if (file_.size() < kHeadBytes + kDigestBytes)
      damaged();
  }

  void checkDigest() const {
    Sha256 digest;
    std::vector<std::byte> chunk;
    for (uint64_t offset = 0; offset < contentBytes(); offset += chunk.size()) {
      chunk.resize(std::min(kChunk, contentBytes() - offset));
      file_.read(offset, chunk);
      digest.update(chunk);
    }
    if (digest.finish() != readText(contentBytes(), kDigestBytes))
      damaged();
  }

  SessionImage readHeader(const Json &json) const {
    SessionImage image;
    image.plan = json.at("plan").get<std::string>();
    image.tokens = json.at("tokens").get<std::vector<int32_t>>();
    image.written = json.at("written").get<int64_t>();
    image.note = json.at("note").get<std::string>();
    image.states = readStates(json.at("states"));
    for (const Json &entry : json.at("checkpoints"))
      image.checkpoints.push_back(
          {entry.at("position").get<int64_t>(), entry.at("written").get<int64_t>(), readStates(entry.at("states"))});
    return image;
  }

  std::vector<StateBytes> readStates(const Json &list) const {
    std::vector<StateBytes> states;
    for (const Json &entry : list) {
      const uint64_t bytes = entry.at(1).get<uint64_t>();
      if (bytes > contentBytes())
        damaged();
      states.push_back({entry.at(0).get<uint32_t>(), std::vector<std::byte>(bytes)});
    }
    return states;
  }

  File file_;
};

} // namespace

std::string planIdentity(const Plan &plan) {
  Sha256 digest;
  for (std::string_view text : {std::string_view(plan.modelFingerprint), std::string_view(plan.drafterFingerprint),
                                std::string_view(plan.target), std::string_view(plan.ir)})
    digest.updateField(text);
  digest.updateField(fmt::format("{} {}", plan.context, plan.maxWidth));
  for (const PlanState &state : plan.states)
    digest.updateField(fmt::format("{} {} {} {} {}", state.name, state.kind, state.rows, state.cols, state.format));
  for (const PlanKernel &kernel : plan.kernels)
    digest.updateField(kernel.source);
  for (const PlanHeader &header : plan.headers)
    digest.updateField(header.text);
  return digest.finish();
}

void writeSessionFile(const std::string &path, const SessionImage &image) {
  Json json{{"plan", image.plan}, {"tokens", image.tokens}, {"written", image.written}, {"note", image.note}};
  json["states"] = describe(image.states);
  json["checkpoints"] = Json::array();
  for (const Checkpoint &checkpoint : image.checkpoints)
    json["checkpoints"].push_back(
        {{"position", checkpoint.position}, {"written", checkpoint.written}, {"states", describe(checkpoint.states)}});
  const std::string header = json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
  const uint64_t headerBytes = header.size();

  FileWriter file(path);
  Sha256 digest;
  const auto write = [&](std::span<const std::byte> bytes) {
    file.write(bytes);
    digest.update(bytes);
  };
  write(std::as_bytes(std::span(kMark)));
  write(std::as_bytes(std::span(&headerBytes, 1)));
  write(std::as_bytes(std::span(header)));
  forEachState(image, [&](const StateBytes &state) { write(state.bytes); });
  const std::string hex = digest.finish();
  file.write(std::as_bytes(std::span(hex)));
  file.commit();
}

SessionImage readSessionFile(const std::string &path) { return SessionReader(path).read(); }

} // namespace ds4
