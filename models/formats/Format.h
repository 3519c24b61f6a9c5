// Weight formats: how the numbers of a tensor lie in a model file, and their exact meaning.
//
// A tensor's rows are consecutive blocks, each of `blockWeights` weights in `blockBytes` bytes, little endian, without
// padding or alignment: a reader must not assume that a block starts at a multiple of anything. The functions here are
// the reference that device kernels, quantizers and tests are compared with; they run on the host, touch nothing but
// their arguments, and may be called from several threads at once.
//
// One format is one file, which kin share: models/formats/<Name>.cpp, codegen/kernels/formats/<name>.h on the device (i32: none).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ds4 {

enum class WeightFormat : uint8_t {
  F32,
  F16,
  BF16,
  I32,
  Q8_0,
  Q4_0,
  Q2_K,
  Q3_K,
  Q4_K,
  Q5_K,
  Q6_K,
  IQ2_XXS,
  IQ3_XXS,
  IQ4_XS,
  MXFP4,
  RocmFp4,
  RocmFp4Fast,
  RocmFp6,
  RocmFp8,
  RocmFp3,
  RocmFp3Mix,
  RocmFp2Mix,
  RocmFp2,
  RocmFp2Affine, // another meaning of RocmFp2's type id, chosen by the user: nothing in a file tells them apart
  RocmFp2S40,    // a third one
};

struct Format {
  WeightFormat id;
  std::string_view name; // lower case, as in the IR, recipes and messages: "q8_0"
  uint32_t ggmlType;     // the type id in a GGUF tensor table
  uint32_t blockWeights; // a row's length is a multiple of this
  uint32_t blockBytes;

  // Decodes `count` blocks into count * blockWeights floats, bit-exact. i32 decodes to the nearest float.
  // MIX types decode by their fixed levels; slices with codebooks of their own: models/formats/MixCodebooks.h.
  void (*decodeBlocks)(const std::byte *blocks, size_t count, float *out);

  // Quantizes one row, the same bytes on every host. `importance` is empty or holds one number a weight, which formats
  // without an importance-weighted search ignore. nullptr: ds4c reads the format but does not write it.
  void (*encodeRow)(std::span<const float> row, std::span<const float> importance, std::byte *out) = nullptr;

  // The first of `count` blocks whose scale bytes have no meaning, `count` when all have one. nullptr: every byte has.
  size_t (*firstInvalid)(const std::byte *blocks, size_t count) = nullptr;

  uint64_t rowBytes(uint64_t weights) const { return weights / blockWeights * blockBytes; }
  bool holdsRow(uint64_t weights) const { return weights % blockWeights == 0; }

  // Decodes whole blocks; out.size() must be the number of weights that `blocks` holds, otherwise ds4::Error (Internal).
  void decode(std::span<const std::byte> blocks, std::span<float> out) const;
  // Sizes must agree, and encodeRow must not be nullptr, otherwise ds4::Error (Internal). A weight that is not finite is
  // taken as zero by every format that cannot hold it.
  void encode(std::span<const float> row, std::span<const float> importance, std::span<std::byte> out) const;
  // The first block that is not valid, for the loader to name.
  std::optional<size_t> findInvalidBlock(std::span<const std::byte> blocks) const;
};

// All formats, in the order of WeightFormat. Of several meanings of one type id the default comes first.
std::span<const Format *const> formats();
const Format &formatOf(WeightFormat id);
// nullptr when ds4c does not read that type; the caller names the tensor and supportedFormatNames().
const Format *findFormatByGgmlType(uint32_t ggmlType);
const Format *findFormatByName(std::string_view name);
// "f32, f16, bf16, i32, q8_0, ...": for messages.
std::string supportedFormatNames();

} // namespace ds4
