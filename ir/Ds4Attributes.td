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

def Ds4_ScheduleAttr : AttrDef<Ds4_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "one way to compute an op, and the steps that it is for";
  let description = [{
    `ds4-select-schedules` lists an op's schedules in `ds4.schedules`; `ds4-outline-kernels` makes a variant of the launch of
    each. `name` and `value` are for the op's emitter: "columns" 4. `guard` is a set of steps (pos, q), none for all.
    A schedule that adds in another order than the op's other ones is `reassociating`.
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    DefaultValuedParameter<"int64_t", "0">:$value,
    OptionalParameter<"::mlir::IntegerSetAttr">:$guard,
    OptionalParameter<"::mlir::StringAttr">:$reason,
    DefaultValuedParameter<"bool", "false">:$reassociating);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Ds4_VariantAttr : AttrDef<Ds4_Dialect, "Variant"> {
  let mnemonic = "variant";
  let summary = "a kernel that does a launch's work in the steps that its guard names";
  let description = [{
    `grid` maps the step's scalars to workgroups, (pos, q) -> (x, y, z). `scratch` is how many bytes of the step's scratch the
    kernel uses; their address is then its last argument. `guard`, a set of steps (pos, q), is missing where the variant is for
    all; `name` and `reason` are for people. Variants of a launch that differ in the order of sums are `reassociating`.
  }];
  let parameters = (ins
    "::mlir::FlatSymbolRefAttr":$kernel,
    "::mlir::AffineMapAttr":$grid,
    DefaultValuedParameter<"int64_t", "0">:$scratch,
    OptionalParameter<"::mlir::IntegerSetAttr">:$guard,
    OptionalParameter<"::mlir::StringAttr">:$name,
    OptionalParameter<"::mlir::StringAttr">:$reason,
    DefaultValuedParameter<"bool", "false">:$reassociating);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // As the plan stores them.
    std::array<::ds4::StepExpr, 3> getGridExpressions() const;
    ::ds4::StepGuard getStepGuard() const;
  }];
}

def Ds4_VariantsAttr : TypedArrayAttrBase<Ds4_VariantAttr, "array of variants">;

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
