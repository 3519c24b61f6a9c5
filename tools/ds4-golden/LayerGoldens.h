// Expected values of single layers of real size. Weights and inputs are generated (support/Synthetic.h), results are in
// GOLDENS.safetensors beside GOLDENS.json.
//
// A kind of layer ("sliding_attention", ...) is block 0 of a model of one block: it has a description, weights under their
// canonical names, and any number of steps, each one decode or verify step from a given state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/Model.h"
#include "models/ModelDescription.h"
#include "support/Safetensors.h"
#include "support/Synthetic.h"

namespace ds4::golden {

inline const std::string kBlock = "blk.0."; // what the names of the layer's weights and state begin with

struct LayerStep {
  std::string tag;  // "c4.t2622.n4"
  std::string kind; // "compressed_sparse_attention"
  int64_t position = 0, tokens = 0;
  std::vector<int32_t> tokenIds;
  std::vector<double> selectMargin; // a token's gap between the last selected score and the next; empty when all fit
};

class LayerGoldens {
public:
  // Throws ds4::Error (User) when a file is missing, malformed or lacks a value.
  explicit LayerGoldens(const std::string &jsonPath);

  const std::vector<LayerStep> &steps() const { return steps_; }
  ModelDescription description(const std::string &kind) const;
  // The layer's weights as a file would list them; offsets have no meaning.
  std::vector<Weight> weights(const std::string &kind) const;
  // Decoded values of one of them, generated anew.
  std::vector<float> weightValues(const std::string &kind, const std::string &canonicalName) const;

  // A generated input of a step: `name` without the tag, "window_rows".
  std::vector<float> input(const LayerStep &step, const std::string &name, uint64_t count) const;
  // A result of a step: "attn.out". contains() tells whether the step has it.
  bool contains(const LayerStep &step, const std::string &name) const { return results_.contains(step.tag + "." + name); }
  std::vector<float> expected(const LayerStep &step, const std::string &name) const {
    return results_.floats(step.tag + "." + name);
  }
  std::vector<int32_t> expectedIds(const LayerStep &step, const std::string &name) const {
    return results_.ints(step.tag + "." + name);
  }

private:
  struct Parameter {
    std::vector<int64_t> shape;
    SyntheticRange range;
  };
  const std::map<std::string, Parameter> &parameters(const std::string &kind) const;
  std::vector<float> expertTable() const;

  ModelDescription base_;                                         // without what depends on the kind
  std::map<std::string, std::map<std::string, Parameter>> kinds_; // by transformers' names
  std::vector<LayerStep> steps_;
  Safetensors results_;
};

} // namespace ds4::golden
