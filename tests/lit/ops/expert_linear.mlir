// ds4.expert_linear: each slot's product with the matrix of its expert.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @shared_input
// CHECK: ds4.expert_linear %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x256xf32>, tensor<?x6xi32>, !ds4.quantized<[64, 128, 256], q8_0>) -> tensor<?x6x128xf32>
func.func @shared_input(%x: tensor<?x256xf32>, %ids: tensor<?x6xi32>, %w: !ds4.quantized<[64, 128, 256], q8_0>) {
  %y = ds4.expert_linear %x, %ids, %w : (tensor<?x256xf32>, tensor<?x6xi32>, !ds4.quantized<[64, 128, 256], q8_0>) -> tensor<?x6x128xf32>
  return
}

// -----

// CHECK-LABEL: @input_per_slot
// CHECK: ds4.expert_linear %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x6x256xf32>, tensor<?x6xi32>, !ds4.quantized<[64, 128, 256], q8_0>) -> tensor<?x6x128xf32>
func.func @input_per_slot(%x: tensor<?x6x256xf32>, %ids: tensor<?x6xi32>, %w: !ds4.quantized<[64, 128, 256], q8_0>) {
  %y = ds4.expert_linear %x, %ids, %w : (tensor<?x6x256xf32>, tensor<?x6xi32>, !ds4.quantized<[64, 128, 256], q8_0>) -> tensor<?x6x128xf32>
  return
}

// -----

func.func @inputs_of_other_slots(%x: tensor<?x4x256xf32>, %ids: tensor<?x6xi32>, %w: !ds4.quantized<[64, 128, 256], q8_0>) {
  // expected-error @+1 {{operand 'x' must have shape [T,K] or [T,U,K] with U = 6, got 'tensor<?x4x256xf32>'}}
  %y = ds4.expert_linear %x, %ids, %w : (tensor<?x4x256xf32>, tensor<?x6xi32>, !ds4.quantized<[64, 128, 256], q8_0>) -> tensor<?x6x128xf32>
  return
}

// -----

func.func @one_matrix(%x: tensor<?x256xf32>, %ids: tensor<?x6xi32>, %w: !ds4.quantized<[128, 256], q8_0>) {
  // expected-error @+1 {{operand 'weight' must have shape [E,N,K] = [E, N, 256], got [128, 256]}}
  %y = ds4.expert_linear %x, %ids, %w : (tensor<?x256xf32>, tensor<?x6xi32>, !ds4.quantized<[128, 256], q8_0>) -> tensor<?x6x128xf32>
  return
}

// -----

func.func @rows_of_other_width(%x: tensor<?x256xf32>, %ids: tensor<?x6xi32>, %w: !ds4.quantized<[64, 128, 512], q8_0>) {
  // expected-error @+1 {{operand 'weight' must have shape [E,N,K] = [E, N, 256], got [64, 128, 512]}}
  %y = ds4.expert_linear %x, %ids, %w : (tensor<?x256xf32>, tensor<?x6xi32>, !ds4.quantized<[64, 128, 512], q8_0>) -> tensor<?x6x128xf32>
  return
}

// -----

func.func @sums_slots(%x: tensor<?x256xf32>, %ids: tensor<?x6xi32>, %w: !ds4.quantized<[64, 128, 256], q8_0>) {
  // expected-error @+1 {{result #0 must be 'tensor<?x6x128xf32>', got 'tensor<?x128xf32>'}}
  %y = ds4.expert_linear %x, %ids, %w : (tensor<?x256xf32>, tensor<?x6xi32>, !ds4.quantized<[64, 128, 256], q8_0>) -> tensor<?x128xf32>
  return
}
