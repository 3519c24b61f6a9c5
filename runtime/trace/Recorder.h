// What an executor did, step by step: steps, launches, copies, and the gaps between them.
//
// The time axis depends on the device. A GPU has nanoseconds: launches are timed by events in the stream, copies and steps,
// which block, by the host's clock; each step's first event is put where the host's clock stood when it was recorded. There a
// launch's span reaches to the begin of the next launch of the step. The simulator has no time: its axis counts the wave
// instructions that were executed, on which copies are points and nothing is ever idle.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/hip/DeviceObjects.h"

namespace ds4::trace {

enum class Axis : uint8_t { Nanoseconds, WaveInstructions };

struct Record {
  enum class Kind : uint8_t { Step, Launch, Copy, Gap };
  Kind kind = Kind::Step;
  bool toDevice = false;            // Copy
  uint32_t tokens = 0;              // Step
  uint32_t launch = 0, variant = 0; // Launch: index in the plan, and of its variant
  uint64_t step = 0;                // counted from 0; of a copy behind a step, that step
  uint64_t start = 0, end = 0;      // on the axis, from when the recorder was made
  int64_t pos = 0;                  // Step: position of its first token
  uint64_t bytes = 0;               // Copy
  uint64_t hostNanoseconds = 0;     // Step: what the host waited for it, whatever the axis
};

// "step", "launch", "copy", "gap".
std::string_view nameOf(Record::Kind kind);

class Recorder {
public:
  static constexpr size_t kCapacity = size_t(1) << 22; // about 300 MB

  // The simulator's axis is WaveInstructions, any other device's Nanoseconds. Records beyond `capacity` are counted, not kept.
  explicit Recorder(const hip::Provider &provider, size_t capacity = kCapacity);
  // With an axis of the caller's choice. Throws ds4::Error (Internal) when the device counts no instructions.
  Recorder(const hip::Provider &provider, Axis axis, size_t capacity);

  // The executor calls these in order: a step, its launches, the last launch is queued, the stream is idle. A step that failed
  // is left out when the next one begins.
  void beginStep(int64_t pos, size_t tokens);
  void beginLaunch(size_t launch, size_t variant, hip::StreamHandle stream);
  void endLaunches(hip::StreamHandle stream);
  void endStep();
  // Runs a copy that blocks.
  void copy(bool toDevice, uint64_t bytes, const std::function<void()> &body);

  Axis axis() const { return axis_; }
  // In the order of their ends, a step behind what belongs to it.
  std::span<const Record> records() const { return records_; }
  uint64_t dropped() const { return dropped_; }

private:
  using Clock = std::chrono::steady_clock;

  uint64_t hostNow() const;
  uint64_t now() const; // on the axis
  void mark(hip::StreamHandle stream);
  // Appends what the device did, with the gap before it.
  void addWork(Record record);
  void add(const Record &record);

  const hip::Provider &provider_;
  const Axis axis_;
  const size_t capacity_;
  const Clock::time_point origin_ = Clock::now();
  uint64_t firstInstruction_ = 0;
  std::vector<Record> records_;
  uint64_t dropped_ = 0, steps_ = 0, busyUntil_ = 0;
  bool worked_ = false; // something stands before, so that a gap can follow it
  bool inStep_ = false;
  // The step that runs.
  Record step_;
  uint64_t stepHostStart_ = 0, anchor_ = 0;
  std::vector<std::pair<uint32_t, uint32_t>> launches_; // with their variants
  std::vector<uint64_t> marks_;                         // WaveInstructions: before each launch and after the last
  std::vector<hip::Event> events_;                      // Nanoseconds: the same; made once, used by every step
  size_t recorded_ = 0;                                 // events of this step
};

} // namespace ds4::trace
