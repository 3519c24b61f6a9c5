// Of a launch's variants exactly one is taken in each step. What is wrong is shown by a step.
// RUN: ds4-opt -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(ds4-check-guards))' %s

#s1 = affine_set<(pos, q) : (512 - (pos + q) floordiv 4 >= 0)>
#s2 = affine_set<(pos, q) : ((pos + q) floordiv 4 - 513 >= 0, 1 - q >= 0)>
#s3 = affine_set<(pos, q) : (pos + q - 2052 >= 0, q - 2 >= 0)>
#grid = affine_map<(pos, q) -> (1, q, 1)>
ds4.kernel @a implements "attend" block(32) vgprs(96) lds(0) source ""
ds4.kernel @b implements "attend" block(32) vgprs(96) lds(0) source ""
ds4.kernel @c implements "attend" block(32) vgprs(96) lds(0) source ""

// Rows that a step sees, and its tokens: three parts that fit together.
func.func @total_and_disjoint(%x: tensor<?x8xf32>) {
  %y = ds4.launch variants [
      #ds4.variant<kernel = @a, grid = #grid, guard = #s1>,
      #ds4.variant<kernel = @b, grid = #grid, guard = #s2>,
      #ds4.variant<kernel = @c, grid = #grid, guard = #s3>
    ] updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %z = ds4.launch @a grid(#grid) updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

#s1 = affine_set<(pos, q) : (511 - pos - q >= 0)>
#s2 = affine_set<(pos, q) : (pos + q - 513 >= 0)>
#s3 = affine_set<(pos, q) : (pos + q - 512 == 0, q - 2 >= 0)>
#grid = affine_map<(pos, q) -> (1, q, 1)>
ds4.kernel @a implements "attend" block(32) vgprs(96) lds(0) source ""
ds4.kernel @b implements "attend" block(32) vgprs(96) lds(0) source ""

func.func @hole(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{guards leave out a step: no variant is for pos = 511, q = 1}}
  %y = ds4.launch variants [
      #ds4.variant<kernel = @a, grid = #grid, guard = #s1>,
      #ds4.variant<kernel = @b, grid = #grid, guard = #s2>,
      #ds4.variant<kernel = @b, grid = #grid, guard = #s3>
    ] updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

#s1 = affine_set<(pos, q) : ((pos + q) mod 4 - 3 >= 0)>
#s2 = affine_set<(pos, q) : (2 - (pos + q) mod 4 >= 0)>
#s3 = affine_set<(pos, q) : (pos - 1048575 >= 0, q - 8 >= 0)>
#grid = affine_map<(pos, q) -> (1, q, 1)>
ds4.kernel @a implements "attend" block(32) vgprs(96) lds(0) source ""
ds4.kernel @b implements "attend" block(32) vgprs(96) lds(0) source ""

func.func @overlap(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{guards overlap: variants 'few' and 'b' are both for pos = 1048575, q = 8}}
  %y = ds4.launch variants [
      #ds4.variant<kernel = @a, grid = #grid, guard = #s1, name = "few">,
      #ds4.variant<kernel = @b, grid = #grid, guard = #s2>,
      #ds4.variant<kernel = @b, grid = #grid, guard = #s3>
    ] updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

// At the ends: q = 8 and the last position count.
#s1 = affine_set<(pos, q) : (7 - q >= 0)>
#grid = affine_map<(pos, q) -> (1, q, 1)>
ds4.kernel @a implements "linear" block(32) vgprs(96) lds(0) source ""

func.func @no_variant_for_eight_tokens(%x: tensor<?x8xf32>) {
  // expected-error-re @+1 {{guards leave out a step: no variant is for pos = {{[0-9]+}}, q = 8}}
  %y = ds4.launch variants [
      #ds4.variant<kernel = @a, grid = #grid, guard = #s1>
    ] updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

// A token's bits must not depend on how many tokens a step has.
#s1 = affine_set<(pos, q) : (1 - q >= 0)>
#s2 = affine_set<(pos, q) : (q - 2 >= 0)>
#grid = affine_map<(pos, q) -> (1, q, 1)>
ds4.kernel @a implements "attend" block(32) vgprs(96) lds(0) source ""
ds4.kernel @b implements "attend" block(32) vgprs(96) lds(0) source ""

func.func @order_of_sums_chosen_by_q(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{variant 'split_kv 2' adds up in another order and is chosen by q}}
  %y = ds4.launch variants [
      #ds4.variant<kernel = @a, grid = #grid, guard = #s1>,
      #ds4.variant<kernel = @b, grid = #grid, guard = #s2, name = "split_kv 2", reassociating = true>
    ] updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}
