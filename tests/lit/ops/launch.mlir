// ds4.launch: one launch of a kernel, or of one of several.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK: #[[GRID:.*]] = affine_map<(d0, d1) -> ((d0 + d1) floordiv 4, d1, 1)>
ds4.kernel @k implements "window_append" block(32) vgprs(96) lds(0) source ""

// CHECK-LABEL: @launch
// CHECK: ds4.launch @k grid(#[[GRID]]) updates [0, -1](%{{.*}}, %{{.*}}) : (!ds4.state<window, [136, 8], f16>, tensor<?x8xf32>) -> (!ds4.state<window, [136, 8], f16>, tensor<?x8xf32>)
func.func @launch(%s: !ds4.state<window, [136, 8], f16>, %x: tensor<?x8xf32>) {
  %new, %y = ds4.launch @k grid(affine_map<(pos, q) -> ((pos + q) floordiv 4, q, 1)>) updates [0, -1](%s, %x)
    : (!ds4.state<window, [136, 8], f16>, tensor<?x8xf32>) -> (!ds4.state<window, [136, 8], f16>, tensor<?x8xf32>)
  return
}

// -----

// CHECK: ds4.kernel @k
// CHECK-LABEL: @scratch
// CHECK: ds4.launch @k grid(#{{.*}}) scratch(512) updates [-1](%{{.*}}) : (tensor<?x8xf32>) -> tensor<?x8xf32>
ds4.kernel @k implements "hc_site" block(32) vgprs(96) lds(0) source ""
func.func @scratch(%x: tensor<?x8xf32>) {
  %y = ds4.launch @k grid(affine_map<(pos, q) -> (1, q, 1)>) scratch(512) updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

// CHECK: #[[ONE:.*]] = affine_set<(d0, d1) : (d1 - 1 == 0)>
// CHECK-LABEL: @variants
// CHECK: ds4.launch variants [#ds4.variant<kernel = @a, grid = #{{.*}}, guard = #[[ONE]], name = "one">,
// CHECK-SAME: #ds4.variant<kernel = @b, grid = #{{.*}}, scratch = 512, guard = #{{.*}}, name = "several", reason = "weights are read once", reassociating = true>] updates [-1](%{{.*}})
#s1 = affine_set<(pos, q) : (q - 1 == 0)>
#s2 = affine_set<(pos, q) : (q - 2 >= 0)>
ds4.kernel @a implements "linear" block(32) vgprs(96) lds(0) source ""
ds4.kernel @b implements "linear" block(32) vgprs(96) lds(0) source ""
func.func @variants(%x: tensor<?x8xf32>) {
  %y = ds4.launch variants [
      #ds4.variant<kernel = @a, grid = affine_map<(pos, q) -> (1, q, 1)>, guard = #s1, name = "one">,
      #ds4.variant<kernel = @b, grid = affine_map<(pos, q) -> (1, 1, 1)>, scratch = 512, guard = #s2,
                   name = "several", reason = "weights are read once", reassociating = true>
    ] updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

ds4.kernel @a implements "linear" block(32) vgprs(96) lds(0) source ""
func.func @unknown_kernel_of_a_variant(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{no ds4.kernel named @b}}
  %y = ds4.launch variants [
      #ds4.variant<kernel = @a, grid = affine_map<(pos, q) -> (1, q, 1)>>, #ds4.variant<kernel = @b, grid = affine_map<(pos, q) -> (1, q, 1)>>
    ] updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @no_variant(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{must have a variant}}
  %y = ds4.launch variants [] updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @no_list_of_variants(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{expected an array of #ds4.variant, got [1]}}
  %y = ds4.launch variants [1] updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

#s1 = affine_set<(pos, q, r) : (r == 0)>
func.func @guard_of_three_scalars(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{variant: guard must be a set of steps (pos, q), got affine_set<(d0, d1, d2) : (d2 == 0)>}}
  %y = ds4.launch variants [#ds4.variant<kernel = @a, grid = affine_map<(pos, q) -> (1, q, 1)>, guard = #s1>] updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @unknown_kernel(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{no ds4.kernel named @k}}
  %y = ds4.launch @k grid(affine_map<(pos, q) -> (1, q, 1)>) updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @not_a_kernel(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{no ds4.kernel named @not_a_kernel}}
  %y = ds4.launch @not_a_kernel grid(affine_map<(pos, q) -> (1, q, 1)>) updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @grid_of_two(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{grid must be a map (pos, q) -> (x, y, z), got affine_map<(d0, d1) -> (1, d1)>}}
  %y = ds4.launch @k grid(affine_map<(pos, q) -> (1, q)>) updates [-1](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @one_update_missing(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{updates must have one entry for each of the 1 results, got 0}}
  %y = ds4.launch @k grid(affine_map<(pos, q) -> (1, q, 1)>) updates [](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @tensor_updates(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{result #0 is no state and updates nothing: expected -1, got 0}}
  %y = ds4.launch @k grid(affine_map<(pos, q) -> (1, q, 1)>) updates [0](%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @state_from_nowhere(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{result #0 must update one of the 1 operands, got -1}}
  %y = ds4.launch @k grid(affine_map<(pos, q) -> (1, q, 1)>) updates [-1](%x)
    : (tensor<?x8xf32>) -> !ds4.state<window, [136, 8], f16>
  return
}

// -----

func.func @state_of_other_type(%s: !ds4.state<window, [136, 8], f16>) {
  // expected-error @+1 {{result #0 must have the type '!ds4.state<window, [136, 8], f16>' of the operand that it updates, got '!ds4.state<window, [136, 8], f32>'}}
  %y = ds4.launch @k grid(affine_map<(pos, q) -> (1, q, 1)>) updates [0](%s)
    : (!ds4.state<window, [136, 8], f16>) -> !ds4.state<window, [136, 8], f32>
  return
}
