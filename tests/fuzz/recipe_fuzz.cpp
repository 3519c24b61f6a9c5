// YAML recipes, and what they choose for the tensors of a small model.
#include "recipes/Recipe.h"
#include "tests/fuzz/Fuzz.h"
#include "tests/unit/models/SmallModel.h"

using namespace ds4;

namespace {

std::vector<RecipeTensor> tensorsOfSmallModel() {
  std::vector<RecipeTensor> tensors;
  for (const ExpectedTensor &tensor : test::smallDescription().tensors())
    tensors.push_back({tensor.name, tensor.role, static_cast<uint64_t>(tensor.shape.back()), &formatOf(WeightFormat::F32)});
  return tensors;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::vector<RecipeTensor> tensors = tensorsOfSmallModel();
  return fuzz::read(ExitCode::User, [&] { Recipe::parse(fuzz::textOf(data, size), "input").choose(tensors); });
}
