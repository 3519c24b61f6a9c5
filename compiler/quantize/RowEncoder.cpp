#include "compiler/quantize/RowEncoder.h"

#include <algorithm>
#include <cmath>

#include "support/Error.h"
#include "support/Parallel.h"

namespace ds4 {

RowEncoder::RowEncoder(const gguf::Reader &file, const WeightCheck &check, const gguf::TensorInfo &tensor, const Format &format,
                       std::vector<float> importance)
    : file_(file), check_(check), tensor_(tensor), format_(format), importance_(std::move(importance)), cols_(tensor.dims[0]),
      rowsPerSlice_(tensor.dims.size() > 1 ? tensor.dims[1] : 1) {
  if (isMix(*tensor.format))
    mix_ = MixSlices::of(file, check.codebooks(), tensor);
}

void RowEncoder::encode(uint64_t offset, std::span<std::byte> out, unsigned jobs) const {
  constexpr uint64_t kPieceWeights = 1 << 16; // small enough to balance threads, large enough to read at once
  const uint64_t rowBytes = format_.rowBytes(cols_), firstRow = offset / rowBytes, rows = out.size() / rowBytes;
  const uint64_t piece = std::max<uint64_t>(1, kPieceWeights / cols_);
  parallelFor((rows + piece - 1) / piece, jobs, [&](size_t i) {
    encodeRows(firstRow + i * piece, std::min(piece, rows - i * piece), out.data() + i * piece * rowBytes);
  });
}

void RowEncoder::encodeRows(uint64_t firstRow, uint64_t rows, std::byte *out) const {
  const uint64_t fromBytes = tensor_.format->rowBytes(cols_), toBytes = format_.rowBytes(cols_);
  std::vector<std::byte> bytes(rows * fromBytes);
  std::vector<float> weights(rows * cols_);
  file_.readTensor(tensor_, firstRow * fromBytes, bytes);
  check_.check(tensor_, firstRow * fromBytes, bytes);
  decode(firstRow * fromBytes, bytes, weights);
  // An encoder would make a zero of it, or of its whole block, and nobody would know.
  if (const auto at = std::ranges::find_if_not(weights, [](float weight) { return std::isfinite(weight); }); at != weights.end())
    userError("'{}': tensor '{}', row {} has a weight that is no number: get the file again", file_.path(), tensor_.name,
              firstRow + static_cast<uint64_t>(at - weights.begin()) / cols_);
  for (uint64_t row = 0; row < rows; ++row) {
    std::span<const float> importance;
    if (!importance_.empty())
      importance = std::span(importance_).subspan((firstRow + row) / rowsPerSlice_ * cols_, cols_);
    format_.encode(std::span(weights).subspan(row * cols_, cols_), importance, {out + row * toBytes, toBytes});
  }
}

void RowEncoder::decode(uint64_t offset, std::span<const std::byte> bytes, std::span<float> weights) const {
  const Format &from = *tensor_.format;
  if (!mix_)
    return from.decode(bytes, weights);
  for (uint64_t done = 0; done < bytes.size();) {
    const uint64_t run = mix_->run(offset + done, bytes.size() - done);
    decodeMix(from, mix_->at(offset + done), bytes.subspan(done, run),
              weights.subspan(done / from.blockBytes * from.blockWeights, run / from.blockBytes * from.blockWeights));
    done += run;
  }
}

} // namespace ds4
