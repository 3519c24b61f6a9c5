#include "models/Names.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ds4 {

namespace {

struct Alias {
  std::string_view alias, canonical;
};

constexpr Alias kModelAliases[] = {
    {"embed.weight", "token_embd.weight"},
    {"model.embed_tokens.weight", "token_embd.weight"},
    {"norm.weight", "output_norm.weight"},
    {"model.norm.weight", "output_norm.weight"},
    {"head.weight", "output.weight"},
    {"lm_head.weight", "output.weight"},
    {"hc_head_fn", "output_hc_fn.weight"},
    {"hc_head_fn.weight", "output_hc_fn.weight"},
    {"output_hc_fn", "output_hc_fn.weight"},
    {"model.hc_head.hc_fn", "output_hc_fn.weight"},
    {"hc_head_base", "output_hc_base.weight"},
    {"hc_head_base.weight", "output_hc_base.weight"},
    {"output_hc_base", "output_hc_base.weight"},
    {"model.hc_head.hc_base", "output_hc_base.weight"},
    {"hc_head_scale", "output_hc_scale.weight"},
    {"hc_head_scale.weight", "output_hc_scale.weight"},
    {"output_hc_scale", "output_hc_scale.weight"},
    {"model.hc_head.hc_scale", "output_hc_scale.weight"},
};

// After "blk.N.", "layers.N." or "model.layers.N.".
constexpr Alias kLayerAliases[] = {
    // norms
    {"input_layernorm.weight", "attn_norm.weight"},
    {"post_attention_layernorm.weight", "ffn_norm.weight"},
    // attention
    {"attn_sinks", "attn_sinks.weight"},
    {"attn_sink", "attn_sinks.weight"},
    {"attn_sink.weight", "attn_sinks.weight"},
    {"attn.attn_sink", "attn_sinks.weight"},
    {"self_attn.sinks", "attn_sinks.weight"},
    {"attn.wq_a.weight", "attn_q_a.weight"},
    {"self_attn.q_a_proj.weight", "attn_q_a.weight"},
    {"attn_q_norm.weight", "attn_q_a_norm.weight"},
    {"attn.q_norm.weight", "attn_q_a_norm.weight"},
    {"self_attn.q_a_norm.weight", "attn_q_a_norm.weight"},
    {"attn.wq_b.weight", "attn_q_b.weight"},
    {"self_attn.q_b_proj.weight", "attn_q_b.weight"},
    {"attn_kv_latent.weight", "attn_kv.weight"},
    {"attn_kv_a.weight", "attn_kv.weight"},
    {"attn_kv_a_mqa.weight", "attn_kv.weight"},
    {"attn.wkv.weight", "attn_kv.weight"},
    {"self_attn.kv_proj.weight", "attn_kv.weight"},
    {"attn_kv_norm.weight", "attn_kv_a_norm.weight"},
    {"attn.kv_norm.weight", "attn_kv_a_norm.weight"},
    {"self_attn.kv_norm.weight", "attn_kv_a_norm.weight"},
    {"attn_o_a.weight", "attn_output_a.weight"},
    {"attn_out_a.weight", "attn_output_a.weight"},
    {"attn.wo_a.weight", "attn_output_a.weight"},
    {"self_attn.o_a_proj.weight", "attn_output_a.weight"},
    {"attn_o_b.weight", "attn_output_b.weight"},
    {"attn_out_b.weight", "attn_output_b.weight"},
    {"attn.wo_b.weight", "attn_output_b.weight"},
    {"self_attn.o_b_proj.weight", "attn_output_b.weight"},
    // hyper-connections
    {"hc_attn_fn", "hc_attn_fn.weight"},
    {"attn_hc.fn", "hc_attn_fn.weight"},
    {"attn_hc_fn.weight", "hc_attn_fn.weight"},
    {"hc_attn_base", "hc_attn_base.weight"},
    {"attn_hc.base", "hc_attn_base.weight"},
    {"attn_hc_base.weight", "hc_attn_base.weight"},
    {"hc_attn_scale", "hc_attn_scale.weight"},
    {"attn_hc.scale", "hc_attn_scale.weight"},
    {"attn_hc_scale.weight", "hc_attn_scale.weight"},
    {"hc_ffn_fn", "hc_ffn_fn.weight"},
    {"ffn_hc.fn", "hc_ffn_fn.weight"},
    {"ffn_hc_fn.weight", "hc_ffn_fn.weight"},
    {"hc_ffn_base", "hc_ffn_base.weight"},
    {"ffn_hc.base", "hc_ffn_base.weight"},
    {"ffn_hc_base.weight", "hc_ffn_base.weight"},
    {"hc_ffn_scale", "hc_ffn_scale.weight"},
    {"ffn_hc.scale", "hc_ffn_scale.weight"},
    {"ffn_hc_scale.weight", "hc_ffn_scale.weight"},
    // compressor
    {"attn_compress_kv.weight", "attn_compressor_kv.weight"},
    {"attn.compressor.wkv.weight", "attn_compressor_kv.weight"},
    {"self_attn.compressor.kv_proj.weight", "attn_compressor_kv.weight"},
    {"attn_compress_gate.weight", "attn_compressor_gate.weight"},
    {"attn.compressor.wgate.weight", "attn_compressor_gate.weight"},
    {"self_attn.compressor.gate_proj.weight", "attn_compressor_gate.weight"},
    {"attn_compress_ape", "attn_compressor_ape.weight"},
    {"attn_compress_ape.weight", "attn_compressor_ape.weight"},
    {"attn_compressor_ape", "attn_compressor_ape.weight"},
    {"attn.compressor.ape", "attn_compressor_ape.weight"},
    {"self_attn.compressor.position_bias", "attn_compressor_ape.weight"},
    {"attn_compress_norm.weight", "attn_compressor_norm.weight"},
    {"attn.compressor.norm.weight", "attn_compressor_norm.weight"},
    {"self_attn.compressor.kv_norm.weight", "attn_compressor_norm.weight"},
    // indexer
    {"indexer_proj.weight", "indexer.proj.weight"},
    {"indexer.weights_proj.weight", "indexer.proj.weight"},
    {"attn.indexer.weights_proj.weight", "indexer.proj.weight"},
    {"self_attn.compressor.indexer.scorer.weights_proj.weight", "indexer.proj.weight"},
    {"self_attn.compressor.indexer.weights_proj.weight", "indexer.proj.weight"},
    {"indexer_attn_q_b.weight", "indexer.attn_q_b.weight"},
    {"attn.indexer.wq_b.weight", "indexer.attn_q_b.weight"},
    {"self_attn.compressor.indexer.q_b_proj.weight", "indexer.attn_q_b.weight"},
    {"indexer.compressor_kv.weight", "indexer_compressor_kv.weight"},
    {"indexer.compress_kv.weight", "indexer_compressor_kv.weight"},
    {"attn.indexer.compressor.wkv.weight", "indexer_compressor_kv.weight"},
    {"self_attn.compressor.indexer.kv_proj.weight", "indexer_compressor_kv.weight"},
    {"indexer.compressor_gate.weight", "indexer_compressor_gate.weight"},
    {"indexer.compress_gate.weight", "indexer_compressor_gate.weight"},
    {"attn.indexer.compressor.wgate.weight", "indexer_compressor_gate.weight"},
    {"self_attn.compressor.indexer.gate_proj.weight", "indexer_compressor_gate.weight"},
    {"indexer.compressor_ape.weight", "indexer_compressor_ape.weight"},
    {"indexer.compressor_ape", "indexer_compressor_ape.weight"},
    {"indexer_compressor_ape", "indexer_compressor_ape.weight"},
    {"indexer.compress_ape", "indexer_compressor_ape.weight"},
    {"indexer.compress_ape.weight", "indexer_compressor_ape.weight"},
    {"attn.indexer.compressor.ape", "indexer_compressor_ape.weight"},
    {"self_attn.compressor.indexer.position_bias", "indexer_compressor_ape.weight"},
    {"indexer.compressor_norm.weight", "indexer_compressor_norm.weight"},
    {"indexer.compress_norm.weight", "indexer_compressor_norm.weight"},
    {"attn.indexer.compressor.norm.weight", "indexer_compressor_norm.weight"},
    {"self_attn.compressor.indexer.kv_norm.weight", "indexer_compressor_norm.weight"},
    // experts
    {"ffn.gate.weight", "ffn_gate_inp.weight"},
    {"mlp.gate.weight", "ffn_gate_inp.weight"},
    {"exp_probs_b", "exp_probs_b.bias"},
    {"exp_probs_b.weight", "exp_probs_b.bias"},
    {"ffn_exp_probs_b.bias", "exp_probs_b.bias"},
    {"ffn.gate.bias", "exp_probs_b.bias"},
    {"mlp.gate.e_score_correction_bias", "exp_probs_b.bias"},
    {"ffn_gate_tid2eid", "ffn_gate_tid2eid.weight"},
    {"ffn.gate.tid2eid", "ffn_gate_tid2eid.weight"},
    {"mlp.gate.tid2eid", "ffn_gate_tid2eid.weight"},
    {"ffn.shared_experts.w1.weight", "ffn_gate_shexp.weight"},
    {"mlp.shared_experts.gate_proj.weight", "ffn_gate_shexp.weight"},
    {"ffn.shared_experts.w3.weight", "ffn_up_shexp.weight"},
    {"mlp.shared_experts.up_proj.weight", "ffn_up_shexp.weight"},
    {"ffn.shared_experts.w2.weight", "ffn_down_shexp.weight"},
    {"mlp.shared_experts.down_proj.weight", "ffn_down_shexp.weight"},
};

constexpr Alias kDrafterAliases[] = {
    {"dflash.fc.weight", "main_proj.weight"},
    {"fc.weight", "main_proj.weight"},
    {"dflash.hidden_norm.weight", "main_norm.weight"},
    {"enc.output_norm.weight", "main_norm.weight"},
    {"dflash.dspark.markov.w1", "markov_w1.weight"},
    {"dflash.dspark.markov.w2", "markov_w2.weight"},
    {"dflash.dspark.confidence.weight", "confidence.weight"},
    {"conf_proj.weight", "confidence.weight"},
    {"dflash.dspark.confidence.bias", "confidence.bias"},
    {"conf_proj.bias", "confidence.bias"},
};

struct KeyAliases {
  std::string_view key;
  std::array<std::string_view, 2> aliases;
};

constexpr KeyAliases kKeyAliases[] = {
    {"deepseek4.attention.output_lora_rank", {"attention.o_lora_rank"}},
    {"deepseek4.attention.output_group_count", {"attention.o_groups"}},
    {"deepseek4.attention.compress_rope_freq_base", {"compress_rope.freq_base", "rope.freq_base_swa"}},
    {"deepseek4.attention.indexer.head_count", {"indexer.head_count"}},
    {"deepseek4.attention.indexer.key_length", {"indexer.key_length", "indexer.head_dim"}},
    {"deepseek4.attention.indexer.top_k", {"indexer.top_k"}},
    {"deepseek4.rope.scaling.original_context_length", {"rope.scaling.original_max_position_embeddings"}},
    {"deepseek4.rope.scaling.yarn_beta_fast", {"rope.scaling.beta_fast"}},
    {"deepseek4.rope.scaling.yarn_beta_slow", {"rope.scaling.beta_slow"}},
    {"deepseek4.expert_feed_forward_length", {"moe_intermediate_size"}},
    {"deepseek4.expert_gating_func", {"expert.gating_func"}},
    {"deepseek4.hyper_connection.count", {"hyper_connection.expansion"}},
    {"deepseek4.hyper_connection.sinkhorn_iterations", {"hyper_connection.sinkhorn_iters"}},
    {"deepseek4.hyper_connection.epsilon", {"hc_eps"}},
};

std::optional<std::string_view> lookUp(std::span<const Alias> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Alias::alias);
  return found == table.end() ? std::nullopt : std::optional(found->canonical);
}

} // namespace

std::string canonicalTensorName(std::string_view name) {
  if (const auto canonical = lookUp(kModelAliases, name))
    return std::string(*canonical);
  for (std::string_view prefix : {"blk.", "layers.", "model.layers."}) {
    if (!name.starts_with(prefix))
      continue;
    const size_t dot = name.find('.', prefix.size());
    const std::string_view number = name.substr(prefix.size(), dot - prefix.size());
    if (dot == name.npos || number.empty() || !std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; }))
      return std::string(name);
    const std::string_view rest = name.substr(dot + 1);
    return std::string("blk.").append(number).append(".").append(lookUp(kLayerAliases, rest).value_or(rest));
  }
  return std::string(name);
}

std::string canonicalDrafterTensorName(std::string_view name) {
  if (const auto canonical = lookUp(kDrafterAliases, name))
    return std::string(*canonical);
  return canonicalTensorName(name);
}

std::span<const std::string_view> keyAliases(std::string_view key) {
  const auto found = std::ranges::find(kKeyAliases, key, &KeyAliases::key);
  if (found == std::end(kKeyAliases))
    return {};
  return std::span(found->aliases).first(found->aliases[1].empty() ? 1 : 2);
}

} // namespace ds4
