#include "runtime/providers/simulator/api/Session.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "support/OfThread.h"

namespace ds4::sim {
namespace {

template <typename T> std::optional<T> number(std::string_view text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    return std::nullopt;
  return value;
}

// Assigns and says whether there was something to assign.
template <typename T> bool take(T &target, std::optional<T> value) {
  if (value)
    target = *value;
  return value.has_value();
}

bool takeFlag(bool &target, std::string_view text) {
  const auto value = number<int>(text, 0, 1);
  if (value)
    target = *value != 0;
  return value.has_value();
}

template <typename T, size_t N> bool takeName(T &target, std::string_view text, const std::pair<std::string_view, T> (&names)[N]) {
  const auto *found = std::find_if(std::begin(names), std::end(names), [&](const auto &name) { return name.first == text; });
  if (found == std::end(names))
    return false;
  target = found->second;
  return true;
}

bool assign(Options &options, std::string_view name, std::string_view value) {
  constexpr std::pair<std::string_view, WaveOrder> kOrders[] = {
      {"ascending", WaveOrder::Ascending}, {"descending", WaveOrder::Descending}, {"random", WaveOrder::Random}};
  constexpr std::pair<std::string_view, Schedule> kSchedules[] = {{"sequential", Schedule::Sequential},
                                                                  {"interleaved", Schedule::Interleaved}};
  if (name == "threads")
    return take(options.threads, number<unsigned>(value, 1, 256));
  if (name == "wave-order")
    return takeName(options.order, value, kOrders);
  if (name == "schedule")
    return takeName(options.schedule, value, kSchedules);
  if (name == "adversarial-memory")
    return takeFlag(options.adversarialMemory, value);
  if (name == "detect-races")
    return takeFlag(options.detectRaces, value);
  if (name == "detect-uninitialised")
    return takeFlag(options.detectUninitialised, value);
  if (name == "count-lines")
    return takeFlag(options.countLines, value);
  if (name == "force-avx2")
    return takeFlag(options.forceAvx2, value);
  if (name == "seed")
    return take(options.seed, number<uint64_t>(value, 0, UINT64_MAX));
  if (name == "preempt-after")
    return take(options.preemptAfter, number<uint64_t>(value, 1, UINT64_MAX));
  if (name == "instruction-limit")
    return take(options.instructionLimit, number<uint64_t>(value, 0, UINT64_MAX));
  return false;
}

Ds4SimCounters ofLaunch(const Counters &c) {
  return {.launches = 1,
          .workgroups = c.workgroups,
          .waves = c.waves,
          .instructions = c.instructions,
          .valu = c.valu,
          .vopd = c.vopd,
          .transcendental = c.transcendental,
          .dot = c.dot,
          .wmma = c.wmma,
          .salu = c.salu,
          .smem = c.smem,
          .vmemLoads = c.vmemLoads,
          .vmemStores = c.vmemStores,
          .vmemAtomics = c.vmemAtomics,
          .scratch = c.scratch,
          .lds = c.lds,
          .branches = c.branches,
          .waits = c.waits,
          .barriers = c.barriers,
          .other = c.other,
          .bytesLoaded = c.bytesLoaded,
          .bytesStored = c.bytesStored,
          .scalarBytes = c.scalarBytes,
          .linesRequested = c.linesRequested,
          .linesLoaded = c.linesLoaded,
          .linesStored = c.linesStored,
          .longestWave = c.longestWave};
}

// Ds4SimCounters holds nothing but uint64_t, so sums run over it as an array.
void addTo(Ds4SimCounters &sum, const Ds4SimCounters &more) {
  static_assert(sizeof(Ds4SimCounters) % sizeof(uint64_t) == 0);
  auto *to = reinterpret_cast<uint64_t *>(&sum);
  const auto *from = reinterpret_cast<const uint64_t *>(&more);
  for (size_t i = 0; i < sizeof(Ds4SimCounters) / sizeof(uint64_t); ++i)
    to[i] += from[i];
}

} // namespace

Session &Session::instance() {
  static Session session;
  return session;
}

Options Session::options() const {
  std::lock_guard lock(mutex_);
  return options_;
}

bool Session::setOption(std::string_view name, std::string_view value) {
  std::lock_guard lock(mutex_);
  return assign(options_, name, value);
}

void Session::count(const Counters &launch) {
  std::lock_guard lock(mutex_);
  last_ = ofLaunch(launch);
  addTo(totals_, last_);
}

Ds4SimCounters Session::lastLaunch() const {
  std::lock_guard lock(mutex_);
  return last_;
}

Ds4SimCounters Session::totals() const {
  std::lock_guard lock(mutex_);
  return totals_;
}

void Session::resetCounters() {
  std::lock_guard lock(mutex_);
  last_ = totals_ = {};
}

ThreadErrors &ThreadErrors::instance() {
  return ofThread<ThreadErrors>(); // modules of static objects are unloaded late
}

hip::Result remember(hip::Result result, std::string reason) {
  ThreadErrors &errors = ThreadErrors::instance();
  errors.last = result;
  errors.reason = std::move(reason);
  return result;
}

hip::Result rememberException() {
  try {
    throw;
  } catch (const Refusal &refusal) {
    return remember(refusal.result, refusal.reason);
  } catch (const Fault &fault) {
    return remember(hip::kLaunchFailure, fault.what());
  } catch (const std::bad_alloc &) {
    return remember(hip::kOutOfMemory, "the simulator ran out of host memory");
  } catch (const std::exception &error) {
    return remember(hip::kUnknown, error.what());
  } catch (...) {
    return remember(hip::kUnknown, "an exception of unknown type");
  }
}

} // namespace ds4::sim
