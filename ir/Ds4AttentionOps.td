// Attention over a sliding window and compressed rows, and the state that it reads.
#ifndef DS4_ATTENTION_OPS_TD
#define DS4_ATTENTION_OPS_TD

include "ir/Ds4OpBase.td"

def Ds4_WindowAppendOp : Ds4_PrimitiveOp<"window_append", "state [s,d], row [T,d], pos -> state"> {
  let summary = "stores the key-value row of each token in slot position mod slots";
  let arguments = (ins Ds4_Window:$state, Ds4_Activation:$row, Index:$pos);
  let results = (outs Ds4_Window:$updated);
  let assemblyFormat = "$state `,` $row `,` $pos attr-dict `:` functional-type(operands, results)";
}

def Ds4_WindowCopyOp : Ds4_CheckedPrimitiveOp<"window_copy", "to [S,d], from [s,d], pos -> to"> {
  let summary = "the rows of the window_size positions before the step, from one ring to another";
  let description = [{
    A chunk of many tokens is read with a ring of its own, which has room for all of them beside the window: it gets the window's
    rows from the sequence's ring, then the chunk's own.
  }];
  let arguments = (ins Ds4_Window:$to, Ds4_Window:$from, Index:$pos, Ds4_PositiveCount:$window_size);
  let results = (outs Ds4_Window:$updated);
  let assemblyFormat = [{
    $to `,` $from `,` $pos `window` `(` $window_size `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Ds4_WindowReadOp : Ds4_CheckedPrimitiveOp<"window_read", "ring [s,w], pos -> [T,$cols]"> {
  let summary = "channels first.. of the row that a ring holds for each token's position";
  let description = [{
    The rows are those of positions pos.., which an earlier step or another function stored: a next-token block reads the streams
    that the model's step left behind.
  }];
  let arguments = (ins Ds4_Window:$ring, Index:$pos, Ds4_Count:$first, Ds4_PositiveCount:$cols);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = [{
    $ring `,` $pos `first` `(` $first `)` `cols` `(` $cols `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Ds4_CompressOp : Ds4_CheckedPrimitiveOp<"compress",
    "open [s,2*W], rows [C,d], kv [T,W], gate [T,W], ape [$ratio,W], norm [d], pos -> open, rows"> {
  let summary = "appends to the open window and stores one pooled row for each window that a token completes";
  let description = [{
    Ratio 4 pools eight source tokens in overlapping windows (W = 2d); ratio 128 pools 128 (W = d). The pooled row is
    normalised, rotated at the window's first position and stored at the window's index.
  }];
  let arguments = (ins Ds4_Open:$open, AnyTypeOf<[Ds4_Compressed, Ds4_Indexer]>:$rows, Ds4_Activation:$kv,
                       Ds4_Activation:$gate, Ds4_Weight:$ape, Ds4_Weight:$norm, Index:$pos, Ds4_PositiveCount:$ratio,
                       Ds4_PositiveReal:$eps, Ds4_RopeAttr:$rope);
  let results = (outs Ds4_Open:$updated_open, AnyTypeOf<[Ds4_Compressed, Ds4_Indexer]>:$updated_rows);
  let assemblyFormat = [{
    $open `,` $rows `,` $kv `,` $gate `,` $ape `,` $norm `,` $pos `ratio` `(` $ratio `)` `eps` `(` custom<Real>($eps) `)`
    `rope` `(` $rope `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Ds4_IndexScoreOp
    : Ds4_PrimitiveOp<"index_score", "q [T,Hi,di], weights [T,Hi], rows [C,di], pos -> [T,R]"> {
  let summary = "score of every compressed row for each token; rows that a token cannot see get -inf";
  let description = [{
    The result has R = (pos + q) floordiv ratio columns; in memory its rows are C, the capacity of the state, apart.
  }];
  let arguments = (ins Ds4_Activation:$q, Ds4_Activation:$weights, Ds4_Indexer:$rows, Index:$pos, Ds4_PositiveCount:$ratio,
                       Ds4_PositiveReal:$scale);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = [{
    $q `,` $weights `,` $rows `,` $pos `ratio` `(` $ratio `)` `scale` `(` custom<Real>($scale) `)` attr-dict
    `:` functional-type(operands, results)
  }];
}

def Ds4_SelectTopKOp : Ds4_PrimitiveOp<"select_top_k", "scores [T,R], pos -> [T,$k] i32"> {
  let summary = "ids of the k best visible rows, ascending, padded with -1; on equal scores the lower id";
  let arguments = (ins Ds4_Activation:$scores, Index:$pos, Ds4_PositiveCount:$k, Ds4_PositiveCount:$ratio);
  let results = (outs Ds4_Ids:$result);
  let assemblyFormat = [{
    $scores `,` $pos `k` `(` $k `)` `ratio` `(` $ratio `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Ds4_AttendOp : Ds4_CheckedPrimitiveOp<"attend",
    "q [T,H,d], window [s,d], sinks [H], pos, rows [C,d], picks [T,K] -> [T,H,d]", [AttrSizedOperandSegments]> {
  let summary = "one softmax over window rows, compressed rows (all visible ones or the picks) and the sink";
  let description = [{
    With `block` the tokens of the step are a block of drafts: each sees the `window_size` rows before the step and all rows
    of the step, later ones too.
  }];
  let arguments = (ins Ds4_Activation:$q, Ds4_Window:$window, Ds4_Weight:$sinks, Index:$pos, Optional<Ds4_Compressed>:$rows,
                       Optional<Ds4_Ids>:$picks, Ds4_PositiveReal:$scale, Ds4_PositiveCount:$window_size, Ds4_Count:$ratio,
                       UnitAttr:$block);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = [{
    $q `,` $window `,` $sinks `,` $pos (`rows` $rows^)? (`picks` $picks^)? `scale` `(` custom<Real>($scale) `)`
    `window` `(` $window_size `)` `ratio` `(` $ratio `)` (`block` $block^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Ds4_MaskedAttentionOp : Ds4_CheckedPrimitiveOp<"masked_attention",
    "q [T,H,d], window [s,d], sinks [H], pos, rows [C,d], picks [T,K] -> [T,H,d]", [AttrSizedOperandSegments]> {
  let summary = "attend and the inverse rotation of its result, in one launch";
  let description = [{
    Which rows a token sees follows from `pos`: the window is a span of positions, visible compressed rows are those of
    complete windows, and picks come in ascending order with padding (-1) at the end. No mask is an operand.
  }];
  let arguments = (ins Ds4_Activation:$q, Ds4_Window:$window, Ds4_Weight:$sinks, Index:$pos, Optional<Ds4_Compressed>:$rows,
                       Optional<Ds4_Ids>:$picks, Ds4_PositiveReal:$scale, Ds4_PositiveCount:$window_size, Ds4_Count:$ratio,
                       Ds4_RopeAttr:$rope);
  let results = (outs Ds4_Activation:$result);
  let assemblyFormat = [{
    $q `,` $window `,` $sinks `,` $pos (`rows` $rows^)? (`picks` $picks^)? `scale` `(` custom<Real>($scale) `)`
    `window` `(` $window_size `)` `ratio` `(` $ratio `)` `rope` `(` $rope `)` attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif
