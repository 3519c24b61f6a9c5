#include "runtime/WeightLoader.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "support/Parallel.h"

namespace ds4 {

namespace {

struct Piece {
  size_t weight;
  uint64_t offset, bytes;
};

std::vector<Piece> piecesOf(std::span<const PlanWeight> weights, const WeightSource &source) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < weights.size(); ++i) {
    const PlanWeight &weight = weights[i];
    const uint64_t most = std::max<uint64_t>(source.pieceBytes(weight), 1);
    for (uint64_t offset = 0; offset < weight.bytes; offset += most)
      pieces.push_back({i, offset, std::min(most, weight.bytes - offset)});
  }
  return pieces;
}

} // namespace

WeightLoadReport loadWeights(const hip::Provider &provider, std::span<const PlanWeight> weights, WeightSource &source,
                             const DeviceSlabs &slabs, const WeightLoadOptions &options) {
  constexpr unsigned kMostThreads = 8; // more of them do not make a disk faster
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Piece> pieces = piecesOf(weights, source);
  uint64_t total = 0;
  for (const PlanWeight &weight : weights)
    total += weight.bytes;
  std::mutex mutex; // copies go through one queue of the device anyway
  std::vector<std::unique_ptr<std::vector<std::byte>>> idle;
  uint64_t done = 0;
  parallelFor(pieces.size(), options.threads ? options.threads : std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads),
              [&](size_t i) {
                if (options.stop && *options.stop)
                  throw Error(kInterrupted, "interrupted while loading weights");
                const Piece &piece = pieces[i];
                std::unique_ptr<std::vector<std::byte>> staging;
                {
                  std::lock_guard lock(mutex);
                  if (!idle.empty()) {
                    staging = std::move(idle.back());
                    idle.pop_back();
                  }
                }
                if (!staging)
                  staging = std::make_unique<std::vector<std::byte>>();
                staging->resize(piece.bytes);
                source.read(weights[piece.weight], piece.offset, *staging);
                std::lock_guard lock(mutex);
                provider.makeCurrent(); // HIP's current device belongs to the thread
                slabs.upload(piece.weight, *staging, piece.offset);
                idle.push_back(std::move(staging));
                done += piece.bytes;
                if (options.progress)
                  options.progress("weights", double(done) / double(total));
              });
  for (size_t i = 0; i < weights.size(); ++i)
    if (const uint64_t tables = weights[i].levelTables()) {
      std::vector<MixLevels> levels(tables);
      source.readLevels(weights[i], levels);
      slabs.upload(i, std::as_bytes(std::span(levels)), mixLevelsOffset(weights[i].bytes));
    }
  return {total, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

} // namespace ds4
