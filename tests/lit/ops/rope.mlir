// ds4.rope: rotary embedding of the last channels.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @rope
// CHECK: ds4.rope %{{.*}}, %{{.*}} rope(<dims = 64, base = 10000.0>) : (tensor<?x512xf32>, index) -> tensor<?x512xf32>
// CHECK: ds4.rope %{{.*}}, %{{.*}} rope(<dims = 64, base = 160000.0, factor = 16.0, original = 65536, beta_fast = 32.0, beta_slow = 1.0>) inverse : (tensor<?x8x512xf32>, index) -> tensor<?x8x512xf32>
func.func @rope(%row: tensor<?x512xf32>, %heads: tensor<?x8x512xf32>, %pos: index) {
  %y = ds4.rope %row, %pos rope(<dims = 64, base = 1.0e4>) : (tensor<?x512xf32>, index) -> tensor<?x512xf32>
  %z = ds4.rope %heads, %pos rope(<dims = 64, base = 1.6e5, factor = 16.0, original = 65536, beta_fast = 32.0, beta_slow = 1.0>) inverse : (tensor<?x8x512xf32>, index) -> tensor<?x8x512xf32>
  return
}

// -----

func.func @more_dims_than_channels(%x: tensor<?x32xf32>, %pos: index) {
  // expected-error @+1 {{rope turns 64 channels of rows that have 32}}
  %y = ds4.rope %x, %pos rope(<dims = 64, base = 1.0e4>) : (tensor<?x32xf32>, index) -> tensor<?x32xf32>
  return
}

// -----

func.func @rank_of_four(%x: tensor<?x2x2x64xf32>, %pos: index) {
  // expected-error @+1 {{operand 'x' must have shape [T,d] or [T,H,d], got rank 4}}
  %y = ds4.rope %x, %pos rope(<dims = 64, base = 1.0e4>) : (tensor<?x2x2x64xf32>, index) -> tensor<?x2x2x64xf32>
  return
}

// -----

func.func @other_result(%x: tensor<?x8x64xf32>, %pos: index) {
  // expected-error @+1 {{result #0 must be 'tensor<?x8x64xf32>', got 'tensor<?x64xf32>'}}
  %y = ds4.rope %x, %pos rope(<dims = 64, base = 1.0e4>) : (tensor<?x8x64xf32>, index) -> tensor<?x64xf32>
  return
}

// -----

// CHECK-LABEL: @normed
// CHECK: ds4.rope %{{.*}}, %{{.*}} rope({{.*}}) {norm_eps = 5.000000e-01 : f64}
func.func @normed(%heads: tensor<?x8x512xf32>, %pos: index) {
  %y = ds4.rope %heads, %pos rope(<dims = 64, base = 1.0e4>) {norm_eps = 0.5} : (tensor<?x8x512xf32>, index) -> tensor<?x8x512xf32>
  return
}

// -----

func.func @negative_eps(%heads: tensor<?x8x512xf32>, %pos: index) {
  // expected-error @+1 {{attribute 'norm_eps' failed to satisfy constraint: 64-bit float attribute whose value is positive}}
  %y = ds4.rope %heads, %pos rope(<dims = 64, base = 1.0e4>) {norm_eps = -0.5} : (tensor<?x8x512xf32>, index) -> tensor<?x8x512xf32>
  return
}
