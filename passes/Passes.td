// Passes over ds4 step functions. One def here, one .cpp of that name, one lit file tests/lit/passes/<flag>.mlir.
#ifndef DS4_PASSES_TD
#define DS4_PASSES_TD

include "mlir/Pass/PassBase.td"

class Ds4_MaxWidthOption : Option<"maxWidth", "max-width", "int64_t", /*default=*/"8",
                                  "greatest number of tokens of a step; sizes of a leading '?' count that many">;

def FoldRopeTables : Pass<"ds4-fold-rope-tables", "::mlir::ModuleOp"> {
  let summary = "computes the frequencies of rotary embeddings";
  let description = [{
    Adds `frequencies` to every `#ds4.rope`, in double precision and rounded once to f32:

    ```
    rope(<dims = 4, base = 10000.0>)
    rope(<dims = 4, base = 10000.0, frequencies = [1.0, 0.01]>)
    ```
  }];
}

def FuseHyperConnections : Pass<"ds4-fuse-hyper-connections", "::mlir::func::FuncOp"> {
  let summary = "makes one launch of all that lies between two sub-layers";
  let description = [{
    The write of one sub-layer's output, the coefficients of the next, Sinkhorn, the read and the norm become a
    `ds4.hc_site`; where no write comes before, as in the first sub-layer, the site has none.

    ```
    %s = ds4.hc_write %y, %s0, %post0, %comb0 : ...
    %c = ds4.hc_coefficients %s, %fn, %base, %scale eps(1.0e-06) : ...
    %pre, %post, %comb = ds4.sinkhorn %c iterations(20) eps(1.0e-06) : ...
    %r = ds4.hc_read %s, %pre : ...
    %x = ds4.rms_norm %r, %norm eps(1.0e-06) : ...

    %s, %post, %comb, %x = ds4.hc_site %s0, %fn, %base, %scale, %norm write(%y, %post0, %comb0)
      iterations(20) eps(1.0e-06) hc_eps(1.0e-06) norm_eps(1.0e-06) : ...
    ```

    Sites whose coefficients, `pre` or unnormalised sum have another reader stay as they are, as do those of a width or of
    formats that the kernel does not take. The results keep the places of the ops that they come from (`ds4.names`).
  }];
}

def FuseMoe : Pass<"ds4-fuse-moe", "::mlir::func::FuncOp"> {
  let summary = "makes three launches of a layer's experts";
  let description = [{
    Router and the shared expert's gate and up; gate and up of the routed experts; the down products of both, combined:

    ```
    %l = ds4.linear %x, %router : ...
    %ids, %weights = ds4.router %l, %bias k(6) scale(1.5) : ...
    %g = ds4.expert_linear %x, %ids, %gate : ...
    %u = ds4.expert_linear %x, %ids, %up : ...
    %h = ds4.swiglu %g, %u limit(10.0) : ...
    %d = ds4.expert_linear %h, %ids, %down : ...
    %r = ds4.combine %d, %weights : ...
    %sg = ds4.linear %x, %shared_gate : ...
    %su = ds4.linear %x, %shared_up : ...
    %hs = ds4.swiglu %sg, %su limit(10.0) : ...
    %s = ds4.linear %hs, %shared_down : ...
    %y = ds4.add %r, %s : ...

    %ids, %weights, %hs = ds4.moe_route %x, %router, %shared_gate, %shared_up bias(%bias) k(6) scale(1.5) limit(10.0) : ...
    %h = ds4.moe_gate_up %x, %ids, %weights, %gate, %up limit(10.0) : ...
    %y = ds4.moe_down %h, %ids, %weights, %down, %hs, %shared_down : ...
    ```

    A `hash_router` becomes `hashed(%tokens, %table)`. Experts of which an inner value has another reader stay as they are,
    as do those whose gate and up weights differ in format. The results keep the places of the ops that they come from.
  }];
}

def GroupExperts : Pass<"ds4-group-experts", "::mlir::func::FuncOp"> {
  let summary = "orders the slots of routed experts, so that an expert's tokens meet its matrix together";
  let description = [{
    ```
    %g = ds4.expert_linear %x, %ids, %gate : ...

    %order, %starts = ds4.group_slots %ids experts(256) : ...
    %g = ds4.grouped_expert_linear %x, %order, %starts, %gate : ...
    ```

    For chunks of many tokens; products by the same ids share the order. Those that there is no kernel for (chunkHalves() of the
    emitters) stay as they are.
  }];
}

def FuseIndexer : Pass<"ds4-fuse-indexer", "::mlir::func::FuncOp"> {
  let summary = "makes one launch of the scores of rows and the selection among them";
  let description = [{
    The workgroup that is the last to have scored its rows selects.

    ```
    %s = ds4.index_score %q, %weights, %rows, %pos ratio(4) scale(0.01) : ...
    %p = ds4.select_top_k %s, %pos k(512) ratio(4) : ...

    %s, %p = ds4.shared_launch {
      ...
    } : ...
    ```

    More rows than one workgroup holds in registers, and rows in single precision, whose scores have smaller workgroups, keep
    their two launches.
  }];
}

def FuseMaskedAttention : Pass<"ds4-fuse-masked-attention", "::mlir::func::FuncOp"> {
  let summary = "makes one launch of an attention and the inverse rotation of its result";
  let description = [{
    ```
    %a = ds4.attend %q, %window, %sinks, %pos rows %rows picks %picks scale(0.04) window(128) ratio(4) : ...
    %y = ds4.rope %a, %pos rope(<dims = 64, base = 160000.0>) inverse : ...

    %y = ds4.masked_attention %q, %window, %sinks, %pos rows %rows picks %picks scale(0.04) window(128) ratio(4)
      rope(<dims = 64, base = 160000.0>) : ...
    ```

    An attention that something else reads, too, stays as it is, as does one that there is no kernel for: rows in single
    precision, heads of other widths than 128, 256 and 512. The result keeps the rotation's place.
  }];
}

def FuseProjections : Pass<"ds4-fuse-projections", "::mlir::func::FuncOp"> {
  let summary = "makes one launch of the products that read one input";
  let description = [{
    Products of one input become the roots of a `ds4.shared_launch`. What needs nothing but their results, weights and state
    rides along as tails: norms, rotations, the window's append, the compressor.

    ```
    %c = ds4.linear %x, %a : ...
    %n = ds4.rms_norm %c, %v eps(1.0e-06) : ...
    %k = ds4.linear %x, %b : ...

    %k, %c, %n = ds4.shared_launch {
      %k = ds4.linear %x, %b : ...
      %c = ds4.linear %x, %a : ...
      %n = ds4.rms_norm %c, %v eps(1.0e-06) : ...
      ds4.yield %k, %c, %n : ...
    } : ...
    ```

    Roots whose tails update state come first, so that the other roots hide the tails; the rest keep their order. A product
    without companions and without tails stays as it is.
  }];
}

def FuseHead : Pass<"ds4-fuse-head", "::mlir::func::FuncOp"> {
  let summary = "makes two launches of what comes before and after the vocabulary's product";
  let description = [{
    The last write of the streams, their weighted sum and its norm share a launch: the write's workgroups, of which the last does
    the rest. So do the greedy and the random choice of a token.

    ```
    %s1 = ds4.hc_write %y, %s, %post, %comb : ...
    %h = ds4.hc_head %s1, %fn, %base, %scale eps(1.0e-06) hc_eps(1.0e-06) : ...
    %x = ds4.rms_norm %h, %norm eps(1.0e-06) : ...

    %s1, %h, %x = ds4.shared_launch {
      ...
    } : ...
    ```
  }];
}

def DeferSinkhorn : Pass<"ds4-defer-sinkhorn", "::mlir::func::FuncOp"> {
  let summary = "leaves half of Sinkhorn's iterations to the site that takes their matrix";
  let description = [{
    For targets with clusters of workgroups. There a site's iterations, in one wave, take longer than all else behind its coefficients,
    and the next launch, which does not want their matrix, waits for them. The next site makes the other half while it waits itself.

    ```
    %s, %post, %comb, %x = ds4.hc_site %streams, ... iterations(20) ...
    ds4.hc_site %s, ... write(%y, %post, %comb) iterations(20) ...

    %s, %post, %comb, %x = ds4.hc_site %streams, ... iterations(20) ... {deferred = 10 : i64}
    ds4.hc_site %s, ... write(%y, %post, %comb) iterations(20) ... {due = 10 : i64}
    ```
  }];
}

def FuseHeadNorm : Pass<"ds4-fuse-head-norm", "::mlir::func::FuncOp"> {
  let summary = "norms heads where they are turned";
  let description = [{
    What only a rotation reads is not written. In chunks of a prompt queries are more bytes than their weights; in steps both share the
    launch of the product before them (`ds4-fuse-projections`), where one tail is quicker than two.

    ```
    %n = ds4.head_norm %x eps(1.0e-06) : ...
    %y = ds4.rope %n, %pos rope(#rope) : ...

    %y = ds4.rope %x, %pos rope(#rope) {norm_eps = 1.0e-06 : f64} : ...
    ```
  }];
}

class Ds4_ExactProductsOption : Option<"exactProducts", "exact-products", "bool", /*default=*/"false",
                                       "all products in single precision">;
class Ds4_FineGridsOption : Option<"fineGrids", "fine-grids", "bool", /*default=*/"false",
                                   "kernels and grids for devices of more than a hundred multiprocessors with NVIDIA's matrix unit">;

class Ds4_ClustersOption : Option<"clusters", "clusters", "bool", /*default=*/"false",
                                  "kernels whose workgroups share LDS in clusters, which NVIDIA's devices have from sm_90 on">;

class Ds4_ChunkOption : Option<"chunk", "chunk", "bool", /*default=*/"false", "kernels for chunks of any number of tokens">;

def PlaceActivationQuantization : Pass<"ds4-place-activation-quantization", "::mlir::func::FuncOp"> {
  let summary = "decides where the activations of fast products are brought to half precision";
  let description = [{
    In each of the workgroups that read them, or once, behind the norm that makes them, for all products that read it. The counted
    cost decides (codegen/emitters/ActivationCost.h): a `ds4.to_half` is put where what the workgroups save, spread over the chip,
    is more than the launch of the norm takes longer.

    ```
    %c, %n = ds4.shared_launch {
      %c = ds4.linear %x, %a : ...
      %n = ds4.rms_norm %c, %v eps(1.0e-06) : ...
      ds4.yield %c, %n : ...
    } : ...
    %q = ds4.linear %n, %b : ...

    %c, %n, %h = ds4.shared_launch {
      %c = ds4.linear %x, %a {ds4.activations = "workgroup"} : ...
      %n = ds4.rms_norm %c, %v eps(1.0e-06) : ...
      %h = ds4.to_half %n : (tensor<?x1024xf32>) -> tensor<?x1024xf16>
      ds4.yield %c, %n, %h : ...
    } : ...
    %q = ds4.linear %h, %b {ds4.activations = "producer"} : ...
    ```

    Every product says in `ds4.activations` where: `producer`, `workgroup`, or `single` where its kernel is exact. Norms alone are
    producers, because what they make is bounded; one with a launch of its own is none, for a tail is what makes a `to_half` cheap.

    With `chunk` all products on the matrix unit that take halves read rows that were scaled and rounded once:

    ```
    %y = ds4.linear %x, %w : ...

    %h, %s = ds4.scale_to_half %x : (tensor<?x1024xf32>) -> (tensor<?x1024xf16>, tensor<?xf32>)
    %y = ds4.linear %h, %w scales(%s) {ds4.activations = "producer"} : ...
    ```
  }];
  let options = [Ds4_ExactProductsOption<>, Ds4_ChunkOption<>];
}

def SelectSchedules : Pass<"ds4-select-schedules", "::mlir::func::FuncOp"> {
  let summary = "gives ops several schedules, each for the steps that suit it";
  let description = [{
    Lists what codegen/emitters/Schedules.h knows for an op in `ds4.schedules`, from which `ds4-outline-kernels` makes the
    variants of a launch. Ops that one kernel serves in all steps stay as they are.

    ```
    %y = ds4.linear %x, %w : ...

    #one = affine_set<(pos, q) : (q - 1 == 0)>
    #two = affine_set<(pos, q) : (q - 2 == 0)>
    #more = affine_set<(pos, q) : (q - 3 >= 0)>
    %y = ds4.linear %x, %w {ds4.schedules = [
      #ds4.schedule<name = "columns", value = 1, guard = #one, reason = "...">,
      #ds4.schedule<name = "columns", value = 2, guard = #two, reason = "...">,
      #ds4.schedule<name = "columns", value = 4, guard = #more, reason = "...">]} : ...
    ```

    With `fine-grids`, as for `ds4-outline-kernels`, experts whose products the matrix unit makes have one kernel for all steps.
  }];
  let options = [Ds4_ExactProductsOption<>, Ds4_FineGridsOption<>];
}

def CheckGuards : Pass<"ds4-check-guards", "::mlir::func::FuncOp"> {
  let summary = "proves that of a launch's variants one is taken in each step, and one only";
  let description = [{
    Guards are sets of steps (pos, q). Over pos in [0, 2^20) and q in [1, 8] they must leave nothing out, and no two may overlap:
    decided exactly, with MLIR's Presburger library. A step that is left out or taken twice is named in the error.

    A variant that adds up in another order must not be chosen by q: a token's bits may depend on its position, never on how
    many tokens a step has (docs/architecture.md).
  }];
}

def PlanMemory : Pass<"ds4-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "gives every tensor of a step its place in one arena";
  let description = [{
    A tensor lives from the op that makes it to its last reader, or to the end when the function returns it; arguments
    live from the start; a reshape is its operand. In order of definition each takes the lowest place that is free for
    all of its life. Dynamic columns of scores count the capacity of the state that is scored.

    ```
    %y = ds4.linear %x, %w : ...
    %y = ds4.linear %x, %w {ds4.offsets = array<i64: 8192>} : ...
    ```

    Argument tensors get `ds4.offset`, the function `ds4.arena_bytes` and, when launches use scratch, `ds4.scratch_bytes`:
    the arena's first bytes, as many as the launch that uses most of it, belong to no tensor. The result is proven as by `ds4-check-memory`.
  }];
  let options = [
    Ds4_MaxWidthOption<>,
    Option<"alignment", "alignment", "int64_t", /*default=*/"256", "places are multiples of that many bytes">,
    Option<"noReuse", "no-reuse", "bool", /*default=*/"false", "every value keeps a place of its own, for debugging">
  ];
}

def CheckMemory : Pass<"ds4-check-memory", "::mlir::func::FuncOp"> {
  let summary = "proves that a step reads only what was written for it";
  let description = [{
    Follows the step op by op: who wrote each byte of the arena last, and which version of each state is the newest.
    An op that reads a tensor whose place was overwritten, writes into its own operands or into the scratch, uses more
    scratch than there is, or uses a state of which a newer version exists, is an error.
  }];
  let options = [Ds4_MaxWidthOption<>];
}

def OutlineKernels : Pass<"ds4-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "turns primitive ops into launches of specialised kernels";
  let description = [{
    Ops of one shape share a kernel. What the step block carries (`pos`, the tokens) is no operand of a launch.

    ```
    %y = ds4.linear %x, %w : ...

    ds4.kernel @ds4_linear_q8_0_n1024_k4096 implements "linear" block(256) vgprs(96) lds(0) source "..."
    %y = ds4.launch @ds4_linear_q8_0_n1024_k4096 grid(affine_map<(pos, q) -> (128, q, 1)>) updates [-1](%x, %w) : ...
    ```

    An op with `ds4.schedules` becomes a launch with a variant, and a kernel, of each.

    Products round their activations to half precision where a fast kernel exists for the weight's format and width
    (docs/kernels.md), unless `exact-products` is set.

    With `chunk` kernels are for steps of any number of tokens: products on the matrix unit, state that later tokens of the chunk
    write only after earlier ones have read it.
  }];
  let options = [
    Ds4_ExactProductsOption<>, Ds4_FineGridsOption<>, Ds4_ClustersOption<>, Ds4_ChunkOption<>
  ];
}

#endif
