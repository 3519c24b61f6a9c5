// Files that are proper GGUF and no usable DS4 model.
#include "tests/errors/Refusal.h"
#include "tests/unit/models/SmallModel.h"

using namespace ds4;
using gguf::Writer;
using test::SmallModel;

namespace {

struct Case {
  std::string name;
  SmallModel file;
  std::string cause;
};

// The complete file with one key of another value or type.
template <typename T> SmallModel with(const std::string &key, T value) {
  return {.dropKeys = {key}, .add = [=](Writer &writer) { writer.set(key, value); }};
}
template <typename T> SmallModel withArray(const std::string &key, std::vector<T> values) {
  return {.dropKeys = {key}, .add = [=](Writer &writer) { writer.setArray(key, values); }};
}

const Case kCases[] = {
    {"other_architecture", with("general.architecture", std::string("llama")), "has the architecture 'llama', only 'deepseek4'"},
    {"draft_model", with("general.architecture", std::string("deepseek4-dflash-draft")), "is a draft model"},
    {"architecture_a_number", with("general.architecture", uint32_t{4}),
     "'general.architecture' is of type u32, a string is wanted"},
    {"width_a_string", with("deepseek4.embedding_length", std::string("64")), "is of type string, an integer is wanted"},
    {"width_a_float", with("deepseek4.embedding_length", 64.0f), "is of type f32, an integer is wanted"},
    {"width_an_array", withArray("deepseek4.embedding_length", std::vector<uint32_t>{64}),
     "is of type array, a single value is wanted"},
    {"width_negative", with("deepseek4.embedding_length", int32_t{-64}), "'deepseek4.embedding_length' is negative"},
    {"width_zero", with("deepseek4.embedding_length", uint32_t{0}),
     "key 'deepseek4.embedding_length' is 0, 1 to 16777216 is wanted"},
    {"width_beyond_32_bits", with("deepseek4.embedding_length", uint64_t{1} << 40), "is 1099511627776, which no DS4 model has"},
    {"absurd_block_count", with("deepseek4.block_count", ~uint32_t{0}), "the model has 4294967295 blocks, at most 1024"},
    {"epsilon_nan", with("deepseek4.hyper_connection.epsilon", std::numeric_limits<float>::quiet_NaN()),
     "a finite number is wanted"},
    {"epsilon_negative", with("deepseek4.attention.layer_norm_rms_epsilon", -1e-6f),
     "key 'deepseek4.attention.layer_norm_rms_epsilon' is -1e-06, a positive number is wanted"},
    {"base_a_bool", with("deepseek4.rope.freq_base", true), "'deepseek4.rope.freq_base' is of type bool, a number is wanted"},
    {"ratios_a_string", with("deepseek4.attention.compress_ratios", std::string("0,4")), "is of type string, an array is wanted"},
    {"ratios_too_few", withArray("deepseek4.attention.compress_ratios", std::vector<int32_t>{0, 4}), "has 2 entries for 3 blocks"},
    {"ratio_unknown", withArray("deepseek4.attention.compress_ratios", std::vector<int32_t>{0, 4, 3}), "compress_ratios holds 3"},
    {"clamps_too_few", withArray("deepseek4.swiglu_clamp_exp", std::vector<float>{10}), "has 1 entries for 3 blocks"},
    {"clamp_negative", withArray("deepseek4.swiglu_clamp_exp", std::vector<float>{10, -1, 10}), "a SwiGLU clamp is not positive"},
    {"clamps_integers", withArray("deepseek4.swiglu_clamp_exp", std::vector<uint32_t>{10, 10, 10}), "is an array of u32"},
    {"two_kv_heads", with("deepseek4.attention.head_count_kv", uint32_t{2}),
     "'deepseek4.attention.head_count_kv' is 2, a DS4 model has 1"},
    {"other_value_length", with("deepseek4.attention.value_length", uint32_t{16}), "'deepseek4.attention.value_length' is 16"},
    {"other_rope_scaling", with("deepseek4.rope.scaling.type", std::string("linear")), "is 'linear', a DS4 model has 'yarn'"},
    {"other_gating", with("deepseek4.expert_gating_func", uint32_t{2}), "is 2, a DS4 model has 4 (sqrt-softplus)"},
    {"gating_of_other_name", with("deepseek4.expert_gating_func", std::string("softmax")),
     "is 'softmax', a DS4 model has 'sqrtsoftplus'"},
    {"weights_not_normalised", with("deepseek4.expert_weights_norm", false), "'deepseek4.expert_weights_norm' is false"},
    {"normalised_a_number", with("deepseek4.expert_weights_norm", uint32_t{1}), "is of type u32, a bool is wanted"},
    {"more_used_than_experts", with("deepseek4.expert_used_count", uint32_t{9}), "9 experts_used of 8 experts"},
    {"uneven_groups", with("deepseek4.attention.output_group_count", uint32_t{3}), "4 heads do not divide into 3 output_groups"},
    {"rope_wider_than_head", with("deepseek4.rope.dimension_count", uint32_t{34}), "rope_width is 34"},
    {"token_outside_vocabulary", with("tokenizer.ggml.bos_token_id", uint32_t{64}),
     "key 'tokenizer.ggml.bos_token_id' is 64, outside the vocabulary of 64"},
    {"more_hash_layers_than_blocks", with("deepseek4.hash_layer_count", uint32_t{4}), "4 hash_layers of 3 blocks"},
    {"one_stream", with("deepseek4.hyper_connection.count", uint32_t{1}),
     "key 'deepseek4.hyper_connection.count' is 1, 4 is wanted"},
    {"many_streams", with("deepseek4.hyper_connection.count", uint32_t{64}), "is 64, 4 is wanted"},
    {"endless_sinkhorn", with("deepseek4.hyper_connection.sinkhorn_iterations", uint32_t{1001}), "is 1001, 1 to 1000 is wanted"},
    {"no_shared_expert", with("deepseek4.expert_shared_count", uint32_t{0}), "key 'deepseek4.expert_shared_count' is 0, 1 to"},
    {"base_near_zero", with("deepseek4.rope.freq_base", 1e-45f),
     "key 'deepseek4.rope.freq_base' is 1e-45, from which no finite rotary frequencies follow"},
    {"compressed_base_near_zero", with("deepseek4.attention.compress_rope_freq_base", 1e-45f),
     "key 'deepseek4.attention.compress_rope_freq_base' is 1e-45, from which no finite"},
    {"factor_near_zero", with("deepseek4.rope.scaling.factor", 1e-45f), "key 'deepseek4.rope.scaling.factor' is 1e-45, from which"},
    {"key_missing", {.dropKeys = {"deepseek4.attention.sliding_window"}}, "missing keys deepseek4.attention.sliding_window:"},
    {"tensor_missing", {.dropTensors = {"blk.1.indexer.proj.weight"}}, "missing tensors blk.1.indexer.proj.weight:"},
    {"expert_missing", {.dims = {{"blk.2.ffn_up_exps.weight", {64, 32, 7}}}}, "wrong shapes blk.2.ffn_up_exps.weight [7, 32, 64]"},
    {"transposed", {.dims = {{"blk.1.attn_q_a.weight", {32, 64}}}}, "blk.1.attn_q_a.weight [64, 32] (wanted [32, 64])"},
    {"norm_quantised", {.formats = {{"blk.0.attn_norm.weight", WeightFormat::Q8_0}}}, "wrong formats blk.0.attn_norm.weight q8_0"},
    {"table_of_floats", {.formats = {{"blk.0.ffn_gate_tid2eid.weight", WeightFormat::F32}}}, "blk.0.ffn_gate_tid2eid.weight f32"},
    {"tensor_under_two_names",
     {.add = [](Writer &writer) { writer.addTensor("hc_head_base", formatOf(WeightFormat::F32), {4}); }},
     "the tensors 'output_hc_base.weight' and 'hc_head_base' both stand for 'output_hc_base.weight'"},
    {"split_count_without_pattern",
     {.add = [](Writer &writer) { writer.set("split.count", uint16_t{2}); }},
     "is one of 2 shards, but its"},
    {"split_count_a_string", {.add = [](Writer &writer) { writer.set("split.count", "2"); }}, "'split.count' is of type string"},
    {"key_twice",
     {.add = [](Writer &writer) { writer.set("general.name", "again"); }},
     "the metadata key 'general.name' occurs twice"},
};

class DamagedModel : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(DamagedModel, IsRefused) {
  test::TemporaryFolder folder;
  const std::string path = folder / (GetParam().name + ".gguf");
  GetParam().file.write(path);
  test::expectRefusal(path, GetParam().cause);
}

INSTANTIATE_TEST_SUITE_P(Cases, DamagedModel, testing::ValuesIn(kCases), [](const auto &info) { return info.param.name; });

// The cases above mean something only if the file without damage opens.
TEST(DamagedModel, UndamagedOpens) {
  test::TemporaryFolder folder;
  SmallModel().write(folder / "whole.gguf");
  EXPECT_NO_THROW(Model::open(folder / "whole.gguf"));
}
