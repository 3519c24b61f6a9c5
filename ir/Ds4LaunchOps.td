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
  let summary = "one launch of a kernel";
  let description = [{
    Kernel arguments: the step block, the operands in order, then the tensor results in order. `grid` maps the step's
    scalars to workgroups, (pos, q) -> (x, y, z). `updates` has one entry a result: the index of the operand whose
    buffer a state result is, -1 for a tensor. `scratch` is how many bytes of the step's scratch the kernel uses; their
    address is then its last argument.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, AffineMapAttr:$grid, DenseI64ArrayAttr:$updates,
                       OptionalAttr<Ds4_PositiveCount>:$scratch, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid `)` `updates` $updates (`scratch` `(` $scratch^ `)`)? `` `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // The three grid expressions, as the plan stores them.
    std::array<::ds4::StepExpr, 3> getGridExpressions();
  }];
}

#endif
