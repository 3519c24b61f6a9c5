// Attributes of the ds4 dialect.
#ifndef DS4_ATTRIBUTES_TD
#define DS4_ATTRIBUTES_TD

include "ir/Ds4Dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Ds4_RealParameter<string description, string default = ""> : AttrOrTypeParameter<"::ds4::Real", description> {
  let parser = "::ds4::parseReal($_parser)";
  let printer = "::ds4::printReal($_printer, $_self)";
  let defaultValue = !if(!empty(default), ?, default);
}

class Ds4_CountParameter<string description, string default> : AttrOrTypeParameter<"int64_t", description> {
  let defaultValue = default;
}

def Ds4_RopeAttr : AttrDef<Ds4_Dialect, "Rope"> {
  let mnemonic = "rope";
  let summary = "rotary position embedding of the last `dims` channels";
  let description = [{
    Pair i of the last `dims` channels turns by position * f[i], where f[i] = base^(-2i/dims) without YaRN (factor 1).
    With YaRN, frequencies of few rotations within `original` positions are divided by `factor`; `beta_fast` and
    `beta_slow` are the rotations where that starts and is complete. `frequencies` holds the dims/2 values in single
    precision once `ds4-fold-rope-tables` has computed them.
  }];
  let parameters = (ins
    "int64_t":$dims,
    Ds4_RealParameter<"base of the frequencies">:$base,
    Ds4_RealParameter<"YaRN stretch, 1 = no YaRN", "::ds4::Real(1.0)">:$factor,
    Ds4_CountParameter<"positions of the unstretched context", "0">:$original,
    Ds4_RealParameter<"rotations where stretching starts", "::ds4::Real(0.0)">:$beta_fast,
    Ds4_RealParameter<"rotations where stretching is complete", "::ds4::Real(0.0)">:$beta_slow,
    OptionalParameter<"::mlir::DenseF32ArrayAttr">:$frequencies);
  let builders = [
    AttrBuilder<(ins "int64_t":$dims, "::ds4::Real":$base, CArg<"::ds4::Real", "1.0">:$factor, CArg<"int64_t", "0">:$original,
                     CArg<"::ds4::Real", "0.0">:$beta_fast, CArg<"::ds4::Real", "0.0">:$beta_slow), [{
      return $_get($_ctxt, dims, base, factor, original, beta_fast, beta_slow, ::mlir::DenseF32ArrayAttr());
    }]>
  ];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = "::ds4::RopeParameters getParameters() const;";
}

def Ds4_QuantizationScheme : I32EnumAttr<"QuantizationScheme", "rounding of activations", [
    I32EnumAttrCase<"Fp8", 0, "fp8">,
    I32EnumAttrCase<"Fp4", 1, "fp4">,
    I32EnumAttrCase<"Int8", 2, "int8">]> {
  let cppNamespace = "::ds4";
  let genSpecializedAttr = 0;
}

def Ds4_QuantizationSchemeAttr : EnumAttr<Ds4_Dialect, Ds4_QuantizationScheme, "scheme"> {
  let assemblyFormat = "`` $value";
}

#endif
