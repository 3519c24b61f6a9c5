// The feed-forward part: routing, the products of the chosen experts, their combination.
#ifndef DS4_EXPERT_OPS_TD
#define DS4_EXPERT_OPS_TD

include "ir/Ds4OpBase.td"

def Ds4_RouterOp : Ds4_CheckedPrimitiveOp<"router", "logits [T,E], bias [E] -> [T,$k] i32, [T,$k]"> {
  let summary = "the k experts with the greatest sqrt(softplus(logit)) + bias, and their weights";
  let arguments = (ins Ds4_Activation:$logits, Ds4_Weight:$bias, Ds4_PositiveCount:$k, Ds4_PositiveReal:$scale);
  let results = (outs Ds4_Ids:$ids, Ds4_Activation:$weights);
  let assemblyFormat = [{
    $logits `,` $bias `k` `(` $k `)` `scale` `(` custom<Real>($scale) `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Ds4_HashRouterOp
    : Ds4_PrimitiveOp<"hash_router", "logits [T,E], tokens [T], table [V,U] -> [T,U] i32, [T,U]"> {
  let summary = "experts by a table of the token, weights as the router's";
  let arguments = (ins Ds4_Activation:$logits, Ds4_Ids:$tokens, Ds4_IdTable:$table, Ds4_PositiveReal:$scale);
  let results = (outs Ds4_Ids:$ids, Ds4_Activation:$weights);
  let assemblyFormat = [{
    $logits `,` $tokens `,` $table `scale` `(` custom<Real>($scale) `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Ds4_ExpertLinearOp
    : Ds4_CheckedPrimitiveOp<"expert_linear", "x [T,...,K], ids [T,U], weight [E,N,K] -> [T,U,N]"> {
  let summary = "slot u: the matrix of expert ids[u] times x, or times x[u]; an id out of range gives zeros";
  let arguments = (ins Ds4_Activation:$x, Ds4_Ids:$ids, Ds4_Weight:$weight);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = "$x `,` $ids `,` $weight attr-dict `:` functional-type(operands, results)";
}

def Ds4_GroupSlotsOp : Ds4_PrimitiveOp<"group_slots", "ids [T,U] -> [T,U] i32, [$experts+1] i32"> {
  let summary = "slots t * U + u ordered by their expert, and where each expert's begin";
  let description = [{
    Within an expert slots ascend; those whose id is no expert's come last. `starts` has the place of each expert's first slot, and
    behind them the number of slots of experts.
  }];
  let arguments = (ins Ds4_Ids:$ids, Ds4_PositiveCount:$experts);
  let results = (outs Ds4_Ids:$order, Ds4_Ids:$starts);
  let assemblyFormat = "$ids `experts` `(` $experts `)` attr-dict `:` functional-type(operands, results)";
}

def Ds4_GroupedExpertLinearOp : Ds4_CheckedPrimitiveOp<"grouped_expert_linear",
    "x [T,...,K], order [T,U], starts [S], weight [E,N,K], scales [T,...] -> [T,U,N]"> {
  let summary = "expert_linear whose slots come ordered by expert, as group_slots makes them; scales as of linear";
  let arguments = (ins AnyTypeOf<[Ds4_Activation, Ds4_Halves]>:$x, Ds4_Ids:$order, Ds4_Ids:$starts, Ds4_Weight:$weight,
                       Optional<Ds4_Activation>:$scales);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = [{
    $x `,` $order `,` $starts `,` $weight (`scales` `(` $scales^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

def Ds4_SwigluOp : Ds4_PrimitiveOp<"swiglu", "gate [...], up [...] -> [...]"> {
  let summary = "silu(min(gate, limit)) * clamp(up, -limit, limit)";
  let arguments = (ins Ds4_Activation:$gate, Ds4_Activation:$up, Ds4_PositiveReal:$limit);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = "$gate `,` $up `limit` `(` custom<Real>($limit) `)` attr-dict `:` functional-type(operands, results)";
}

def Ds4_CombineOp : Ds4_PrimitiveOp<"combine", "y [T,U,D], weights [T,U] -> [T,D]"> {
  let summary = "sum_u weights[u] * y[u] in slot order; slots of weight 0 are not read";
  let arguments = (ins Ds4_Activation:$y, Ds4_Activation:$weights);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = "$y `,` $weights attr-dict `:` functional-type(operands, results)";
}

def Ds4_MoeRouteOp : Ds4_CheckedPrimitiveOp<"moe_route",
    "x [T,D], router [E,D], gate [N,D], up [N,D], bias [E], tokens [T], table [V,$k] -> [T,$k] i32, [T,$k], [T,N]",
    [AttrSizedOperandSegments]> {
  let summary = "the experts of each token, and the hidden activations of the shared expert";
  let description = [{
    linear with the router's weights, then router, or with a table hash_router; beside it linear with the shared expert's
    gate and up weights, then swiglu. Made by `ds4-fuse-moe`.
  }];
  let arguments = (ins Ds4_Activation:$x, Ds4_Weight:$router, Ds4_Weight:$gate, Ds4_Weight:$up, Optional<Ds4_Weight>:$bias,
                       Optional<Ds4_Ids>:$tokens, Optional<Ds4_IdTable>:$table, Ds4_PositiveCount:$k, Ds4_PositiveReal:$scale,
                       Ds4_PositiveReal:$limit);
  let results = (outs Ds4_Ids:$ids, Ds4_Activation:$weights, Ds4_Activation:$hidden);
  let assemblyFormat = [{
    $x `,` $router `,` $gate `,` $up (`bias` `(` $bias^ `)`)? (`hashed` `(` $tokens^ `,` $table `)`)? `k` `(` $k `)`
    `scale` `(` custom<Real>($scale) `)` `limit` `(` custom<Real>($limit) `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Ds4_MoeGateUpOp : Ds4_PrimitiveOp<"moe_gate_up",
    "x [T,K], ids [T,U], weights [T,U], gate [E,N,K], up [E,N,K] -> [T,U,N]"> {
  let summary = "the hidden activations of the routed experts";
  let description = [{
    expert_linear with gate and up weights, then swiglu; slots of weight 0 or of an id out of range are zeros and read nothing.
    Made by `ds4-fuse-moe`.
  }];
  let arguments = (ins Ds4_Activation:$x, Ds4_Ids:$ids, Ds4_Activation:$weights, Ds4_Weight:$gate, Ds4_Weight:$up,
                       Ds4_PositiveReal:$limit);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = [{
    $x `,` $ids `,` $weights `,` $gate `,` $up `limit` `(` custom<Real>($limit) `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Ds4_MoeDownOp : Ds4_PrimitiveOp<"moe_down",
    "h [T,U,K], ids [T,U], weights [T,U], down [E,N,K], hs [T,Ks], shared [N,Ks] -> [T,N]"> {
  let summary = "the output of all experts: sum_u weights[u] down[ids[u]] h[u], in slot order, then shared hs";
  let description = [{
    expert_linear, combine, the shared expert's linear and add. Slots of weight 0 are not read. Made by `ds4-fuse-moe`.
  }];
  let arguments = (ins Ds4_Activation:$h, Ds4_Ids:$ids, Ds4_Activation:$weights, Ds4_Weight:$down, Ds4_Activation:$hs,
                       Ds4_Weight:$shared);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = [{
    $h `,` $ids `,` $weights `,` $down `,` $hs `,` $shared attr-dict `:` functional-type(operands, results)
  }];
}

#endif
