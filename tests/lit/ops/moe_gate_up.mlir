// ds4.moe_gate_up: the hidden activations of the routed experts.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @slots
// CHECK: ds4.moe_gate_up %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} limit(10.0) : (tensor<?x256xf32>, tensor<?x6xi32>, tensor<?x6xf32>, !ds4.quantized<[16, 128, 256], q8_0>, !ds4.quantized<[16, 128, 256], q8_0>) -> tensor<?x6x128xf32>
func.func @slots(%x: tensor<?x256xf32>, %i: tensor<?x6xi32>, %w: tensor<?x6xf32>, %g: !ds4.quantized<[16, 128, 256], q8_0>) {
  %h = ds4.moe_gate_up %x, %i, %w, %g, %g limit(10.0) : (tensor<?x256xf32>, tensor<?x6xi32>, tensor<?x6xf32>, !ds4.quantized<[16, 128, 256], q8_0>, !ds4.quantized<[16, 128, 256], q8_0>) -> tensor<?x6x128xf32>
  return
}

// -----

func.func @other_rows(%x: tensor<?x256xf32>, %i: tensor<?x6xi32>, %w: tensor<?x6xf32>, %g: !ds4.quantized<[16, 128, 256], q8_0>, %u: !ds4.quantized<[16, 64, 256], q8_0>) {
  // expected-error @+1 {{operand 'up' must have shape [E,N,K] = [16, 128, 256], got [16, 64, 256]}}
  %h = ds4.moe_gate_up %x, %i, %w, %g, %u limit(10.0) : (tensor<?x256xf32>, tensor<?x6xi32>, tensor<?x6xf32>, !ds4.quantized<[16, 128, 256], q8_0>, !ds4.quantized<[16, 64, 256], q8_0>) -> tensor<?x6x128xf32>
  return
}

// -----

func.func @weights_of_other_slots(%x: tensor<?x256xf32>, %i: tensor<?x6xi32>, %w: tensor<?x4xf32>, %g: !ds4.quantized<[16, 128, 256], q8_0>) {
  // expected-error @+1 {{operand 'weights' must have shape [T,U] = [?, 6], got [?, 4]}}
  %h = ds4.moe_gate_up %x, %i, %w, %g, %g limit(10.0) : (tensor<?x256xf32>, tensor<?x6xi32>, tensor<?x4xf32>, !ds4.quantized<[16, 128, 256], q8_0>, !ds4.quantized<[16, 128, 256], q8_0>) -> tensor<?x6x128xf32>
  return
}
