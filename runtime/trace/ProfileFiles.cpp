#include "runtime/trace/ProfileFiles.h"

#include <nlohmann/json.hpp>

#include "support/Error.h"

namespace ds4::trace {

namespace {

using Json = nlohmann::ordered_json;

// Collects text, so that a file of millions of lines is not written a line at a time.
class TextOutput {
public:
  explicit TextOutput(FileWriter &file) : file_(file) {}

  void add(const std::string &text) {
    buffer_ += text;
    if (buffer_.size() >= kChunk)
      flush();
  }
  void flush() {
    file_.write(std::as_bytes(std::span(buffer_)));
    buffer_.clear();
  }

private:
  static constexpr size_t kChunk = size_t(1) << 20;

  FileWriter &file_;
  std::string buffer_;
};

std::string lineOf(const Json &json) { return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace); }

std::string_view nameOf(Axis axis) { return axis == Axis::Nanoseconds ? "nanoseconds" : "wave instructions"; }

// What a record holds beside its place on the axis.
Json detailsOf(const Record &record, const Plan &plan) {
  Json details{{"step", record.step}};
  switch (record.kind) {
  case Record::Kind::Step:
    details.update({{"pos", record.pos}, {"tokens", record.tokens}, {"host_ns", record.hostNanoseconds}});
    break;
  case Record::Kind::Launch: {
    const PlanLaunch &launch = plan.launches[record.launch];
    const PlanVariant &variant = launch.variants[record.variant];
    details.update({{"launch", record.launch}, {"label", launch.label}, {"kernel", plan.kernels[variant.kernel].symbol}});
    if (!variant.name.empty())
      details["variant"] = variant.name;
    break;
  }
  case Record::Kind::Copy:
    details.update({{"to", record.toDevice ? "device" : "host"}, {"bytes", record.bytes}});
    break;
  case Record::Kind::Gap:
    break;
  }
  return details;
}

std::string titleOf(const Record &record, const Plan &plan) {
  switch (record.kind) {
  case Record::Kind::Step:
    return fmt::format("step at {} of {}", record.pos, record.tokens);
  case Record::Kind::Launch:
    return plan.launches[record.launch].label;
  case Record::Kind::Copy:
    return fmt::format("{} B to {}", record.bytes, record.toDevice ? "device" : "host");
  case Record::Kind::Gap:
    return "gap";
  }
  return "";
}

// Microseconds on the viewer's axis.
double place(uint64_t at, Axis axis) { return axis == Axis::Nanoseconds ? double(at) * 1e-3 : double(at); }

} // namespace

void writeChromeTrace(FileWriter &file, const ProfileInfo &info, const Plan &plan, const Recorder &recorder) {
  const Axis axis = recorder.axis();
  TextOutput out(file);
  Json about{{"device", info.device}, {"plan", info.plan}, {"axis", nameOf(axis)}};
  about["note"] = axis == Axis::Nanoseconds ? "launches by events of the device, steps and copies by the host's clock; a launch "
                                              "reaches to the begin of the next launch of its step"
                                            : "counted, not timed: one microsecond here is one wave instruction of the simulator";
  about.update({{"dropped", recorder.dropped()}, {"response_sha256", info.responseSha256}});
  out.add(fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\n\"traceEvents\":[\n", lineOf(about)));

  const auto nameTrack = [&](const char *what, int track, const std::string &name) {
    out.add(lineOf({{"ph", "M"}, {"name", what}, {"pid", 1}, {"tid", track}, {"args", {{"name", name}}}}));
  };
  nameTrack("process_name", 0, fmt::format("{} [{}]", info.device, nameOf(axis)));
  constexpr Record::Kind kTracks[] = {Record::Kind::Step, Record::Kind::Launch, Record::Kind::Copy, Record::Kind::Gap};
  for (const Record::Kind kind : kTracks) {
    out.add(",\n");
    nameTrack("thread_name", static_cast<int>(kind) + 1, kind == Record::Kind::Copy ? "copies" : fmt::format("{}s", nameOf(kind)));
  }
  for (const Record &record : recorder.records()) {
    const double start = place(record.start, axis);
    out.add(",\n" + lineOf({{"ph", "X"},
                            {"name", titleOf(record, plan)},
                            {"cat", nameOf(record.kind)},
                            {"pid", 1},
                            {"tid", static_cast<int>(record.kind) + 1},
                            {"ts", start},
                            {"dur", place(record.end, axis) - start},
                            {"args", detailsOf(record, plan)}}));
  }
  out.add("\n]}\n");
  out.flush();
}

void writeLineRecords(FileWriter &file, const ProfileInfo &info, const Plan &plan, const Recorder &recorder) {
  TextOutput out(file);
  const auto line = [&](const Json &json) { out.add(lineOf(json) + "\n"); };
  line({{"record", "header"}, {"version", 1}, {"device", info.device}, {"plan", info.plan}, {"axis", nameOf(recorder.axis())}});
  for (const Record &record : recorder.records()) {
    Json json{{"record", nameOf(record.kind)}, {"start", record.start}, {"end", record.end}};
    json.update(detailsOf(record, plan));
    line(json);
  }
  line({{"record", "footer"},
        {"records", recorder.records().size()},
        {"dropped", recorder.dropped()},
        {"response_sha256", info.responseSha256}});
  out.flush();
}

} // namespace ds4::trace
