#include "runtime/trace/Recorder.h"

#include <algorithm>

#include "support/Error.h"

namespace ds4::trace {

std::string_view nameOf(Record::Kind kind) {
  switch (kind) {
  case Record::Kind::Step:
    return "step";
  case Record::Kind::Launch:
    return "launch";
  case Record::Kind::Copy:
    return "copy";
  case Record::Kind::Gap:
    return "gap";
  }
  internalError("a record of kind {}", static_cast<int>(kind));
}

Recorder::Recorder(const hip::Provider &provider, size_t capacity)
    : Recorder(provider, provider.table.ds4simTotals ? Axis::WaveInstructions : Axis::Nanoseconds, capacity) {}

Recorder::Recorder(const hip::Provider &provider, Axis axis, size_t capacity)
    : provider_(provider), axis_(axis), capacity_(capacity) {
  if (axis == Axis::WaveInstructions && !provider.table.ds4simTotals)
    internalError("'{}' counts no instructions", provider.deviceName);
  firstInstruction_ = axis == Axis::WaveInstructions ? now() : 0;
}

uint64_t Recorder::hostNow() const {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - origin_).count());
}

uint64_t Recorder::now() const {
  if (axis_ == Axis::Nanoseconds)
    return hostNow();
  Ds4SimCounters counters{};
  provider_.table.ds4simTotals(&counters);
  return counters.instructions - firstInstruction_;
}

void Recorder::beginStep(int64_t pos, size_t tokens) {
  step_ = {.kind = Record::Kind::Step, .tokens = static_cast<uint32_t>(tokens), .step = steps_, .start = now(), .pos = pos};
  stepHostStart_ = hostNow();
  inStep_ = true;
  launches_.clear();
  marks_.clear();
  recorded_ = 0;
}

void Recorder::mark(hip::StreamHandle stream) {
  if (axis_ == Axis::WaveInstructions) {
    marks_.push_back(now());
    return;
  }
  if (recorded_ == events_.size())
    events_.emplace_back(provider_);
  events_[recorded_].record(stream);
  if (recorded_++ == 0)
    anchor_ = hostNow();
}

void Recorder::beginLaunch(size_t launch, size_t variant, hip::StreamHandle stream) {
  launches_.emplace_back(launch, variant);
  mark(stream);
}

void Recorder::endLaunches(hip::StreamHandle stream) { mark(stream); }

void Recorder::endStep() {
  for (size_t i = 1; i < recorded_; ++i)
    marks_.push_back(anchor_ + static_cast<uint64_t>(double(events_[i].millisecondsSince(events_[0])) * 1e6));
  if (axis_ == Axis::Nanoseconds)
    marks_.insert(marks_.begin(), anchor_);
  for (size_t i = 0; i < launches_.size(); ++i)
    addWork({.kind = Record::Kind::Launch,
             .launch = launches_[i].first,
             .variant = launches_[i].second,
             .step = steps_,
             .start = marks_[i],
             .end = marks_[i + 1]});
  step_.end = now();
  step_.hostNanoseconds = hostNow() - stepHostStart_;
  add(step_);
  ++steps_;
  inStep_ = false;
}

void Recorder::copy(bool toDevice, uint64_t bytes, const std::function<void()> &body) {
  const uint64_t start = now();
  body();
  const uint64_t step = inStep_ || steps_ == 0 ? steps_ : steps_ - 1;
  addWork({.kind = Record::Kind::Copy, .toDevice = toDevice, .step = step, .start = start, .end = now(), .bytes = bytes});
}

void Recorder::addWork(Record record) {
  if (worked_ && record.start > busyUntil_)
    add({.kind = Record::Kind::Gap, .step = record.step, .start = busyUntil_, .end = record.start});
  worked_ = true;
  busyUntil_ = std::max(busyUntil_, record.end);
  add(record);
}

void Recorder::add(const Record &record) {
  if (records_.size() < capacity_)
    records_.push_back(record);
  else
    ++dropped_;
}

} // namespace ds4::trace
