// What a step consists of after ds4-outline-kernels: kernels and their launches.
#ifndef DS4_LAUNCH_OPS_TD
#define DS4_LAUNCH_OPS_TD

include "ir/Ds4OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

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
