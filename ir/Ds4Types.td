// Types of the ds4 dialect: weights as they lie in the file, and the state that outlives a step.
#ifndef DS4_TYPES_TD
#define DS4_TYPES_TD

include "ir/Ds4Dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Ds4_Type<string name, string typeMnemonic> : TypeDef<Ds4_Dialect, name> {
  let mnemonic = typeMnemonic;
  let genVerifyDecl = 1;
}

def Ds4_WeightFormatParameter : AttrOrTypeParameter<"::ds4::WeightFormat", "format of models/formats/Format.h"> {
  let parser = "::ds4::parseWeightFormat($_parser)";
  let printer = "::ds4::printWeightFormat($_printer, $_self)";
}

def Ds4_QuantizedType : Ds4_Type<"Quantized", "quantized"> {
  let summary = "a weight tensor in the format of its file";
  let description = [{
    `!ds4.quantized<[rows, cols], q8_0>`: slowest dimension first, rows of `cols` weights that are whole blocks of the
    format. Vectors are `[n]`, the matrices of experts `[experts, rows, cols]`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, Ds4_WeightFormatParameter:$format);
  let assemblyFormat = "`<` `[` $shape `]` `,` $format `>`";
}

def Ds4_StateKind : I32EnumAttr<"StateKind", "kind of state", [
    I32EnumAttrCase<"Window", 0, "window">,
    I32EnumAttrCase<"Compressed", 1, "compressed">,
    I32EnumAttrCase<"Indexer", 2, "indexer">,
    I32EnumAttrCase<"Open", 3, "open">]> {
  let cppNamespace = "::ds4";
  let genSpecializedAttr = 0;
}

def Ds4_StateType : Ds4_Type<"State", "state"> {
  let summary = "one version of a buffer that outlives the step";
  let description = [{
    `!ds4.state<kind, [rows, cols], element>` with element f16 or f32:
      - `window`: ring of the latest key-value rows, row = position mod rows;
      - `compressed`, `indexer`: row w holds what window w of the sequence was compressed to;
      - `open`: ring of rows that a compression still needs.
    All versions of one state share a buffer, so a version may not be read after a newer one was written.
  }];
  let parameters = (ins EnumParameter<Ds4_StateKind>:$kind, ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$element);
  let assemblyFormat = "`<` $kind `,` `[` $shape `]` `,` $element `>`";
  let extraClassDeclaration = [{
    int64_t getRows() const { return getShape()[0]; }
    int64_t getCols() const { return getShape()[1]; }
  }];
}

#endif
