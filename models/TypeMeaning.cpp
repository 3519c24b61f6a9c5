#include "models/TypeMeaning.h"

#include <algorithm>

#include <fmt/format.h>

namespace ds4 {

std::string describeTypeMeaning(const gguf::Reader &file) {
  const auto isAmbiguous = [](const gguf::TensorInfo &tensor) { return hasSeveralMeanings(tensor.format->id); };
  const auto count = std::ranges::count_if(file.tensors(), isAmbiguous);
  if (count == 0)
    return "";
  const Format &format = *std::ranges::find_if(file.tensors(), isAmbiguous)->format;
  const auto *meaning = std::ranges::find(kTypeMeanings, format.id, &TypeMeaning::format);
  return fmt::format("{} tensor{} of type {} {} read as {} ({})", count, count > 1 ? "s" : "", format.ggmlType,
                     count > 1 ? "are" : "is", format.name, meaning->rule);
}

std::string warnOfTypeMeaning(const gguf::Reader &file, const std::optional<WeightFormat> &chosen) {
  const std::string meaning = chosen ? "" : describeTypeMeaning(file);
  return meaning.empty() ? "" : fmt::format("'{}': {}: a guess, confirm it or choose another by --rocmfp2", file.path(), meaning);
}

} // namespace ds4
