#include "runtime/DeviceSlabs.h"

#include <numeric>

namespace ds4 {

uint64_t DeviceSlabs::Layout::bytes() const { return std::accumulate(slabs.begin(), slabs.end(), uint64_t(0)); }

DeviceSlabs::Layout DeviceSlabs::layoutOf(std::span<const uint64_t> pieces, uint64_t slabBytes) {
  Layout layout;
  for (uint64_t bytes : pieces) {
    if (layout.slabs.empty() || layout.slabs.back() + bytes > slabBytes)
      layout.slabs.push_back(0);
    layout.places.push_back({layout.slabs.size() - 1, layout.slabs.back()});
    layout.slabs.back() += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return layout;
}

DeviceSlabs::DeviceSlabs(const hip::Provider &provider, std::span<const uint64_t> pieces) : layout_(layoutOf(pieces)) {
  for (uint64_t bytes : layout_.slabs)
    slabs_.emplace_back(provider, bytes);
}

uint64_t DeviceSlabs::address(size_t piece) const {
  const auto &[slab, offset] = layout_.places[piece];
  return reinterpret_cast<uint64_t>(slabs_[slab].data()) + offset;
}

void DeviceSlabs::upload(size_t piece, std::span<const std::byte> from, uint64_t offset) const {
  slabs_[layout_.places[piece].slab].upload(from, layout_.places[piece].offset + offset);
}

void DeviceSlabs::download(size_t piece, std::span<std::byte> to, uint64_t offset) const {
  slabs_[layout_.places[piece].slab].download(to, layout_.places[piece].offset + offset);
}

void DeviceSlabs::fill(uint8_t value, hip::StreamHandle stream) const {
  for (const hip::DeviceBuffer &slab : slabs_)
    slab.fill(value, stream);
}

} // namespace ds4
