// The ds4 dialect. Operands, results and formulas of every op: docs/ops.md.
#ifndef DS4_DIALECT_TD
#define DS4_DIALECT_TD

include "mlir/IR/OpBase.td"

def Ds4_Dialect : Dialect {
  let name = "ds4";
  let cppNamespace = "::ds4";
  let summary = "decode steps of DeepSeek-V4-Flash";
  let description = [{
    A step is one `func.func` that turns the tokens at positions `pos .. pos + q - 1` into logits and updated state.
    Activations are builtin tensors whose leading dimension is the tokens of the step, weights are values of type
    `!ds4.quantized`, and state (`!ds4.state`) has value semantics: an op that writes a state returns a new value.

    An op's place in the model is its location ("blk.3.attn.q_a").

    Attributes that the dialect puts on other ops:
      - `ds4.name` (string) on arguments and results of a step function: the name that the runtime binds;
      - `ds4.offsets` (array<i64>) on an op: bytes into the arena, one per result, -1 for a state;
      - `ds4.offset` (i64) on a tensor argument of a step function: the same for what the host puts into the arena;
      - `ds4.arena_bytes` (i64) on a step function: the size of that arena;
      - `ds4.scratch_bytes` (i64) on a step function: its first bytes, which no tensor gets (docs/architecture.md);
      - `ds4.names` (array of strings) on an op: the places in the model that its results have, where the op's own location
        does not say it;
      - `ds4.schedules` (array of #ds4.schedule) on an op: the ways to compute it, where there are several;
      - `ds4.activations` (string) on a product: where what it reads is brought to half precision: by its `producer`, in each
        `workgroup`, or nowhere (`single`).
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral kName = "ds4.name";
    // The name of the argument whose token ids lie in the arena; those of another argument are in the step block.
    static constexpr ::llvm::StringLiteral kIdsInput = "ids";
    static constexpr ::llvm::StringLiteral kOffsets = "ds4.offsets";
    static constexpr ::llvm::StringLiteral kOffset = "ds4.offset";
    static constexpr ::llvm::StringLiteral kArenaBytes = "ds4.arena_bytes";
    static constexpr ::llvm::StringLiteral kScratchBytes = "ds4.scratch_bytes";
    static constexpr ::llvm::StringLiteral kNames = "ds4.names";
    static constexpr ::llvm::StringLiteral kSchedules = "ds4.schedules";
    static constexpr ::llvm::StringLiteral kActivations = "ds4.activations";

  private:
    void registerTypes();
    void registerAttributes();

  public:
  }];
}

#endif
