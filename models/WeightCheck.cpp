#include "models/WeightCheck.h"

#include <algorithm>

#include "models/Names.h"
#include "support/Error.h"
#include "support/Printable.h"

namespace ds4 {

MixSlices MixSlices::of(const gguf::Reader &file, const MixCodebooks &codebooks, const gguf::TensorInfo &tensor) {
  const std::string name = canonicalTensorName(tensor.name);
  const MixEntry &entry = requireMixEntry(codebooks, file, name, *tensor.format);
  const uint64_t rows = tensor.bytes / tensor.format->rowBytes(tensor.dims[0]), slices = entry.slices.size();
  const bool fits = entry.cols == 0 || (entry.cols == tensor.dims[0] && entry.rows == rows / slices);
  if (rows % slices || !fits)
    userError("'{}': '{}' has {} rows of {} weights, its codebooks are for {} slices of {} x {}: they belong to another model",
              file.path(), name, rows, tensor.dims[0], slices, entry.rows, entry.cols);
  return {&entry, tensor.bytes / slices};
}

static bool hasInvalidBlocks(const Format &format) { return format.firstInvalid || isMix(format); }

void WeightCheck::check(const gguf::TensorInfo &tensor, uint64_t offset, std::span<const std::byte> bytes) const {
  if (!hasInvalidBlocks(*tensor.format))
    return;
  const uint64_t blockBytes = tensor.format->blockBytes;
  if (const uint64_t begun = offset % blockBytes; begun && bytes.size() >= blockBytes - begun) {
    std::vector<std::byte> block(blockBytes);
    file_.readTensor(tensor, offset - begun, block);
    checkBlocks(tensor, offset - begun, block);
    bytes = bytes.subspan(blockBytes - begun);
    offset += blockBytes - begun;
  }
  if (offset % blockBytes == 0)
    checkBlocks(tensor, offset, bytes.first(bytes.size() / blockBytes * blockBytes));
}

void WeightCheck::checkBlocks(const gguf::TensorInfo &tensor, uint64_t offset, std::span<const std::byte> bytes) const {
  const Format &format = *tensor.format;
  const auto refuse = [&](uint64_t block) {
    userError("'{}': tensor {}, block {} of {}: a scale byte that {} does not have: the file is damaged, fetch it again",
              file_.path(), quoteName(tensor.name), offset / format.blockBytes + block, tensor.bytes / format.blockBytes,
              format.name);
  };
  if (!isMix(format)) {
    if (const auto block = format.findInvalidBlock(bytes))
      refuse(*block);
    return;
  }
  const MixSlices slices = MixSlices::of(file_, codebooks_, tensor);
  for (uint64_t done = 0; done < bytes.size();) {
    const uint64_t run = slices.run(offset + done, bytes.size() - done);
    if (const auto block = findInvalidMixBlock(format, slices.at(offset + done), bytes.subspan(done, run)))
      refuse(done / format.blockBytes + *block);
    done += run;
  }
}

void WeightCheck::check(const gguf::TensorInfo &tensor) const {
  if (!hasInvalidBlocks(*tensor.format))
    return;
  constexpr uint64_t step = 4 << 20;
  std::vector<std::byte> piece;
  for (uint64_t offset = 0; offset < tensor.bytes; offset += step) {
    piece.resize(std::min(step, tensor.bytes - offset));
    file_.readTensor(tensor, offset, piece);
    check(tensor, offset, piece);
  }
}

} // namespace ds4
