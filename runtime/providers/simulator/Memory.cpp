#include "runtime/providers/simulator/MemoryState.h"

#include <algorithm>

namespace ds4::sim {

namespace {

uint64_t addressOf(const void *p) { return reinterpret_cast<uint64_t>(p); }

void merge(std::map<uint64_t, uint64_t> &intervals, uint64_t begin, uint64_t end) {
  auto at = intervals.upper_bound(begin);
  if (at != intervals.begin() && std::prev(at)->second >= begin)
    --at;
  while (at != intervals.end() && at->first <= end) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    at = intervals.erase(at);
  }
  intervals[begin] = end;
}

// The allocation that holds `address`, or end.
auto holding(std::map<uint64_t, Allocation> &allocations, uint64_t address) {
  auto at = allocations.upper_bound(address);
  if (at == allocations.begin())
    return allocations.end();
  --at;
  return address - at->first < at->second.size ? at : allocations.end();
}

} // namespace

void InitialisedBytes::mark(uint64_t address, uint64_t bytes) {
  for (uint64_t bit = address - begin, end = bit + bytes; bit < end;) {
    const uint64_t count = std::min<uint64_t>(64 - bit % 64, end - bit);
    const uint64_t mask = (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1) << bit % 64;
    bits[bit / 64].fetch_or(mask, std::memory_order_relaxed);
    bit += count;
  }
}

bool InitialisedBytes::all(uint64_t address, uint64_t bytes) const {
  for (uint64_t bit = address - begin, end = bit + bytes; bit < end; bit++)
    if (!((bits[bit / 64].load(std::memory_order_relaxed) >> bit % 64) & 1))
      return false;
  return true;
}

std::shared_ptr<const Snapshot> Memory::State::take(bool tracked) {
  std::lock_guard lock(mutex);
  if (!tracked && snapshot)
    return snapshot;
  auto fresh = std::make_shared<Snapshot>();
  for (auto &[begin, allocation] : allocations) {
    allocation.wholly |= !tracked;
    if (tracked && !allocation.wholly && !allocation.initialised)
      allocation.initialised = std::make_shared<InitialisedBytes>(begin, allocation.size);
    const bool use = tracked && !allocation.wholly;
    if (use) {
      for (const auto &[from, to] : allocation.written)
        allocation.initialised->mark(from, to - from);
      allocation.written.clear();
      fresh->keepAlive.push_back(allocation.initialised);
    }
    fresh->ranges.push_back({begin, allocation.size, use ? allocation.initialised.get() : nullptr});
  }
  if (!tracked)
    snapshot = fresh;
  return fresh;
}

Memory::Memory() : state_(std::make_unique<State>()) {}
Memory::~Memory() = default;

void Memory::add(void *base, size_t bytes) {
  std::lock_guard lock(state_->mutex);
  state_->allocations[addressOf(base)] = {bytes, {}, false, nullptr};
  state_->snapshot = nullptr;
}

void Memory::remove(void *base) {
  std::lock_guard lock(state_->mutex);
  state_->allocations.erase(addressOf(base));
  state_->snapshot = nullptr;
}

bool Memory::contains(const void *at, size_t bytes) const {
  std::lock_guard lock(state_->mutex);
  const auto found = holding(state_->allocations, addressOf(at));
  return found != state_->allocations.end() && bytes <= found->second.size - (addressOf(at) - found->first);
}

void Memory::markInitialised(const void *at, size_t bytes) {
  std::lock_guard lock(state_->mutex);
  const auto found = holding(state_->allocations, addressOf(at));
  if (found == state_->allocations.end() || found->second.wholly)
    return;
  const uint64_t end = std::min(addressOf(at) + bytes, found->first + found->second.size);
  merge(found->second.written, addressOf(at), end);
}

} // namespace ds4::sim
