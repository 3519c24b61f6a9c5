// A compiled step in memory: what `ds4c compile` writes and the runtime executes. Plain data; the file form is
// compiler/plan.fbs, read and written by PlanFile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/StepExpr.h"
#include "support/StepGuard.h"

namespace ds4 {

// Raised when the meaning of a field changes; readers refuse every other version.
inline constexpr uint32_t kPlanVersion = 2;

// The input that has the tokens of a step which the step block has no room for.
inline constexpr std::string_view kIdsInput = "ids";

struct PlanWeight {
  std::string name;           // canonical name of the tensor
  std::string format;         // "q8_0"
  std::vector<int64_t> shape; // slowest dimension first: [rows, cols] or [experts, rows, cols]
  uint32_t shard = 0;
  uint64_t offset = 0; // in the shard's file
  uint64_t bytes = 0;

  // Records of levels that follow the blocks of a MIX weight in device memory, one a slice (codegen/kernels/formats/mix_levels.h);
  // 0 for other formats. The size of both.
  uint64_t levelTables() const;
  uint64_t deviceBytes() const;
};

// What each takes on the device, in order.
std::vector<uint64_t> weightPieces(std::span<const PlanWeight> weights);

struct PlanState {
  std::string name; // "blk.3.window"
  std::string kind; // window, compressed, indexer, open
  int64_t rows = 0, cols = 0;
  std::string format; // f16 or f32
  uint64_t bytes() const { return static_cast<uint64_t>(rows * cols) * (format == "f16" ? 2 : 4); }
};

struct PlanKernel {
  std::string symbol, op, source;
  uint32_t block = 32;
  uint32_t vgprBudget = 256, ldsBudget = 65536;
  uint32_t vgprs = 0, sgprs = 0, ldsBytes = 0; // of the code object
  std::vector<std::byte> codeObject;           // empty: compiled at load
};

struct PlanHeader {
  std::string name, text;
};

struct PlanArgument {
  enum class Kind : uint8_t { Step, Weight, State, Arena };
  Kind kind = Kind::Step;
  uint64_t value = 0; // index of the weight or state, byte offset in the arena
};

// One way to do a launch's work. All variants of a launch compute the same values from the same arguments.
struct PlanVariant {
  uint32_t kernel = 0;
  std::array<StepExpr, 3> grid;
  StepGuard guard;          // the steps that it is for
  std::string name, reason; // "columns 4", and why it is taken where its guard holds; empty where there is no choice
  bool scratch = false;     // takes the last of the launch's arguments, the address of the scratch; the others do not
};

// What a launch does in a step.
struct PlanChoice {
  size_t variant = 0;
  uint32_t kernel = 0;
  std::array<uint32_t, 3> grid{}; // workgroups along each axis
  size_t arguments = 0;           // that the kernel takes, of the launch's first ones

  bool isEmpty() const { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; } // the step has no rows for it
};

struct PlanLaunch {
  std::vector<PlanVariant> variants; // one at least
  std::vector<PlanArgument> arguments;
  std::string label;               // the op's place in the model, "blk.3.attn.q_a"
  std::vector<std::string> covers; // places of the ops whose results it makes; one, its own, where nothing was fused

  bool usesScratch() const;
  // The variant whose guard holds. Throws ds4::Error (User) when none does, or no device can launch that many workgroups.
  PlanChoice at(int64_t pos, int64_t q) const;
};

// An op of the step before any pass: what reports compare the launches with. The runtime has no use for it.
struct PlanOp {
  std::string place;              // "blk.3.attn.q_a"
  std::string name;               // "linear"
  std::vector<uint32_t> operands; // the ops that made its operands or updated its state, by index
};

// A tensor in the arena that the host reads or writes, row-major; token t of the step starts at t * tokenStride elements.
struct PlanValue {
  static constexpr int64_t kTokens = -1, kRows = -2;
  std::string name;
  std::string element; // f32 or i32
  std::vector<int64_t> dims;
  uint64_t offset = 0;
  uint64_t tokenStride = 0;
  uint64_t bytes = 0; // for the greatest width
};

// Sizes of the model that neither weights nor states tell: what reports compute a token's traffic from. All zero in plans that
// are older.
struct PlanSizes {
  uint32_t expertsUsed = 0, window = 0, indexerTopK = 0;
  std::vector<uint32_t> ratios; // per block
};

struct Plan {
  std::string generator; // "ds4c 0.1.0"
  std::string target;    // "gfx1151"
  std::string modelName, modelFingerprint;
  int64_t vocabulary = 0;
  int64_t context = 0; // positions that the state has room for
  uint32_t maxWidth = 8;
  uint64_t arenaBytes = 0;
  std::vector<std::string> options; // compiler options of every kernel
  std::vector<PlanWeight> weights;
  std::vector<PlanState> states;
  std::vector<PlanKernel> kernels;
  std::vector<PlanHeader> headers;
  std::vector<PlanLaunch> launches;
  std::vector<PlanValue> inputs, outputs;
  std::string ir;          // textual IR after scheduling
  std::vector<PlanOp> ops; // of the step before any pass, in its order
  PlanSizes sizes;

  // The draft function of the drafter that it was compiled with; null: none. Weights and states that bear the name of this plan's
  // are this plan's: all states of DSpark, of MTP all but the block's ring. Its maxWidth is the size of a block of a DSpark
  // drafter, the most rows at a time of a next-token block (models/graph/GraphBuilder.h); its headers are this plan's.
  std::shared_ptr<const Plan> draft;
  std::string drafterKind; // "dspark" or "mtp" where there is one
  std::string drafterFingerprint;
  int32_t noiseToken = 0; // behind the confirmed token in a block of DSpark

  // Reads a prompt in chunks of 1 to its maxWidth tokens, up to kMaxChunk, whose ids are its input kIdsInput; null: prompts are
  // read in steps. Its weights are this plan's, as are the states that bear the name of one; the others are its own and mean
  // nothing between chunks. It has no outputs.
  std::shared_ptr<const Plan> prefill;

  const PlanValue *findOutput(std::string_view name) const;
  const PlanValue *findInput(std::string_view name) const;
  const PlanState *findState(std::string_view name) const;
  // Weights of the draft function that the plan itself has not.
  std::vector<PlanWeight> drafterWeights() const;
  uint64_t weightBytes() const;
  uint64_t stateBytes() const;
  // States of its draft or prefill function that the plan itself has not.
  std::vector<PlanState> ownStates(const Plan &function) const;
  // Of its arena and those states: what reading prompts in chunks takes on the device beside the plan itself.
  uint64_t prefillBytes() const;
  // The same of drafting.
  uint64_t draftBytes() const;
  // What each weight and each state takes on the device, in order.
  std::vector<uint64_t> weightPieces() const;
  std::vector<uint64_t> statePieces() const;
};

} // namespace ds4
