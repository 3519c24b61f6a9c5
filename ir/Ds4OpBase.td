// What all ds4 ops are made of: constraints on operands and attributes, and the signature that gives an op its verifier
// and its shape inference.
#ifndef DS4_OP_BASE_TD
#define DS4_OP_BASE_TD

include "ir/Ds4Attributes.td"
include "ir/Ds4Types.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ds4_Activation : RankedTensorOf<[F32]>;
def Ds4_Halves : RankedTensorOf<[F16]>; // activations of products, as to_half makes them
def Ds4_Ids : RankedTensorOf<[I32]>;
def Ds4_AnyWeight : DialectType<Ds4_Dialect, CPred<"::llvm::isa<::ds4::QuantizedType>($_self)">, "weight",
    "::ds4::QuantizedType">;
def Ds4_Weight : DialectType<Ds4_Dialect, And<[Ds4_AnyWeight.predicate,
    CPred<"::llvm::cast<::ds4::QuantizedType>($_self).getFormat() != ::ds4::WeightFormat::I32">]>, "weight of a real format",
    "::ds4::QuantizedType">;
def Ds4_IdTable : DialectType<Ds4_Dialect, And<[Ds4_AnyWeight.predicate,
    CPred<"::llvm::cast<::ds4::QuantizedType>($_self).getFormat() == ::ds4::WeightFormat::I32">]>, "weight of format i32",
    "::ds4::QuantizedType">;

class Ds4_StateOf<string kind, string description> : DialectType<Ds4_Dialect, And<[
    CPred<"::llvm::isa<::ds4::StateType>($_self)">,
    CPred<"::llvm::cast<::ds4::StateType>($_self).getKind() == ::ds4::StateKind::" # kind>]>, description, "::ds4::StateType">;
def Ds4_Window : Ds4_StateOf<"Window", "state of kind window">;
def Ds4_Compressed : Ds4_StateOf<"Compressed", "state of kind compressed">;
def Ds4_Indexer : Ds4_StateOf<"Indexer", "state of kind indexer">;
def Ds4_Open : Ds4_StateOf<"Open", "state of kind open">;

// f64, read and built as a plain double.
def Ds4_Real : FloatAttrBase<F64, "64-bit float attribute"> {
  let returnType = "double";
  let convertFromStorage = "$_self.getValueAsDouble()";
  let constBuilderCall = "$_builder.getF64FloatAttr($0)";
}
def Ds4_RealIsPositive : AttrConstraint<CPred<"::llvm::cast<::mlir::FloatAttr>($_self).getValueAsDouble() > 0">,
                                        "whose value is positive">;
def Ds4_PositiveReal : ConfinedAttr<Ds4_Real, [Ds4_RealIsPositive]>;
def Ds4_PositiveCount : ConfinedAttr<I64Attr, [IntPositive]>;
def Ds4_Count : ConfinedAttr<I64Attr, [IntNonNegative]>;

def Ds4_PrimitiveOpInterface : OpInterface<"PrimitiveOpInterface"> {
  let cppNamespace = "::ds4";
  let description = [{
    An op of docs/ops.md. Its signature (ir/Signature.h) names the operands and relates their shapes to the results';
    verification and result types follow from it. An op adds what shapes cannot say in `verifyDetails`.
  }];
  let methods = [
    StaticInterfaceMethod<"Operand names and shapes.", "const ::ds4::Signature &", "getSignature">,
    InterfaceMethod<"The operand whose buffer a state result is, none for a tensor.", "::mlir::OpOperand *",
                    "getUpdatedOperand", (ins "unsigned":$result), "", [{
      std::optional<unsigned> operand = ConcreteOp::getSignature().operandOfResult(result);
      return operand ? &$_op->getOpOperand($_op.getODSOperandIndexAndLength(*operand).first) : nullptr;
    }]>,
    InterfaceMethod<"The operand of that name in the signature, null when it is absent.", "::mlir::Value",
                    "getOperandNamed", (ins "::llvm::StringRef":$name), "", [{
      std::optional<unsigned> operand = ConcreteOp::getSignature().operandNamed(name);
      auto [start, length] = operand ? $_op.getODSOperandIndexAndLength(*operand) : std::pair(0u, 0u);
      return length ? $_op->getOperand(start) : ::mlir::Value();
    }]>,
  ];
  let extraTraitClassDeclaration = [{
    static ::llvm::LogicalResult inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location, ::mlir::ValueRange operands,
        ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &results) {
      return ::ds4::inferFromSignature<ConcreteOp>(context, location, operands, attributes, properties, regions, results);
    }
  }];
  let verify = [{ return ::ds4::verifySignature<ConcreteOp>(::llvm::cast<ConcreteOp>($_op)); }];
}

// An op without side effects whose operand shapes and result types follow from `signature`.
class Ds4_PrimitiveOp<string mnemonic, string signature, list<Trait> traits = []>
    : Op<Ds4_Dialect, mnemonic, traits # [Pure, InferTypeOpInterface, Ds4_PrimitiveOpInterface]> {
  string accessors = [{
    static const ::ds4::Signature &getSignature() {
      static const ::ds4::Signature signature("}] # signature # [{");
      return signature;
    }
  }];
  let extraClassDeclaration = accessors;
}

// The same with a hand-written `verifyDetails`, called when the operands have the signature's shapes.
class Ds4_CheckedPrimitiveOp<string mnemonic, string signature, list<Trait> traits = []>
    : Ds4_PrimitiveOp<mnemonic, signature, traits> {
  let extraClassDeclaration = accessors # "::llvm::LogicalResult verifyDetails();";
}

#endif
