// Hyper-connections: four residual streams, mixed by coefficients that depend on the token.
#ifndef DS4_HYPER_CONNECTION_OPS_TD
#define DS4_HYPER_CONNECTION_OPS_TD

include "ir/Ds4OpBase.td"

def Ds4_HcCoefficientsOp : Ds4_PrimitiveOp<"hc_coefficients",
    "streams [T,4,D], fn [24,4*D], base [24], scale [3] -> [T,24]"> {
  let summary = "the 24 raw coefficients of a sub-layer: 4 to read, 4 to write, 16 to mix";
  let arguments = (ins Ds4_Activation:$streams, Ds4_Weight:$fn, Ds4_Weight:$base, Ds4_Weight:$scale, Ds4_PositiveReal:$eps);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = [{
    $streams `,` $fn `,` $base `,` $scale `eps` `(` custom<Real>($eps) `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Ds4_SinkhornOp : Ds4_PrimitiveOp<"sinkhorn", "coefficients [T,24] -> [T,4], [T,4], [T,4,4]"> {
  let summary = "read weights, write weights and a doubly stochastic mixing matrix";
  let arguments = (ins Ds4_Activation:$coefficients, Ds4_PositiveCount:$iterations, Ds4_PositiveReal:$eps);
  let results = (outs Ds4_Activation:$pre, Ds4_Activation:$post, Ds4_Activation:$comb);
  let assemblyFormat = [{
    $coefficients `iterations` `(` $iterations `)` `eps` `(` custom<Real>($eps) `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Ds4_HcReadOp : Ds4_PrimitiveOp<"hc_read", "streams [T,S,D], pre [T,S] -> [T,D]"> {
  let summary = "the input of a sub-layer: sum_i pre[i] X[i]";
  let arguments = (ins Ds4_Activation:$streams, Ds4_Activation:$pre);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = "$streams `,` $pre attr-dict `:` functional-type(operands, results)";
}

def Ds4_StreamMeanOp : Ds4_PrimitiveOp<"stream_mean", "streams [T,S,D] -> [T,D]"> {
  let summary = "the mean of the streams";
  let arguments = (ins Ds4_Activation:$streams);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = "$streams attr-dict `:` functional-type(operands, results)";
}

def Ds4_HcWriteOp
    : Ds4_PrimitiveOp<"hc_write", "y [T,D], streams [T,S,D], post [T,S], comb [T,S,S] -> [T,S,D]"> {
  let summary = "X'[k] = post[k] y + sum_j comb[j][k] X[j]";
  let arguments = (ins Ds4_Activation:$y, Ds4_Activation:$streams, Ds4_Activation:$post, Ds4_Activation:$comb);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = "$y `,` $streams `,` $post `,` $comb attr-dict `:` functional-type(operands, results)";
}

def Ds4_HcHeadOp : Ds4_PrimitiveOp<"hc_head", "streams [T,S,D], fn [S,S*D], base [S], scale [1] -> [T,D]"> {
  let summary = "the streams summed for the output head, by weights sigmoid(m * scale + base) + hc_eps";
  let arguments = (ins Ds4_Activation:$streams, Ds4_Weight:$fn, Ds4_Weight:$base, Ds4_Weight:$scale, Ds4_PositiveReal:$eps,
                       Ds4_PositiveReal:$hc_eps);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = [{
    $streams `,` $fn `,` $base `,` $scale `eps` `(` custom<Real>($eps) `)` `hc_eps` `(` custom<Real>($hc_eps) `)` attr-dict
    `:` functional-type(operands, results)
  }];
}

def Ds4_HcSiteOp : Ds4_CheckedPrimitiveOp<"hc_site",
    "streams [T,4,D], fn [24,4*D], base [24], scale [3], norm [D], y [T,D], previous_post [T,4], previous_comb [T,4,4]"
    " -> [T,4,D], [T,4], [T,4,4], [T,D]", [AttrSizedOperandSegments]> {
  let summary = "all that lies between the outputs of one sub-layer and the input of the next";
  let description = [{
    hc_write of the previous sub-layer's output y, then hc_coefficients, sinkhorn, hc_read and rms_norm for the next one.
    Without `write` the streams are taken, and returned, as they are: the first sub-layer has no other before it.
    Made by `ds4-fuse-hyper-connections`. `comb` lacks its last `deferred` rounds of Sinkhorn, which the site that takes it makes
    before anything else: there `previous_comb` lacks `due` rounds (`ds4-defer-sinkhorn`).
  }];
  let arguments = (ins Ds4_Activation:$streams, Ds4_Weight:$fn, Ds4_Weight:$base, Ds4_Weight:$scale, Ds4_Weight:$norm,
                       Optional<Ds4_Activation>:$y, Optional<Ds4_Activation>:$previous_post,
                       Optional<Ds4_Activation>:$previous_comb, Ds4_PositiveCount:$iterations, Ds4_PositiveReal:$eps,
                       Ds4_PositiveReal:$hc_eps, Ds4_PositiveReal:$norm_eps, OptionalAttr<Ds4_PositiveCount>:$deferred,
                       OptionalAttr<Ds4_PositiveCount>:$due);
  let results = (outs Ds4_Activation:$new_streams, Ds4_Activation:$post, Ds4_Activation:$comb, Ds4_Activation:$x);
  let assemblyFormat = [{
    $streams `,` $fn `,` $base `,` $scale `,` $norm (`write` `(` $y^ `,` $previous_post `,` $previous_comb `)`)?
    `iterations` `(` $iterations `)` `eps` `(` custom<Real>($eps) `)` `hc_eps` `(` custom<Real>($hc_eps) `)`
    `norm_eps` `(` custom<Real>($norm_eps) `)` attr-dict `:` functional-type(operands, results)
  }];
}

#endif
