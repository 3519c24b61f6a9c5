#include "ir/reference/ModelWeights.h"

#include <algorithm>

#include "models/WeightCheck.h"
#include "support/Error.h"

namespace ds4::reference {

const ds4::Weight *ModelWeights::findInDrafter(const std::string &name) const {
  if (!drafter_)
    return nullptr;
  const auto found = std::ranges::find(drafter_->weights(), name, &ds4::Weight::name);
  return found == drafter_->weights().end() ? nullptr : &*found;
}

std::span<const float> ModelWeights::operator()(const std::string &name) {
  auto [place, isNew] = decoded_.try_emplace(name);
  if (!isNew)
    return place->second;
  const ds4::Weight *ofDrafter = findInDrafter(name), *weight = ofDrafter ? ofDrafter : model_.find(name);
  if (!weight)
    userError("{}: no weight \"{}\"", model_.file().path(), name);
  std::vector<std::byte> bytes(weight->bytes);
  (ofDrafter ? drafter_->file() : model_.file()).shards()[weight->shard].read(weight->offset, bytes);
  place->second.resize(weight->bytes / weight->format->blockBytes * weight->format->blockWeights);
  if (!isMix(*weight->format)) {
    weight->format->decode(bytes, place->second);
    return place->second;
  }
  const MixCodebooks codebooks = readMixCodebooks(model_.file());
  const MixEntry &entry = requireMixEntry(codebooks, model_.file(), name, *weight->format);
  const size_t slices = entry.slices.size();
  for (size_t i = 0; i < slices; ++i)
    decodeMix(*weight->format, entry.slices[i], std::span(bytes).subspan(i * (bytes.size() / slices), bytes.size() / slices),
              std::span(place->second).subspan(i * (place->second.size() / slices), place->second.size() / slices));
  return place->second;
}

} // namespace ds4::reference
