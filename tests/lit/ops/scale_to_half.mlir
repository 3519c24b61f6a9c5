// ds4.scale_to_half: rows of activations in half precision, and their scales.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @of_tokens
// CHECK: %[[H:.*]], %[[S:.*]] = ds4.scale_to_half %{{.*}} : (tensor<?x256xf32>) -> (tensor<?x256xf16>, tensor<?xf32>)
// CHECK: ds4.linear %[[H]], %{{.*}} scales(%[[S]]) : (tensor<?x256xf16>, !ds4.quantized<[1024, 256], q8_0>, tensor<?xf32>) -> tensor<?x1024xf32>
func.func @of_tokens(%x: tensor<?x256xf32>, %w: !ds4.quantized<[1024, 256], q8_0>) {
  %h, %s = ds4.scale_to_half %x : (tensor<?x256xf32>) -> (tensor<?x256xf16>, tensor<?xf32>)
  %y = ds4.linear %h, %w scales(%s) : (tensor<?x256xf16>, !ds4.quantized<[1024, 256], q8_0>, tensor<?xf32>) -> tensor<?x1024xf32>
  return
}

// -----

// CHECK-LABEL: @of_groups
// CHECK: ds4.reshape %{{.*}} : tensor<?x4x64xf16> -> tensor<?x256xf16>
// CHECK: ds4.grouped_linear %{{.*}}, %{{.*}} scales(%{{.*}}) groups(4)
func.func @of_groups(%x: tensor<?x4x64xf32>, %w: !ds4.quantized<[32, 64], q8_0>) {
  %h, %s = ds4.scale_to_half %x : (tensor<?x4x64xf32>) -> (tensor<?x4x64xf16>, tensor<?x4xf32>)
  %f = ds4.reshape %h : tensor<?x4x64xf16> -> tensor<?x256xf16>
  %y = ds4.grouped_linear %f, %w scales(%s) groups(4) : (tensor<?x256xf16>, !ds4.quantized<[32, 64], q8_0>, tensor<?x4xf32>) -> tensor<?x32xf32>
  return
}

// -----

func.func @scales_of_other_rows(%x: tensor<?x256xf32>) {
  // expected-error @+1 {{result #1 must be 'tensor<?xf32>', got 'tensor<?x2xf32>'}}
  %h, %s = ds4.scale_to_half %x : (tensor<?x256xf32>) -> (tensor<?x256xf16>, tensor<?x2xf32>)
  return
}

// -----

func.func @scales_of_floats(%x: tensor<?x256xf32>, %s: tensor<?xf32>, %w: !ds4.quantized<[1024, 256], q8_0>) {
  // expected-error @+1 {{scales are for operand 'x' of halves, got 'tensor<?x256xf32>'}}
  %y = ds4.linear %x, %w scales(%s) : (tensor<?x256xf32>, !ds4.quantized<[1024, 256], q8_0>, tensor<?xf32>) -> tensor<?x1024xf32>
  return
}

// -----

func.func @halves_without_scales(%x: tensor<?x256xf16>, %w: !ds4.quantized<[32, 64], q8_0>) {
  // expected-error @+1 {{operand 'x' of halves needs scales}}
  %y = ds4.grouped_linear %x, %w groups(4) : (tensor<?x256xf16>, !ds4.quantized<[32, 64], q8_0>) -> tensor<?x32xf32>
  return
}
