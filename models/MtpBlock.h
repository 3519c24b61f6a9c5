// The classic next-token block (MTP, spec section 10.1) as it lies in GGUF files: one block behind the model's own, "blk.N.*" with
// N the number of the model's blocks, and beside its weights of an ordinary block these, under "blk.N.nextn.":
//
//   enorm, hnorm [D]                 norms of the next token's embedding and of each stream
//   eh_proj [D, 2D]                  of the two, embedding first; or as two matrices e_proj, h_proj [D, D]
//   shared_head_norm [D]             its own final norm, absent from some files: the model's then
//   hc_head_fn, _base, _scale        its own head of the streams, absent from some files: the model's then
//
// Embedding and output matrix are the model's. The block may stand behind the model or in a file of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/Model.h"

namespace ds4 {

// The number of the block in the file; nothing: the file has none.
std::optional<uint32_t> findMtpBlock(const gguf::Reader &file);

// The block as a model of one block, of ratio 0 with a learned router.
ModelDescription describeMtpBlock(const gguf::Reader &file, uint32_t block, const ModelDescription &target);

// The name in a drafter of a tensor of the file: "blk.43.attn_kv.weight" is "blk.0.attn_kv.weight", "blk.43.nextn.enorm.weight" is
// "enorm.weight"; what does not belong to the block begins with "model.".
std::string canonicalMtpTensorName(std::string_view name, uint32_t block);

// The tensors of a block in a file that has every one of them, under their names there, e_proj and h_proj apart.
std::vector<ExpectedTensor> mtpTensors(const ModelDescription &model);

// What the drafter must have: of each choice above what `has` finds, which is asked by canonical name.
std::vector<ExpectedTensor> expectedMtpTensors(const ModelDescription &block, const std::function<bool(std::string_view)> &has);

} // namespace ds4
