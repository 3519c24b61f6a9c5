#include "runtime/providers/simulator/LineCounter.h"

#include "runtime/providers/simulator/LaunchContext.h"

#include <algorithm>
#include <bit>

namespace ds4::sim {

namespace {

constexpr unsigned kLineShift = 6;

void setBit(std::vector<uint64_t> &bits, uint64_t index) { bits[index / 64] |= uint64_t(1) << index % 64; }

} // namespace

void LineCounter::start(const LaunchContext &context) {
  firstLine_.clear();
  sets_.clear();
  instructionLines_.clear();
  requested_ = 0;
  for (const Range &range : context.allRanges) {
    const uint64_t first = range.begin >> kLineShift, last = (range.begin + range.size) >> kLineShift;
    firstLine_.push_back(first);
    const size_t words = (last - first) / 64 + 1;
    sets_.push_back({std::vector<uint64_t>(words), std::vector<uint64_t>(words)});
  }
}

void LineCounter::touch(uint64_t address, uint32_t bytes, size_t range, Access access) {
  for (uint64_t line = address >> kLineShift; line <= (address + bytes - 1) >> kLineShift; line++) {
    if (access != Access::Store)
      setBit(sets_[range].loaded, line - firstLine_[range]);
    if (access == Access::Store || access == Access::Atomic)
      setBit(sets_[range].stored, line - firstLine_[range]);
    if (access != Access::Scalar)
      instructionLines_.push_back(line);
  }
}

void LineCounter::instructionEnd() {
  std::sort(instructionLines_.begin(), instructionLines_.end());
  requested_ += uint64_t(std::unique(instructionLines_.begin(), instructionLines_.end()) - instructionLines_.begin());
  instructionLines_.clear();
}

void LineCounter::addTo(LaunchContext &context) {
  context.counters.linesRequested += requested_;
  context.lines.resize(context.allRanges.size());
  const auto merge = [](std::vector<uint64_t> &into, const std::vector<uint64_t> &from) {
    uint64_t fresh = 0;
    into.resize(from.size());
    for (size_t k = 0; k < from.size(); k++) {
      fresh += uint64_t(std::popcount(from[k] & ~into[k]));
      into[k] |= from[k];
    }
    return fresh;
  };
  for (size_t k = 0; k < sets_.size(); k++) {
    context.counters.linesLoaded += merge(context.lines[k].loaded, sets_[k].loaded);
    context.counters.linesStored += merge(context.lines[k].stored, sets_[k].stored);
  }
}

} // namespace ds4::sim
