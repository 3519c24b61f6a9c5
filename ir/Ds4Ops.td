// Ops of the ds4 dialect: tokens, norms, products. The others by theme in the files included at the end.
#ifndef DS4_OPS_TD
#define DS4_OPS_TD

include "ir/Ds4OpBase.td"

def Ds4_WeightOp : Op<Ds4_Dialect, "weight", [Pure]> {
  let summary = "a weight of the model, by its canonical name";
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs Ds4_AnyWeight:$value);
  let assemblyFormat = "$weight attr-dict `:` qualified(type($value))";
}

def Ds4_ReshapeOp : Op<Ds4_Dialect, "reshape", [Pure]> {
  let summary = "the same numbers under another shape of each token; a view, no kernel";
  let arguments = (ins AnyTypeOf<[Ds4_Activation, Ds4_Halves, Ds4_Ids]>:$x);
  let results = (outs AnyTypeOf<[Ds4_Activation, Ds4_Halves, Ds4_Ids]>:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

def Ds4_EmbedOp : Ds4_PrimitiveOp<"embed", "tokens [T], table [V,D] -> [T,$streams,D]"> {
  let summary = "the table's row of each token, copied to all streams";
  let arguments = (ins Ds4_Ids:$tokens, Ds4_Weight:$table, Ds4_PositiveCount:$streams);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = "$tokens `,` $table `streams` `(` $streams `)` attr-dict `:` functional-type(operands, results)";
}

def Ds4_RmsNormOp : Ds4_PrimitiveOp<"rms_norm", "x [T,D], weight [D] -> [T,D]"> {
  let summary = "x * rsqrt(mean(x^2) + eps) * weight";
  let arguments = (ins Ds4_Activation:$x, Ds4_Weight:$weight, Ds4_PositiveReal:$eps);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = "$x `,` $weight `eps` `(` custom<Real>($eps) `)` attr-dict `:` functional-type(operands, results)";
}

def Ds4_HeadNormOp : Ds4_PrimitiveOp<"head_norm", "x [T,H,d] -> [T,H,d]"> {
  let summary = "RMS norm of each head, without a weight";
  let arguments = (ins Ds4_Activation:$x, Ds4_PositiveReal:$eps);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = "$x `eps` `(` custom<Real>($eps) `)` attr-dict `:` functional-type(operands, results)";
}

def Ds4_LinearOp : Ds4_CheckedPrimitiveOp<"linear", "x [T,K], weight [N,K], scales [T] -> [T,N]"> {
  let summary = "y = x W^T, times the token's scale where there are some; of halves only where the weight has a fast kernel";
  let arguments = (ins AnyTypeOf<[Ds4_Activation, Ds4_Halves]>:$x, Ds4_Weight:$weight, Optional<Ds4_Activation>:$scales);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = [{
    $x `,` $weight (`scales` `(` $scales^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Value":$weight),
                            "build($_builder, $_state, x, weight, ::mlir::Value());">];
}

def Ds4_GroupedLinearOp
    : Ds4_CheckedPrimitiveOp<"grouped_linear", "x [T,$groups*K], weight [$groups*N,K], scales [T,$groups] -> [T,$groups*N]"> {
  let summary = "group g multiplies rows g*N.. of W with columns g*K.. of x, whose scale it has where there are some";
  let arguments = (ins AnyTypeOf<[Ds4_Activation, Ds4_Halves]>:$x, Ds4_Weight:$weight, Optional<Ds4_Activation>:$scales,
                       Ds4_PositiveCount:$groups);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = [{
    $x `,` $weight (`scales` `(` $scales^ `)`)? `groups` `(` $groups `)` attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Value":$weight, "int64_t":$groups),
                            "build($_builder, $_state, x, weight, ::mlir::Value(), groups);">];
}

def Ds4_RopeOp : Ds4_CheckedPrimitiveOp<"rope", "x [T,...,d], pos -> [T,...,d]"> {
  let summary = "rotary embedding of the last channels of a row or of each head; `inverse` turns backwards";
  let description = [{
    With `norm_eps` rows are normed first, as by `head_norm` with that eps (`ds4-fuse-head-norm`).
  }];
  let arguments = (ins Ds4_Activation:$x, Index:$pos, Ds4_RopeAttr:$rope, UnitAttr:$inverse,
                       OptionalAttr<Ds4_PositiveReal>:$norm_eps);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = [{
    $x `,` $pos `rope` `(` $rope `)` (`inverse` $inverse^)? attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Value":$pos, "::ds4::RopeAttr":$rope, "bool":$inverse),
                            "build($_builder, $_state, x, pos, rope, inverse, ::mlir::FloatAttr());">];
}

def Ds4_AddOp : Ds4_PrimitiveOp<"add", "a [...], b [...] -> [...]"> {
  let summary = "a + b";
  let arguments = (ins Ds4_Activation:$a, Ds4_Activation:$b);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` functional-type(operands, results)";
}

def Ds4_ConcatOp : Ds4_PrimitiveOp<"concat", "a [T,A], b [T,B] -> [T,A+B]"> {
  let summary = "the values of a, then those of b";
  let arguments = (ins Ds4_Activation:$a, Ds4_Activation:$b);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` functional-type(operands, results)";
}

def Ds4_QuantizeActivationOp : Ds4_CheckedPrimitiveOp<"quantize_activation", "x [...,n] -> [...,n]"> {
  let summary = "rounds each block to a low-precision format and back";
  let description = [{
    `fp8` is e4m3 and `fp4` e2m1, both with a power-of-two scale per block; `int8` has the scale amax/127.
  }];
  let arguments = (ins Ds4_Activation:$x, Ds4_QuantizationSchemeAttr:$scheme, Ds4_PositiveCount:$block);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = [{
    $x `scheme` $scheme `block` `(` $block `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Ds4_ToHalfOp : Ds4_PrimitiveOp<"to_half", "x [T,K] -> [T,K] f16"> {
  let summary = "x in half precision, magnitudes of 65504 at most: once for all workgroups of the products that read it";
  let description = [{
    Products convert what they read themselves; `ds4-place-activation-quantization` puts a `to_half` behind the norm where that
    costs less.
  }];
  let arguments = (ins Ds4_Activation:$x);
  let results = (outs Ds4_Halves:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def Ds4_ScaleToHalfOp : Ds4_PrimitiveOp<"scale_to_half", "x [T,...,K] -> [T,...,K] f16, [T,...]"> {
  let summary = "rows in half precision, each times a power of two, and what they are to be multiplied with instead";
  let description = [{
    The power brings a row's largest magnitude just below 2^15, so that none of its values is out of range and few are subnormal:
    `halves * scales` is x, to 11 bits. Products of chunks read both (`ds4-place-activation-quantization`).
  }];
  let arguments = (ins Ds4_Activation:$x);
  let results = (outs Ds4_Halves:$halves, Ds4_Activation:$scales);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def Ds4_ArgmaxOp : Ds4_PrimitiveOp<"argmax", "logits [T,V] -> [T] i32"> {
  let summary = "lowest index of the greatest value; NaN never wins, all NaN gives -1";
  let arguments = (ins Ds4_Activation:$logits);
  let results = (outs Ds4_Ids:$result);
  let assemblyFormat = "$logits attr-dict `:` functional-type(operands, results)";
}

def Ds4_ShiftTokensOp : Ds4_PrimitiveOp<"shift_tokens", "tokens [T], next [T] -> [T] i32"> {
  let summary = "the first token of the step, then what follows each token but the last: next[t-1], 0 where that is negative";
  let arguments = (ins Ds4_Ids:$tokens, Ds4_Ids:$next);
  let results = (outs Ds4_Ids:$result);
  let assemblyFormat = "$tokens `,` $next attr-dict `:` functional-type(operands, results)";
}

def Ds4_SampleOp : Ds4_PrimitiveOp<"sample", "logits [T,V] -> [T] i32"> {
  let summary = "a token by temperature and top-p, with the random number of the step block";
  let arguments = (ins Ds4_Activation:$logits);
  let results = (outs Ds4_Ids:$result);
  let assemblyFormat = "$logits attr-dict `:` functional-type(operands, results)";
}

include "ir/Ds4HyperConnectionOps.td"
include "ir/Ds4AttentionOps.td"
include "ir/Ds4ExpertOps.td"
include "ir/Ds4LaunchOps.td"

#endif
