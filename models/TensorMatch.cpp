#include "models/TensorMatch.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "support/Error.h"
#include "support/Printable.h"

namespace ds4 {

std::string listed(const std::vector<std::string> &names) {
  constexpr size_t kListed = 20;
  const size_t shown = std::min(names.size(), kListed);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), ", "));
  return names.size() > shown ? text + fmt::format(" and {} more", names.size() - shown) : text;
}

namespace {

// Row-major, without the ones that some writers put behind the dimensions.
std::vector<int64_t> shapeOf(const gguf::TensorInfo &tensor, size_t rank) {
  std::vector<int64_t> shape(tensor.dims.rbegin(), tensor.dims.rend());
  while (shape.size() > rank && shape.front() == 1)
    shape.erase(shape.begin());
  return shape;
}

bool fits(const gguf::TensorInfo &tensor, const ExpectedTensor &expected) {
  if (std::ranges::find(expected.shape, 0) != expected.shape.end())
    return true;
  return shapeOf(tensor, expected.shape.size()) == expected.shape ||
         (!expected.splitShape.empty() && shapeOf(tensor, expected.splitShape.size()) == expected.splitShape);
}

} // namespace

TensorMatch::TensorMatch(const gguf::Reader &file, CanonicalName canonicalName)
    : file_(file), canonicalName_(std::move(canonicalName)) {
  for (const gguf::TensorInfo &tensor : file.tensors()) {
    const auto [at, inserted] = present_.emplace(canonicalName_(tensor.name), &tensor);
    if (!inserted)
      userError("'{}': the tensors {} and {} both stand for '{}': keep one of them", file.path(), quoteName(at->second->name),
                quoteName(tensor.name), at->first);
  }
}

std::vector<Weight> TensorMatch::match(std::vector<ExpectedTensor> all) {
  std::vector<Weight> weights;
  for (ExpectedTensor &expected : all) {
    const auto found = present_.extract(expected.name);
    if (!found) {
      missingTensors_.push_back(expected.name);
      continue;
    }
    const gguf::TensorInfo &tensor = *found.mapped();
    if (!fits(tensor, expected))
      shapes_.push_back(fmt::format("{} {} (wanted {})", expected.name, shapeOf(tensor, expected.shape.size()), expected.shape));
    if (!roleAllows(expected.role, tensor.format->id))
      formats_.push_back(fmt::format("{} {}", expected.name, tensor.format->name));
    weights.push_back({std::move(expected.name), expected.role, tensor.format, std::move(expected.shape), tensor.shard,
                       tensor.offset, tensor.bytes});
  }
  return weights;
}

void TensorMatch::refuseFaults(std::string_view kind) const {
  std::vector<std::string> parts;
  auto add = [&](std::string_view what, const std::vector<std::string> &names) {
    if (!names.empty())
      parts.push_back(fmt::format("{} {}", what, listed(names)));
  };
  add("missing keys", missingKeys_);
  add("missing tensors", missingTensors_);
  add("wrong shapes", shapes_);
  add("wrong formats", formats_);
  if (!parts.empty())
    userError("'{}' is no complete {}: {}: convert or fetch it again", file_.path(), kind, fmt::join(parts, "; "));
}

std::vector<std::string> TensorMatch::unused() const {
  std::vector<std::string> names;
  for (const gguf::TensorInfo &tensor : file_.tensors())
    if (has(canonicalName_(tensor.name)))
      names.push_back(quoteName(tensor.name));
  return names;
}

} // namespace ds4
