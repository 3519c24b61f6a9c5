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

#endif
