// Many pieces of device memory in few allocations, each of at most 4 GiB: larger ones have stalled on gfx1151, and thousands
// of small ones are slow. A piece lies in one slab; one that is larger than the limit has a slab of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/hip/DeviceObjects.h"

namespace ds4 {

class DeviceSlabs {
public:
  static constexpr uint64_t kSlabBytes = uint64_t(4) << 30;
  static constexpr uint64_t kAlignment = 256; // of every piece

  DeviceSlabs() = default;
  // Allocates, without contents.
  DeviceSlabs(const hip::Provider &provider, std::span<const uint64_t> pieces);

  // Where pieces would lie.
  struct Layout {
    struct Place {
      size_t slab = 0;
      uint64_t offset = 0;
    };
    std::vector<Place> places;
    std::vector<uint64_t> slabs; // their bytes
    uint64_t bytes() const;
  };
  static Layout layoutOf(std::span<const uint64_t> pieces, uint64_t slabBytes = kSlabBytes);

  uint64_t address(size_t piece) const;
  // As DeviceBuffer's; `offset` is within the piece.
  void upload(size_t piece, std::span<const std::byte> from, uint64_t offset = 0) const;
  void download(size_t piece, std::span<std::byte> to, uint64_t offset = 0) const;
  void fill(uint8_t value, hip::StreamHandle stream) const;

private:
  Layout layout_;
  std::vector<hip::DeviceBuffer> slabs_;
};

} // namespace ds4
