// The names of places in a step: "blk.12.attn.out_a" is "attn.out_a" of the layer "blk.12".
#pragma once

#include <string>
#include <string_view>

namespace ds4 {

// "" for what belongs to no layer.
inline std::string layerOf(std::string_view place) {
  constexpr std::string_view kBlock = "blk.";
  return std::string(place.starts_with(kBlock) ? place.substr(0, place.find('.', kBlock.size())) : "");
}

inline std::string placeInLayer(std::string_view place) {
  const std::string layer = layerOf(place);
  return std::string(layer.empty() || layer.size() == place.size() ? place : place.substr(layer.size() + 1));
}

} // namespace ds4
