// Generated weights: every tensor's bytes follow from its name, its format and a seed, at any offset, so that they can be
// made in pieces and on any number of threads.
//
// Matrices are uniform in +-2.5 / sqrt(cols): a product then keeps the size of its input about as a trained one does, and
// activations stay finite over any number of blocks. f32, f16 and bf16 hold a fresh value each. Blocks of other formats are
// drawn from a pool of kPoolBlocks: 131,072 weights or more through the format's own quantizer, or, where it has none, random
// codes under scales that give them the same root mean square. So a file of any format and size costs a copy, and every
// block is one that a quantizer might have written.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/ModelDescription.h"
#include "models/formats/MixCodebooks.h"
#include "support/Synthetic.h"

namespace ds4 {

inline constexpr uint64_t kPoolBlocks = 4096;

// What the weights of a tensor are drawn from, by its role, its name (canonical) and its shape.
SyntheticRange weightRange(const ExpectedTensor &tensor);

class WeightGenerator {
public:
  virtual ~WeightGenerator() = default;
  // Fills `out` with whole blocks from block `first` on. May be called from several threads.
  virtual void generate(uint64_t first, std::span<std::byte> out) const = 0;
};

// Values, encoded one by one: f32, f16, bf16.
std::unique_ptr<WeightGenerator> makeValueGenerator(const ExpectedTensor &tensor, const Format &format, uint64_t seed);
// Rows of distinct expert ids, i32: a block is one id.
std::unique_ptr<WeightGenerator> makeExpertTableGenerator(const ExpectedTensor &tensor, uint32_t experts, uint64_t seed);

// kPoolBlocks blocks of one format.
std::vector<std::byte> makePool(const Format &format, double amplitude, uint64_t seed);
// Draws from a pool. For a MIX tensor, `mix` are its codebooks: blocks of adaptive slices choose either codebook.
std::unique_ptr<WeightGenerator> makePoolGenerator(const ExpectedTensor &tensor, const Format &format,
                                                   std::shared_ptr<const std::vector<std::byte>> pool, const MixEntry *mix,
                                                   uint64_t seed);

} // namespace ds4
