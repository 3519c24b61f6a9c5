// ds4.moe_route: the experts of each token, and the shared expert's hidden activations.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

!x = tensor<?x256xf32>
!router = !ds4.quantized<[16, 256], f16>
!matrix = !ds4.quantized<[128, 256], q8_0>

// CHECK-LABEL: @learned
// CHECK: %ids, %weights, %hidden = ds4.moe_route %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} bias(%{{.*}}) k(6) scale(1.5) limit(10.0) : (tensor<?x256xf32>, !ds4.quantized<[16, 256], f16>, !ds4.quantized<[128, 256], q8_0>, !ds4.quantized<[128, 256], q8_0>, !ds4.quantized<[16], f32>) -> (tensor<?x6xi32>, tensor<?x6xf32>, tensor<?x128xf32>)
func.func @learned(%x: !x, %r: !router, %g: !matrix, %u: !matrix, %b: !ds4.quantized<[16], f32>) {
  %i, %w, %h = ds4.moe_route %x, %r, %g, %u bias(%b) k(6) scale(1.5) limit(10.0) : (!x, !router, !matrix, !matrix, !ds4.quantized<[16], f32>) -> (tensor<?x6xi32>, tensor<?x6xf32>, tensor<?x128xf32>)
  return
}

// CHECK-LABEL: @hashed
// CHECK: ds4.moe_route %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} hashed(%{{.*}}, %{{.*}}) k(6)
func.func @hashed(%x: !x, %r: !router, %g: !matrix, %u: !matrix, %t: tensor<?xi32>, %table: !ds4.quantized<[50, 6], i32>) {
  %i, %w, %h = ds4.moe_route %x, %r, %g, %u hashed(%t, %table) k(6) scale(1.5) limit(10.0) : (!x, !router, !matrix, !matrix, tensor<?xi32>, !ds4.quantized<[50, 6], i32>) -> (tensor<?x6xi32>, tensor<?x6xf32>, tensor<?x128xf32>)
  return
}

// -----

func.func @no_choice(%x: tensor<?x256xf32>, %r: !ds4.quantized<[16, 256], f16>, %g: !ds4.quantized<[128, 256], q8_0>) {
  // expected-error @+1 {{experts are chosen either by 'bias' or by 'tokens' and 'table'}}
  %i, %w, %h = ds4.moe_route %x, %r, %g, %g k(6) scale(1.5) limit(10.0) : (tensor<?x256xf32>, !ds4.quantized<[16, 256], f16>, !ds4.quantized<[128, 256], q8_0>, !ds4.quantized<[128, 256], q8_0>) -> (tensor<?x6xi32>, tensor<?x6xf32>, tensor<?x128xf32>)
  return
}

// -----

func.func @more_than_there_are(%x: tensor<?x256xf32>, %r: !ds4.quantized<[4, 256], f16>, %g: !ds4.quantized<[128, 256], q8_0>, %b: !ds4.quantized<[4], f32>) {
  // expected-error @+1 {{k must be at most the number of experts 4, got 6}}
  %i, %w, %h = ds4.moe_route %x, %r, %g, %g bias(%b) k(6) scale(1.5) limit(10.0) : (tensor<?x256xf32>, !ds4.quantized<[4, 256], f16>, !ds4.quantized<[128, 256], q8_0>, !ds4.quantized<[128, 256], q8_0>, !ds4.quantized<[4], f32>) -> (tensor<?x6xi32>, tensor<?x6xf32>, tensor<?x128xf32>)
  return
}

// -----

func.func @table_of_other_slots(%x: tensor<?x256xf32>, %r: !ds4.quantized<[16, 256], f16>, %g: !ds4.quantized<[128, 256], q8_0>, %t: tensor<?xi32>, %table: !ds4.quantized<[50, 4], i32>) {
  // expected-error @+1 {{operand 'table' must have shape [V,$k] = [V, 6], got [50, 4]}}
  %i, %w, %h = ds4.moe_route %x, %r, %g, %g hashed(%t, %table) k(6) scale(1.5) limit(10.0) : (tensor<?x256xf32>, !ds4.quantized<[16, 256], f16>, !ds4.quantized<[128, 256], q8_0>, !ds4.quantized<[128, 256], q8_0>, tensor<?xi32>, !ds4.quantized<[50, 4], i32>) -> (tensor<?x6xi32>, tensor<?x6xf32>, tensor<?x128xf32>)
  return
}
