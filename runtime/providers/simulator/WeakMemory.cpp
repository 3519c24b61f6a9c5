#include "runtime/providers/simulator/WeakMemory.h"

#include "runtime/providers/simulator/Worker.h"

#include <algorithm>
#include <cstring>

namespace ds4::sim {

namespace {

uint32_t wordAt(uint64_t address) {
  uint32_t word;
  std::memcpy(&word, reinterpret_cast<const void *>(address), sizeof word);
  return word;
}

} // namespace

void WeakMemory::record(const Wave &wave, uint64_t address, uint32_t bytes) {
  for (uint64_t word = address & ~uint64_t(3); word < address + bytes; word += 4)
    changes_[word].push_back({now_, &wave, wave.group, wordAt(word)});
}

// The value before the first change that has not become visible.
uint32_t WeakMemory::seen(const Wave &wave, uint64_t word, Path path) const {
  const auto at = changes_.find(word);
  if (at == changes_.end())
    return wordAt(word);
  const uint64_t ownGroup = wave.acquiredAt, others = std::min(wave.acquiredAt, wave.group->acquiredAt);
  for (const Change &change : at->second) {
    const bool visible =
        path == Path::Vector && (change.wave == &wave || change.time <= (change.group == wave.group ? ownGroup : others));
    if (!visible)
      return change.before;
  }
  return wordAt(word);
}

void WeakMemory::read(const Wave &wave, uint64_t address, uint32_t bytes, Path path, void *to) const {
  for (uint64_t word = address & ~uint64_t(3); word < address + bytes; word += 4) {
    const uint32_t value = seen(wave, word, path);
    const uint64_t begin = std::max(word, address), end = std::min(word + 4, address + bytes);
    std::memcpy(static_cast<char *>(to) + (begin - address), reinterpret_cast<const char *>(&value) + (begin - word), end - begin);
  }
}

bool WeakMemory::pendingOverlaps(const Wave &wave, uint64_t address, uint32_t bytes) {
  const auto &stores = pending_[&wave];
  return std::any_of(stores.begin(), stores.end(),
                     [&](const Pending &p) { return address < p.address + p.bytes && p.address < address + bytes; });
}

void WeakMemory::load(Wave &wave, uint64_t address, uint32_t bytes, bool coherent, void *to) {
  if (pendingOverlaps(wave, address, bytes))
    drain(wave);
  if (coherent)
    std::memcpy(to, reinterpret_cast<const void *>(address), bytes);
  else
    read(wave, address, bytes, Path::Vector, to);
}

void WeakMemory::scalarLoad(Wave &wave, uint64_t address, uint32_t bytes, void *to) {
  read(wave, address, bytes, Path::Scalar, to);
}

void WeakMemory::store(Wave &wave, uint64_t address, uint32_t bytes, const void *from) {
  Pending &store = pending_[&wave].emplace_back(Pending{address, bytes, {}});
  std::memcpy(store.data, from, bytes);
}

void WeakMemory::storeEnd(Wave &wave) {
  if (random_() % 4 == 0)
    drain(wave);
}

void WeakMemory::atomic(Wave &wave, uint64_t address, uint32_t bytes) {
  if (pendingOverlaps(wave, address, bytes))
    drain(wave);
  now_++;
  record(wave, address, bytes);
}

void WeakMemory::drain(Wave &wave) {
  auto &stores = pending_[&wave];
  if (stores.empty())
    return;
  now_++;
  for (const Pending &store : stores) {
    record(wave, store.address, store.bytes);
    std::memcpy(reinterpret_cast<void *>(store.address), store.data, store.bytes);
  }
  stores.clear();
}

void waitForStores(Wave &wave) {
  if (wave.worker->weak)
    wave.worker->weak->drain(wave);
}

void invalidateL0(Wave &wave) {
  if (wave.worker->weak)
    wave.worker->weak->invalidateL0(wave);
}

void invalidateL1(Wave &wave) {
  if (wave.worker->weak)
    wave.worker->weak->invalidateL1(wave);
}

} // namespace ds4::sim
