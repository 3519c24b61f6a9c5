// The fields of a model description under their two names. YAML, GGUF, reports and fingerprints all walk these tables.
#pragma once

#include <string_view>

#include "models/ModelDescription.h"

namespace ds4 {

inline constexpr std::string_view kArchitecture = "deepseek4";

template <typename T> struct DescriptionField {
  std::string_view yaml, key;
  T ModelDescription::*member;
};

inline constexpr std::string_view kHashLayersKey = "deepseek4.hash_layer_count";

inline constexpr DescriptionField<uint32_t> kIntegerFields[] = {
    {"vocabulary", "deepseek4.vocab_size", &ModelDescription::vocabulary},
    {"context_length", "deepseek4.context_length", &ModelDescription::contextLength},
    {"width", "deepseek4.embedding_length", &ModelDescription::width},
    {"blocks", "deepseek4.block_count", &ModelDescription::blocks},
    {"heads", "deepseek4.attention.head_count", &ModelDescription::heads},
    {"head_width", "deepseek4.attention.key_length", &ModelDescription::headWidth},
    {"rope_width", "deepseek4.rope.dimension_count", &ModelDescription::ropeWidth},
    {"q_rank", "deepseek4.attention.q_lora_rank", &ModelDescription::qRank},
    {"output_rank", "deepseek4.attention.output_lora_rank", &ModelDescription::outputRank},
    {"output_groups", "deepseek4.attention.output_group_count", &ModelDescription::outputGroups},
    {"window", "deepseek4.attention.sliding_window", &ModelDescription::window},
    {"yarn_original_context", "deepseek4.rope.scaling.original_context_length", &ModelDescription::yarnOriginalContext},
    {"indexer_heads", "deepseek4.attention.indexer.head_count", &ModelDescription::indexerHeads},
    {"indexer_width", "deepseek4.attention.indexer.key_length", &ModelDescription::indexerWidth},
    {"indexer_top_k", "deepseek4.attention.indexer.top_k", &ModelDescription::indexerTopK},
    {"experts", "deepseek4.expert_count", &ModelDescription::experts},
    {"experts_used", "deepseek4.expert_used_count", &ModelDescription::expertsUsed},
    {"expert_width", "deepseek4.expert_feed_forward_length", &ModelDescription::expertWidth},
    {"shared_experts", "deepseek4.expert_shared_count", &ModelDescription::sharedExperts},
    {"hash_layers", kHashLayersKey, &ModelDescription::hashLayers},
    {"streams", "deepseek4.hyper_connection.count", &ModelDescription::streams},
    {"sinkhorn_iterations", "deepseek4.hyper_connection.sinkhorn_iterations", &ModelDescription::sinkhornIterations},
};

inline constexpr DescriptionField<float> kFloatFields[] = {
    {"rope_base", "deepseek4.rope.freq_base", &ModelDescription::ropeBase},
    {"compress_rope_base", "deepseek4.attention.compress_rope_freq_base", &ModelDescription::compressRopeBase},
    {"yarn_factor", "deepseek4.rope.scaling.factor", &ModelDescription::yarnFactor},
    {"yarn_beta_fast", "deepseek4.rope.scaling.yarn_beta_fast", &ModelDescription::yarnBetaFast},
    {"yarn_beta_slow", "deepseek4.rope.scaling.yarn_beta_slow", &ModelDescription::yarnBetaSlow},
    {"expert_scale", "deepseek4.expert_weights_scale", &ModelDescription::expertScale},
    {"hc_eps", "deepseek4.hyper_connection.epsilon", &ModelDescription::hcEps},
    {"norm_eps", "deepseek4.attention.layer_norm_rms_epsilon", &ModelDescription::normEps},
};

// Absent where the model's tokenizer has no such token.
inline constexpr DescriptionField<std::optional<uint32_t>> kTokenFields[] = {
    {"bos", "tokenizer.ggml.bos_token_id", &ModelDescription::bos},
    {"eos", "tokenizer.ggml.eos_token_id", &ModelDescription::eos},
    {"pad", "tokenizer.ggml.padding_token_id", &ModelDescription::pad},
};

inline constexpr std::string_view kRatiosKey = "deepseek4.attention.compress_ratios";
inline constexpr std::string_view kClampsKey = "deepseek4.swiglu_clamp_exp";
inline constexpr std::string_view kSharedClampsKey = "deepseek4.swiglu_clamp_shexp";
inline constexpr std::string_view kGatingKey = "deepseek4.expert_gating_func";
inline constexpr std::string_view kNormalisedKey = "deepseek4.expert_weights_norm";
inline constexpr std::string_view kScalingKey = "deepseek4.rope.scaling.type";
inline constexpr std::string_view kValueLengthKey = "deepseek4.attention.value_length";
inline constexpr std::string_view kKvHeadsKey = "deepseek4.attention.head_count_kv";
inline constexpr std::string_view kNextTokenKey = "deepseek4.nextn_predict_layers";

// llama.cpp's number for sqrt(softplus(x)).
inline constexpr uint32_t kSqrtSoftplus = 4;

// No model is near this; keeps a damaged file from filling memory with expectations.
inline constexpr uint32_t kMaxBlocks = 1024;

} // namespace ds4
