// ds4.launch: one launch of a kernel.
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
// CHECK: ds4.launch @k grid(#{{.*}}) updates [-1] scratch(512)(%{{.*}}) : (tensor<?x8xf32>) -> tensor<?x8xf32>
ds4.kernel @k implements "hc_site" block(32) vgprs(96) lds(0) source ""
func.func @scratch(%x: tensor<?x8xf32>) {
  %y = ds4.launch @k grid(affine_map<(pos, q) -> (1, q, 1)>) updates [-1] scratch(512)(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
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
