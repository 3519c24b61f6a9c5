// What a step consists of after ds4-outline-kernels: kernels and their launches.
#ifndef DS4_LAUNCH_OPS_TD
#define DS4_LAUNCH_OPS_TD

include "ir/Ds4OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Ds4_KernelOp : Op<Ds4_Dialect, "kernel", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a specialised kernel: its source, workgroup size and budget";
  let description = [{
    The symbol encodes every specialisation value. `implements` is the ds4 op whose device header the source
    instantiates. A code object that needs more VGPRs or bytes of LDS than the budget fails the compile.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$implements, Ds4_PositiveCount:$block, Ds4_PositiveCount:$vgprs,
                       Ds4_Count:$lds_bytes, StrAttr:$source);
  let assemblyFormat = [{
    $sym_name `implements` $implements `block` `(` $block `)` `vgprs` `(` $vgprs `)` `lds` `(` $lds_bytes `)`
    `source` $source attr-dict
  }];
  let hasVerifier = 1;
}

def Ds4_SharedLaunchOp : Op<Ds4_Dialect, "shared_launch",
    [RecursiveMemoryEffects, NoRegionArguments, SingleBlock]> {
  let summary = "ops that share one launch";
  let description = [{
    The body holds primitive ops and reshapes. Ops that use nothing of the body but through reshapes, the roots, work side by
    side, in the order of their workgroups; the others, the tails, follow them and run in the workgroup that arrives last of
    all that they depend on. Every result of a primitive op is yielded, in order: each has its place in memory.

    ```
    %c, %n = ds4.shared_launch {
      %c = ds4.linear %x, %w : ...
      %n = ds4.rms_norm %c, %v eps(1.0e-06) : ...
      ds4.yield %c, %n : tensor<?x64xf32>, tensor<?x64xf32>
    } : tensor<?x64xf32>, tensor<?x64xf32>
    ```
  }];
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict (`:` type($outputs)^)?";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // The primitive ops of the body, in order.
    ::llvm::SmallVector<::mlir::Operation *> getParts();
    // The value inside that a result is.
    ::mlir::OpResult getYielded(unsigned result);
  }];
}

def Ds4_YieldOp : Op<Ds4_Dialect, "yield", [Pure, Terminator, ReturnLike, HasParent<"SharedLaunchOp">]> {
  let summary = "the results of a shared launch";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Ds4_LaunchOp : Op<Ds4_Dialect, "launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one launch of a kernel, or of one of several by the step's pos and q";
  let description = [{
    Kernel arguments: the step block, the operands in order, then the tensor results in order, then the scratch for variants
    that use it. `updates` has one entry a result: the index of the operand whose buffer a state result is, -1 for a tensor.

    Of several variants the one whose guard holds is launched; `ds4-check-guards` proves that there is one, and one only. All
    compute the same values. A variant that is for all steps is written without `variants`:

    ```
    #one = affine_set<(pos, q) : (q - 1 == 0)>
    #more = affine_set<(pos, q) : (q - 2 >= 0)>
    %y = ds4.launch @k grid(affine_map<(pos, q) -> (8, q, 1)>) scratch(256) updates [-1](%x, %w) : ...
    %y = ds4.launch variants [
        #ds4.variant<kernel = @k1, grid = affine_map<(pos, q) -> (8, q, 1)>, guard = #one>,
        #ds4.variant<kernel = @k4, grid = affine_map<(pos, q) -> (8, q ceildiv 4, 1)>, guard = #more,
                     name = "columns 4", reason = "weights are decoded once for four tokens">
      ] updates [-1](%x, %w) : ...
    ```
  }];
  let arguments = (ins Ds4_VariantsAttr:$variants, DenseI64ArrayAttr:$updates, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = [{
    custom<Variants>($variants) `updates` $updates `` `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // Of the variant that uses most.
    int64_t getScratchBytes();
  }];
}

#endif
