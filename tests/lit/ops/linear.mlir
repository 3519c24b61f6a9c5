// ds4.linear: y = x W^T.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @linear
// CHECK: ds4.linear %{{.*}}, %{{.*}} : (tensor<?x256xf32>, !ds4.quantized<[1024, 256], q8_0>) -> tensor<?x1024xf32>
func.func @linear(%x: tensor<?x256xf32>, %w: !ds4.quantized<[1024, 256], q8_0>) {
  %y = ds4.linear %x, %w : (tensor<?x256xf32>, !ds4.quantized<[1024, 256], q8_0>) -> tensor<?x1024xf32>
  return
}

// -----

func.func @rows_of_other_width(%x: tensor<?x256xf32>, %w: !ds4.quantized<[1024, 512], q8_0>) {
  // expected-error @+1 {{operand 'weight' must have shape [N,K] = [N, 256], got [1024, 512]}}
  %y = ds4.linear %x, %w : (tensor<?x256xf32>, !ds4.quantized<[1024, 512], q8_0>) -> tensor<?x1024xf32>
  return
}

// -----

func.func @result_of_other_width(%x: tensor<?x256xf32>, %w: !ds4.quantized<[1024, 256], q8_0>) {
  // expected-error @+1 {{result #0 must be 'tensor<?x1024xf32>', got 'tensor<?x256xf32>'}}
  %y = ds4.linear %x, %w : (tensor<?x256xf32>, !ds4.quantized<[1024, 256], q8_0>) -> tensor<?x256xf32>
  return
}

// -----

func.func @integer_weight(%x: tensor<?x256xf32>, %w: !ds4.quantized<[1024, 256], i32>) {
  // expected-error @+1 {{operand #1 must be weight of a real format, but got '!ds4.quantized<[1024, 256], i32>'}}
  %y = ds4.linear %x, %w : (tensor<?x256xf32>, !ds4.quantized<[1024, 256], i32>) -> tensor<?x1024xf32>
  return
}

// -----

func.func @tensor_as_weight(%x: tensor<?x256xf32>, %w: tensor<1024x256xf32>) {
  // expected-error @+1 {{operand #1 must be weight of a real format, but got 'tensor<1024x256xf32>'}}
  %y = ds4.linear %x, %w : (tensor<?x256xf32>, tensor<1024x256xf32>) -> tensor<?x1024xf32>
  return
}
