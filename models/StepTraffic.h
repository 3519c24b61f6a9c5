// What a decoded token has to move: the bytes of weights and rows that a step of one token reads, by part of the model, and the
// roofline that follows. Arithmetic on shapes and formats, no measurement.
//
// Counted: each weight once, of the routed experts those that a token uses, of the embedding and of the table of hashed routing
// one row; key-value rows that are visible at the position, of compressed rows behind an indexer the selected ones, and all of the
// indexer's keys. Left out: activations, logits, and the row that a step appends (together below 0.1 %).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/Model.h"

namespace ds4 {

enum class TrafficPart : uint8_t {
  Attention, // projections of queries, rows and output
  Compressors,
  Indexer, // its projections and its compressor
  HyperConnections,
  Router,
  SharedExpert,
  RoutedExperts,
  Head,
  Rest, // norms, the embedding's row, what is of no other part
  Rows, // of windows and compressed rows, read by attention
  IndexerKeys,
};
inline constexpr int kTrafficParts = 11;
std::string_view nameOf(TrafficPart part); // "routed experts"

// A weight as traffic sees it. `shape` is row-major, slowest dimension first, as in Weight.
struct TrafficWeight {
  std::string_view name; // canonical
  std::span<const int64_t> shape;
  uint64_t bytes = 0;
};

// Sizes that weights do not tell.
struct TrafficSizes {
  uint32_t expertsUsed = 0, window = 0, indexerTopK = 0;
  uint32_t headWidth = 0, indexerWidth = 0; // elements of a key-value row and of an indexer's key
  std::vector<uint32_t> ratios;             // per block, as ModelDescription::ratios
  uint32_t elementBytes = 2;                // of rows and keys
};

struct StepTraffic {
  int64_t position = 0; // of the token
  uint64_t bytes[kTrafficParts] = {};

  uint64_t of(TrafficPart part) const { return bytes[static_cast<int>(part)]; }
  uint64_t total() const;
  // Tokens a second at most when `bytesPerSecond` is all that memory gives.
  double tokensPerSecond(double bytesPerSecond) const { return bytesPerSecond / static_cast<double>(total()); }
};

// What LPDDR5X-8000 of 256 bits has, and what tuned copies reach of it on a gfx1151.
inline constexpr double kPeakBytesPerSecond = 256e9, kReachableBytesPerSecond = 220e9;

// Of a token at `position`, counted from 0. Throws ds4::Error (User) for a weight without rows.
StepTraffic stepTraffic(std::span<const TrafficWeight> weights, const TrafficSizes &sizes, int64_t position);
StepTraffic stepTraffic(const Model &model, int64_t position);

} // namespace ds4
