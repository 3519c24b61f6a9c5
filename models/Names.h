// The names of tensors and metadata keys, in every dialect that DS4 model files are written in.
//
// Canonical are llama.cpp's names ("blk.3.attn_q_a.weight", "deepseek4.embedding_length"). Known besides are: the first
// converters' names without ".weight" or with "compress" for "compressor"; dotted and underscored indexer names; the names
// of the published checkpoint ("layers.3.attn.wq_a.weight") and of transformers
// ("model.layers.3.self_attn.q_a_proj.weight"), as far as one tensor there is one tensor here (experts are not).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ds4 {

// The canonical name, or `name` itself when it is canonical already or unknown.
std::string canonicalTensorName(std::string_view name);

// The same for a DSpark drafter's file, in Lucebox' dialect ("dflash.fc.weight") and in llama.cpp's ("fc.weight"). Besides the
// names of blocks and head these are "main_proj.weight", "main_norm.weight", "markov_w1.weight", "markov_w2.weight",
// "confidence.weight", "confidence.bias".
std::string canonicalDrafterTensorName(std::string_view name);

// Other spellings of a metadata key, without the "deepseek4." that all of them begin with; empty for most keys.
std::span<const std::string_view> keyAliases(std::string_view key);

} // namespace ds4
