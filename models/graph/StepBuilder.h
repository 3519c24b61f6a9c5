// What writes a step function: the frame of the function, its blocks, its head and its drafter, one op after another. Private to
// GraphBuilder, which says what the functions are.
//
// StepBuilder.cpp has the frame, StepHead.cpp what begins and ends a step, BlockGraph.cpp a block, DsparkGraph.cpp and
// MtpGraph.cpp the drafters, PrefillGraph.cpp a chunk of a prompt.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "codegen/kernels/step.h"
#include "ir/Ds4Dialect.h"
#include "ir/Ds4Ops.h"
#include "models/graph/GraphBuilder.h"

namespace ds4 {

class StepBuilder {
public:
  StepBuilder(mlir::MLIRContext &context, const ModelTable &model, const GraphOptions &options);

  mlir::OwningOpRef<mlir::ModuleOp> buildStep();
  mlir::OwningOpRef<mlir::ModuleOp> buildLayerAlone(int layer);
  mlir::OwningOpRef<mlir::ModuleOp> buildDraft(); // of either kind of drafter
  mlir::OwningOpRef<mlir::ModuleOp> buildPrefill();

private:
  using Type = mlir::Type;
  using Value = mlir::Value;

  // Creates an op at a named place of the model.
  struct Place {
    mlir::OpBuilder &builder;
    mlir::Location location;
    template <typename Op, typename... Args> auto create(Args &&...args) {
      return Op::create(builder, location, std::forward<Args>(args)...);
    }
  };
  struct LayerStates {
    int window = -1, open = -1, compressed = -1, indexerOpen = -1, indexer = -1; // indices into states_
  };
  struct State {
    std::string name;
    Value value; // newest version
  };

  // --- The function's frame ---
  void startFunction();
  mlir::OwningOpRef<mlir::ModuleOp> finish();
  Value addArgument(const std::string &name, Type type);
  int addState(const std::string &name, StateKind kind, int64_t rows, int64_t cols, Type element);
  void addStates(int layer);
  void addDrafterStates();
  void addDrafterRings();
  // Of a drafter's ring: room for a block of drafts beyond what attention sees and the session takes back.
  int64_t drafterSlots() const { return d_->window + kMaxWidth + model_.drafter()->blockSize; }
  void output(const std::string &name, Value value) { outputs_.push_back({name, value}); }
  mlir::Attribute named(const std::string &name);

  // From here on layers, weights, states and places are the drafter's; adds its states.
  void enterDrafter();
  bool draftsByMtp() const { return model_.drafter()->kind == DrafterKind::Mtp; }

  // --- Small pieces ---
  Place at(const std::string &name) { return {b_, mlir::NameLoc::get(b_.getStringAttr(prefix_ + name))}; }
  static std::string path(int layer, const std::string &rest) { return "blk." + std::to_string(layer) + "." + rest; }
  Type activation(std::initializer_list<int64_t> trailing);
  Value weight(const std::string &name) { return sharedWeight(prefix_ + name); }
  Value sharedWeight(const std::string &name); // under its full name
  Value ownWeightOrModels(const std::string &name) { return sharedWeight(model_.has(prefix_ + name) ? prefix_ + name : name); }
  Value layerWeight(int layer, const std::string &name) { return weight(path(layer, name)); }
  RopeAttr rope(int layer);

  // --- A block. `taps`: what the names of its taps begin with; empty: a layer alone, which returns all of them. ---
  Value buildLayer(int layer, Value streams, const std::string &taps);
  template <typename Body>
  Value buildSubLayer(int layer, const std::string &kind, Value streams, const std::string &taps, const std::string &outTap,
                      Body body);
  Value buildAttention(int layer, Value x, const std::string &place, const std::string &taps);
  Value buildChunkWindow(Value window, Value row, const std::string &place);
  Value buildKeyValueRow(int layer, Value x, const std::string &place);
  Value appendRow(int layer, Value row, const std::string &place);
  Value buildCompressor(int layer, Value x, const std::string &prefix, const std::string &place, int open, int rows);
  Value buildIndexer(int layer, Value x, Value qr, const std::string &place, const std::string &taps);
  Value buildExperts(int layer, Value x, const std::string &place, const std::string &taps);
  // A layer alone returns everything; the whole model only what its goldens hold.
  bool detailedTaps(const std::string &taps) const { return taps.empty(); }
  bool anyTaps(const std::string &taps) const { return taps.empty() || options_.taps; }

  // --- Head and drafters ---
  Value buildHeadRead(const std::string &place, Value streams); // [T, D]
  void buildHead(Value streams);
  // What a step of the model, or a chunk of a prompt, keeps for the drafter; `after`: the streams behind each block.
  void buildDrafterRows(const std::map<uint32_t, Value> &after);
  void buildDsparkRows(const std::map<uint32_t, Value> &after);
  void buildDsparkDraft();
  void buildMarkovHead(Value x, Value logits);
  void buildMtpDraft();
  Value buildMtpStreams();

  const ModelTable &model_;
  const ModelDescription *d_; // of the part that is being built
  std::string prefix_;        // of its names
  bool block_ = false;        // attention as in a block of drafts
  int mtpStreams_ = -1;       // index of the ring of streams that a next-token block reads
  int chunkWindow_ = -1;      // index of the ring that a chunk is read with; -1: a step, which the layer's own ring has room for
  GraphOptions options_;
  mlir::OpBuilder b_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp function_;
  Type rowType_;
  Value tokens_, pos_;
  std::vector<std::string> argumentNames_;
  std::vector<State> states_;
  std::map<std::string, LayerStates> layerStates_; // by path with prefix
  std::map<std::string, Value> weights_;
  std::vector<std::pair<std::string, Value>> outputs_;
};

} // namespace ds4
