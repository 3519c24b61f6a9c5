#include "models/gguf/Writer.h"

#include <algorithm>

#include "support/Error.h"
#include "support/Printable.h"

namespace ds4::gguf {

namespace {

constexpr uint64_t kChunkBytes = 16 << 20;

template <typename T> void append(std::vector<std::byte> &out, T value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void appendString(std::vector<std::byte> &out, std::string_view text) {
  append(out, static_cast<uint64_t>(text.size()));
  const auto bytes = std::as_bytes(std::span(text));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

uint64_t alignUp(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

} // namespace

void Writer::putString(std::string_view text) { appendString(metadata_, text); }

void Writer::begin(std::string_view key, ValueType type) {
  ++keys_;
  putString(key);
  putScalar(static_cast<uint32_t>(type));
}

void Writer::copy(const Reader &from, const Entry &entry) {
  begin(entry.key, entry.type);
  if (entry.type == ValueType::Array) {
    putScalar(static_cast<uint32_t>(entry.elementType));
    putScalar(entry.count);
  }
  putBytes(from.readRaw(entry));
}

void Writer::addTensor(std::string name, const Format &format, std::vector<uint64_t> dims, DataSource source) {
  if (dims.empty() || !format.holdsRow(dims[0]))
    internalError("tensor {}: {} cannot hold rows of {} weights", quoteName(name), format.name, dims.empty() ? 0 : dims[0]);
  uint64_t bytes = format.rowBytes(dims[0]);
  for (size_t i = 1; i < dims.size(); ++i)
    bytes *= dims[i];
  tensors_.push_back({std::move(name), &format, std::move(dims), bytes, std::move(source)});
}

void Writer::write(const std::string &path) const {
  std::vector<std::byte> header;
  append(header, kMagic);
  append(header, uint32_t{3});
  append(header, static_cast<uint64_t>(tensors_.size()));
  append(header, keys_);
  header.insert(header.end(), metadata_.begin(), metadata_.end());
  uint64_t offset = 0;
  for (const Tensor &tensor : tensors_) {
    appendString(header, tensor.name);
    append(header, static_cast<uint32_t>(tensor.dims.size()));
    for (uint64_t dim : tensor.dims)
      append(header, dim);
    append(header, tensor.format->ggmlType);
    append(header, offset);
    offset = alignUp(offset + tensor.bytes, alignment_);
  }

  FileWriter file(path);
  file.write(header);
  std::vector<std::byte> chunk;
  for (const Tensor &tensor : tensors_) {
    file.skip(alignUp(file.position(), alignment_) - file.position());
    if (!tensor.source) {
      file.skip(tensor.bytes);
      continue;
    }
    const uint64_t row = tensor.format->rowBytes(tensor.dims[0]);
    const uint64_t step = std::max(row, kChunkBytes / row * row);
    for (uint64_t done = 0; done < tensor.bytes; done += step) {
      chunk.resize(std::min(step, tensor.bytes - done));
      tensor.source(done, chunk);
      file.write(chunk);
    }
  }
  file.skip(alignUp(file.position(), alignment_) - file.position());
  file.commit();
}

} // namespace ds4::gguf
