// ds4.to_half: activations of products in half precision.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @to_half
// CHECK: %[[H:.*]] = ds4.to_half %{{.*}} : (tensor<?x256xf32>) -> tensor<?x256xf16>
// CHECK: ds4.linear %[[H]], %{{.*}} : (tensor<?x256xf16>, !ds4.quantized<[1024, 256], q8_0>) -> tensor<?x1024xf32>
func.func @to_half(%x: tensor<?x256xf32>, %w: !ds4.quantized<[1024, 256], q8_0>) {
  %h = ds4.to_half %x : (tensor<?x256xf32>) -> tensor<?x256xf16>
  %y = ds4.linear %h, %w : (tensor<?x256xf16>, !ds4.quantized<[1024, 256], q8_0>) -> tensor<?x1024xf32>
  return
}

// -----

func.func @of_singles(%x: tensor<?x256xf32>) {
  // expected-error @+1 {{result #0 must be ranked tensor of 16-bit float values, but got 'tensor<?x256xf32>'}}
  %h = ds4.to_half %x : (tensor<?x256xf32>) -> tensor<?x256xf32>
  return
}

// -----

func.func @twice(%x: tensor<?x256xf16>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 32-bit float values, but got 'tensor<?x256xf16>'}}
  %h = ds4.to_half %x : (tensor<?x256xf16>) -> tensor<?x256xf16>
  return
}
