#include "models/Names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using ds4::canonicalTensorName;

TEST(Names, LeavesCanonicalAndUnknownNamesAlone) {
  for (const char *name : {"token_embd.weight", "blk.12.attn_q_a.weight", "blk.3.exp_probs_b.bias", "blk.43.nextn.enorm.weight",
                           "blk.", "blk.x.attn_sinks", "blk.3", "layers.a.attn_sinks", "mtp.0.norm.weight", ""})
    EXPECT_EQ(canonicalTensorName(name), name);
  // A single expert of the checkpoint is a slice of a tensor here: its name fits nothing.
  EXPECT_EQ(canonicalTensorName("layers.7.ffn.experts.9.w1.weight"), "blk.7.ffn.experts.9.w1.weight");
}

// The first community conversions: no suffix on some tensors, "compress" for "compressor".
TEST(Names, KnowsTheBareDialect) {
  EXPECT_EQ(canonicalTensorName("hc_head_fn"), "output_hc_fn.weight");
  EXPECT_EQ(canonicalTensorName("hc_head_base"), "output_hc_base.weight");
  EXPECT_EQ(canonicalTensorName("blk.0.attn_kv_latent.weight"), "blk.0.attn_kv.weight");
  EXPECT_EQ(canonicalTensorName("blk.0.hc_attn_scale"), "blk.0.hc_attn_scale.weight");
  EXPECT_EQ(canonicalTensorName("blk.0.ffn_gate_tid2eid"), "blk.0.ffn_gate_tid2eid.weight");
  EXPECT_EQ(canonicalTensorName("blk.2.attn_compress_ape"), "blk.2.attn_compressor_ape.weight");
  EXPECT_EQ(canonicalTensorName("blk.2.attn_compress_gate.weight"), "blk.2.attn_compressor_gate.weight");
  EXPECT_EQ(canonicalTensorName("blk.2.indexer.compress_norm.weight"), "blk.2.indexer_compressor_norm.weight");
  EXPECT_EQ(canonicalTensorName("blk.42.exp_probs_b"), "blk.42.exp_probs_b.bias");
}

TEST(Names, KnowsIndexerSpellings) {
  for (const char *name :
       {"blk.4.indexer.compressor_kv.weight", "blk.4.indexer.compress_kv.weight", "layers.4.attn.indexer.compressor.wkv.weight"})
    EXPECT_EQ(canonicalTensorName(name), "blk.4.indexer_compressor_kv.weight");
  EXPECT_EQ(canonicalTensorName("blk.4.indexer_attn_q_b.weight"), "blk.4.indexer.attn_q_b.weight");
}

// Checkpoint names as listed in the published files, and those of transformers, for every kind of tensor.
TEST(Names, KnowsTheCheckpointAndTransformers) {
  constexpr const char *same[][3] = {
      {"embed.weight", "model.embed_tokens.weight", "token_embd.weight"},
      {"head.weight", "lm_head.weight", "output.weight"},
      {"norm.weight", "model.norm.weight", "output_norm.weight"},
      {"hc_head_scale", "model.hc_head.hc_scale", "output_hc_scale.weight"},
      {"layers.5.attn_norm.weight", "model.layers.5.input_layernorm.weight", "blk.5.attn_norm.weight"},
      {"layers.5.ffn_norm.weight", "model.layers.5.post_attention_layernorm.weight", "blk.5.ffn_norm.weight"},
      {"layers.5.hc_ffn_fn", "model.layers.5.ffn_hc.fn", "blk.5.hc_ffn_fn.weight"},
      {"layers.5.attn.attn_sink", "model.layers.5.self_attn.sinks", "blk.5.attn_sinks.weight"},
      {"layers.5.attn.wq_b.weight", "model.layers.5.self_attn.q_b_proj.weight", "blk.5.attn_q_b.weight"},
      {"layers.5.attn.wkv.weight", "model.layers.5.self_attn.kv_proj.weight", "blk.5.attn_kv.weight"},
      {"layers.5.attn.kv_norm.weight", "model.layers.5.self_attn.kv_norm.weight", "blk.5.attn_kv_a_norm.weight"},
      {"layers.5.attn.wo_a.weight", "model.layers.5.self_attn.o_a_proj.weight", "blk.5.attn_output_a.weight"},
      {"layers.5.attn.compressor.ape", "model.layers.5.self_attn.compressor.position_bias", "blk.5.attn_compressor_ape.weight"},
      {"layers.5.attn.indexer.weights_proj.weight", "model.layers.5.self_attn.compressor.indexer.scorer.weights_proj.weight",
       "blk.5.indexer.proj.weight"},
      {"layers.5.ffn.gate.weight", "model.layers.5.mlp.gate.weight", "blk.5.ffn_gate_inp.weight"},
      {"layers.5.ffn.gate.bias", "model.layers.5.mlp.gate.e_score_correction_bias", "blk.5.exp_probs_b.bias"},
      {"layers.5.ffn.shared_experts.w2.weight", "model.layers.5.mlp.shared_experts.down_proj.weight",
       "blk.5.ffn_down_shexp.weight"},
      {"layers.5.ffn.shared_experts.w3.weight", "model.layers.5.mlp.shared_experts.up_proj.weight", "blk.5.ffn_up_shexp.weight"},
  };
  for (const auto &[checkpoint, transformers, canonical] : same) {
    EXPECT_EQ(canonicalTensorName(checkpoint), canonical);
    EXPECT_EQ(canonicalTensorName(transformers), canonical);
  }
}

TEST(Names, KnowsOtherSpellingsOfKeys) {
  EXPECT_THAT(ds4::keyAliases("deepseek4.attention.indexer.key_length"),
              testing::ElementsAre("indexer.key_length", "indexer.head_dim"));
  EXPECT_THAT(ds4::keyAliases("deepseek4.hyper_connection.epsilon"), testing::ElementsAre("hc_eps"));
  EXPECT_TRUE(ds4::keyAliases("deepseek4.block_count").empty());
}
