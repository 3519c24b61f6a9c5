// Signatures: the shapes of an op's operands and results as one line of text, as in docs/ops.md.
//
//   "x [T,K], weight [N,K] -> [T,N]"
//
// An operand is a name and, unless its shape says nothing (pos), the sizes of its dimensions; a result is a shape,
// followed by "i32" or "f16" unless its elements are f32, or the name of the operand whose state it updates. A size is a product
// of integers, symbols and $attributes (integer attributes of the op), or of a result a sum of such products. The first use of a
// symbol binds it, later uses must agree; one that is bound nowhere is dynamic in the results. "..." stands for any number of
// dimensions, the same ones wherever it is written. Only T (tokens) and R (rows) may be dynamic.
#pragma once

#include <optional>
#include <string>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/OperationSupport.h>
#include <mlir/IR/Region.h>

namespace ds4 {

class Signature {
public:
  using Attributes = llvm::function_ref<int64_t(llvm::StringRef)>;
  using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

  // The text is part of the program: malformed text is a failed assertion.
  explicit Signature(llvm::StringRef text);

  unsigned operandCount() const { return operands_.size(); }
  std::optional<unsigned> operandNamed(llvm::StringRef name) const;
  // The operand that a state result updates; nothing for a tensor.
  std::optional<unsigned> operandOfResult(unsigned result) const { return operandNamed(results_[result].name); }

  // Binds the operands' types (null for an absent optional operand) and appends the types of the results. A mismatch is
  // reported with both shapes.
  mlir::LogicalResult apply(mlir::MLIRContext *context, llvm::ArrayRef<mlir::Type> operands, Attributes attributes,
                            EmitError emitError, llvm::SmallVectorImpl<mlir::Type> &results) const;

private:
  struct Size {
    std::string text;                                              // as written
    llvm::SmallVector<llvm::SmallVector<std::string, 2>, 1> terms; // their factors
    bool isSequence() const { return text == "..."; }
    bool mayBeDynamic() const { return text == "T" || text == "R"; }
  };
  struct Item {
    std::string name;
    bool hasShape = false, isInteger = false, isHalf = false;
    llvm::SmallVector<Size, 3> sizes;
  };
  struct Bindings {
    Attributes attributes;
    llvm::StringMap<int64_t> symbols;
    std::optional<llvm::SmallVector<int64_t>> sequence;
  };
  struct Product {
    int64_t known = 1;       // kDynamic when a bound symbol is
    llvm::StringRef unbound; // the last factor without a value
    unsigned unboundCount = 0;
  };

  static Item parseItem(llvm::StringRef text);
  static Product evaluate(llvm::ArrayRef<std::string> factors, const Bindings &bindings);
  static Product evaluate(const Size &size, const Bindings &bindings);
  static bool bindSize(const Size &size, int64_t given, Bindings &bindings);
  static bool bindShape(const Item &item, llvm::ArrayRef<int64_t> shape, Bindings &bindings);
  static std::string describe(const Item &item, const Bindings &bindings);

  llvm::SmallVector<Item, 4> operands_, results_;
};

template <typename Operands> llvm::SmallVector<mlir::Type> operandTypes(Operands op, const Signature &signature) {
  llvm::SmallVector<mlir::Type> types;
  for (unsigned i = 0; i < signature.operandCount(); ++i) {
    auto values = op.getODSOperands(i);
    types.push_back(values.empty() ? mlir::Type() : (*values.begin()).getType());
  }
  return types;
}

template <typename Op> mlir::LogicalResult verifySignature(Op op) {
  auto attribute = [&](llvm::StringRef name) { return op->template getAttrOfType<mlir::IntegerAttr>(name).getInt(); };
  auto emitError = [&] { return op.emitOpError(); };
  const Signature &signature = Op::getSignature();
  llvm::SmallVector<mlir::Type> results;
  if (failed(signature.apply(op->getContext(), operandTypes(op, signature), attribute, emitError, results)))
    return mlir::failure();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), results))
    if (result.getType() != type)
      return emitError() << "result #" << result.getResultNumber() << " must be " << type << ", got " << result.getType();
  if constexpr (requires { op.verifyDetails(); })
    return op.verifyDetails();
  return mlir::success();
}

template <typename Op>
mlir::LogicalResult inferFromSignature(mlir::MLIRContext *context, std::optional<mlir::Location> location,
                                       mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                                       mlir::OpaqueProperties properties, mlir::RegionRange regions,
                                       llvm::SmallVectorImpl<mlir::Type> &results) {
  typename Op::Adaptor adaptor(operands, attributes, properties, regions);
  auto attribute = [&](llvm::StringRef name) -> int64_t {
    if constexpr (!std::is_same_v<typename Op::Properties, mlir::EmptyProperties>)
      return mlir::cast<mlir::IntegerAttr>(*Op::getInherentAttr(context, adaptor.getProperties(), name)).getInt();
    llvm_unreachable("a signature names an attribute that the op lacks");
  };
  auto emitError = [&] {
    return location ? mlir::emitError(*location) << "'" << Op::getOperationName() << "' op " : mlir::InFlightDiagnostic();
  };
  const Signature &signature = Op::getSignature();
  return signature.apply(context, operandTypes(adaptor, signature), attribute, emitError, results);
}

} // namespace ds4
