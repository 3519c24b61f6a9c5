#include "ir/Signature.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <mlir/IR/BuiltinTypes.h>

#include "ir/Ds4Types.h"

namespace ds4 {

using namespace mlir;

static constexpr int64_t kDynamic = ShapedType::kDynamic;

static std::string sizesToText(ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(shape, [](int64_t size) { return size == kDynamic ? "?" : std::to_string(size); }), ", ") + "]";
}

// "name [sizes] element", each part optional.
Signature::Item Signature::parseItem(StringRef text) {
  Item item;
  auto [name, rest] = text.trim().split('[');
  item.name = name.trim().str();
  item.hasShape = text.contains('[');
  auto [sizes, element] = rest.split(']');
  item.isInteger = element.trim() == "i32";
  item.isHalf = element.trim() == "f16";
  for (StringRef size : llvm::split(sizes, ','))
    if (!size.empty()) {
      Size &added = item.sizes.emplace_back(Size{size.str(), {}});
      for (StringRef term : llvm::split(size, '+')) {
        auto &factors = added.terms.emplace_back();
        for (StringRef factor : llvm::split(term, '*'))
          factors.push_back(factor.str());
      }
    }
  assert(item.hasShape || !item.name.empty());
  return item;
}

Signature::Signature(StringRef text) {
  auto parseItems = [](StringRef list, SmallVectorImpl<Item> &items) {
    while (!list.trim().empty()) {
      size_t end = list.find(',');
      if (list.find('[') < end)
        end = list.find(',', list.find(']'));
      items.push_back(parseItem(list.substr(0, end)));
      list = end == StringRef::npos ? StringRef() : list.substr(end + 1);
    }
  };
  auto [operands, results] = text.split("->");
  parseItems(operands, operands_);
  parseItems(results, results_);
}

std::optional<unsigned> Signature::operandNamed(StringRef name) const {
  for (auto [index, operand] : llvm::enumerate(operands_))
    if (operand.name == name)
      return index;
  return std::nullopt;
}

Signature::Product Signature::evaluate(ArrayRef<std::string> factors, const Bindings &bindings) {
  Product product;
  for (StringRef factor : factors) {
    int64_t value = 0;
    if (factor.consume_front("$")) {
      value = bindings.attributes(factor);
    } else if (factor.getAsInteger(10, value)) {
      auto bound = bindings.symbols.find(factor);
      if (bound == bindings.symbols.end()) {
        product.unbound = factor;
        ++product.unboundCount;
        continue;
      }
      value = bound->second;
    }
    product.known = value == kDynamic || product.known == kDynamic ? kDynamic : product.known * value;
  }
  return product;
}

Signature::Product Signature::evaluate(const Size &size, const Bindings &bindings) {
  Product sum = evaluate(size.terms.front(), bindings);
  for (const auto &factors : llvm::drop_begin(size.terms)) {
    const Product term = evaluate(factors, bindings);
    sum.known = term.known == kDynamic || sum.known == kDynamic ? kDynamic : sum.known + term.known;
    sum.unboundCount += term.unboundCount;
  }
  return sum;
}

bool Signature::bindSize(const Size &size, int64_t given, Bindings &bindings) {
  if (given == kDynamic && !size.mayBeDynamic())
    return false;
  Product product = evaluate(size, bindings);
  if (product.unboundCount == 0)
    return given == product.known;
  assert(size.terms.size() == 1 && product.unboundCount == 1 && product.known != kDynamic);
  if (given == kDynamic) {
    bindings.symbols[product.unbound] = kDynamic;
    return true;
  }
  if (given <= 0 || product.known <= 0 || given % product.known)
    return false;
  bindings.symbols[product.unbound] = given / product.known;
  return true;
}

bool Signature::bindShape(const Item &item, ArrayRef<int64_t> shape, Bindings &bindings) {
  const bool hasSequence = llvm::any_of(item.sizes, [](const Size &size) { return size.isSequence(); });
  const size_t fixed = item.sizes.size() - hasSequence;
  if (hasSequence ? shape.size() < fixed : shape.size() != fixed)
    return false;
  for (const Size &size : item.sizes) {
    if (size.isSequence()) {
      ArrayRef<int64_t> given = shape.take_front(shape.size() - (&item.sizes.back() - &size));
      if (bindings.sequence && ArrayRef<int64_t>(*bindings.sequence) != given)
        return false;
      bindings.sequence.emplace(given);
      shape = shape.drop_front(given.size());
    } else {
      if (!bindSize(size, shape.front(), bindings))
        return false;
      shape = shape.drop_front();
    }
  }
  return true;
}

// "[N,S*D] = [N, 16384]": the sizes as written, and with all that is known filled in.
std::string Signature::describe(const Item &item, const Bindings &bindings) {
  SmallVector<std::string> written, filled;
  for (const Size &size : item.sizes) {
    written.push_back(size.text);
    if (size.isSequence() && bindings.sequence) {
      for (int64_t given : *bindings.sequence)
        filled.push_back(given == kDynamic ? "?" : std::to_string(given));
      continue;
    }
    Product product = evaluate(size, bindings);
    filled.push_back(size.isSequence() || product.unboundCount ? size.text
                     : product.known == kDynamic               ? "?"
                                                               : std::to_string(product.known));
  }
  std::string pattern = "[" + llvm::join(written, ",") + "]";
  return written == filled ? pattern : pattern + " = [" + llvm::join(filled, ", ") + "]";
}

LogicalResult Signature::apply(MLIRContext *context, ArrayRef<Type> operands, Attributes attributes, EmitError emitError,
                               SmallVectorImpl<Type> &results) const {
  Bindings bindings{attributes, {}, {}};
  for (auto [item, type] : llvm::zip_equal(operands_, operands)) {
    if (!item.hasShape || !type)
      continue;
    std::optional<ArrayRef<int64_t>> shape = shapeOf(type);
    if (!shape)
      return emitError() << "operand '" << item.name << "' must have a shape, got " << type;
    Bindings before = bindings;
    if (!bindShape(item, *shape, bindings))
      return emitError() << "operand '" << item.name << "' must have shape " << describe(item, before) << ", got "
                         << sizesToText(*shape);
  }
  for (auto [index, item] : llvm::enumerate(results_)) {
    if (std::optional<unsigned> operand = operandOfResult(index)) {
      results.push_back(operands[*operand]);
      continue;
    }
    SmallVector<int64_t> shape;
    for (const Size &size : item.sizes) {
      Product product = size.isSequence() ? Product() : evaluate(size, bindings);
      if (size.isSequence())
        shape.append(*bindings.sequence);
      else
        shape.push_back(product.unboundCount ? kDynamic : product.known);
    }
    Type element = item.isInteger ? Type(IntegerType::get(context, 32))
                   : item.isHalf  ? Type(Float16Type::get(context))
                                  : Type(Float32Type::get(context));
    results.push_back(RankedTensorType::get(shape, element));
  }
  return success();
}

} // namespace ds4
