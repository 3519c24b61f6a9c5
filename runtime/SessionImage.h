// A sequence outside the device: to go back to, or to go on with another day.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/plan/Plan.h"

namespace ds4 {

// The first bytes of one of the plan's states, as they are on the device.
struct StateBytes {
  uint32_t state = 0; // index in Plan::states
  std::vector<std::byte> bytes;
};

// A place in the sequence. Rows of compressed and indexer states are only ever appended, so those of earlier places are still
// there: a checkpoint holds the rest.
struct Checkpoint {
  int64_t position = 0;
  int64_t written = 0; // how far steps had written: rejected drafts, too
  std::vector<StateBytes> states;
};

struct SessionImage {
  std::string plan;            // planIdentity()
  std::vector<int32_t> tokens; // processed
  int64_t written = 0;
  std::vector<StateBytes> states; // all of them, up to the rows in use
  std::vector<Checkpoint> checkpoints;
  std::string note; // the application's, such as a conversation
};

// Equal for plans whose states mean the same: same model, target, formats, context and arithmetic. 64 hex digits.
std::string planIdentity(const Plan &plan);

// Throw ds4::Error (User) with one line when the file is not there, damaged, or another version's. A file is written whole or
// not at all (FileWriter). `bytes` of an image are limited by memory alone.
void writeSessionFile(const std::string &path, const SessionImage &image);
SessionImage readSessionFile(const std::string &path);

} // namespace ds4
