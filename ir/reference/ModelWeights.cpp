#include "ir/reference/ModelWeights.h"

#include "support/Error.h"

namespace ds4::reference {

std::span<const float> ModelWeights::operator()(const std::string &name) {
  auto [place, isNew] = decoded_.try_emplace(name);
  if (!isNew)
    return place->second;
  const ds4::Weight *weight = model_.find(name);
  if (!weight)
    userError("{}: no weight \"{}\"", model_.file().path(), name);
  std::vector<std::byte> bytes(weight->bytes);
  model_.file().shards()[weight->shard].read(weight->offset, bytes);
  place->second.resize(weight->bytes / weight->format->blockBytes * weight->format->blockWeights);
  weight->format->decode(bytes, place->second);
  return place->second;
}

} // namespace ds4::reference
