// ds4.grouped_expert_linear: the slots of an expert meet its matrix together.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

!w = !ds4.quantized<[64, 128, 256], q8_0>

// CHECK-LABEL: @input_of_the_token
// CHECK: ds4.grouped_expert_linear %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x256xf32>, tensor<?x6xi32>, tensor<65xi32>, !ds4.quantized<[64, 128, 256], q8_0>) -> tensor<?x6x128xf32>
func.func @input_of_the_token(%x: tensor<?x256xf32>, %order: tensor<?x6xi32>, %starts: tensor<65xi32>, %w: !w) {
  %y = ds4.grouped_expert_linear %x, %order, %starts, %w : (tensor<?x256xf32>, tensor<?x6xi32>, tensor<65xi32>, !w) -> tensor<?x6x128xf32>
  return
}

// -----

!w = !ds4.quantized<[64, 128, 256], q8_0>

// CHECK-LABEL: @input_per_slot
// CHECK: ds4.grouped_expert_linear
func.func @input_per_slot(%x: tensor<?x6x256xf32>, %order: tensor<?x6xi32>, %starts: tensor<65xi32>, %w: !w) {
  %y = ds4.grouped_expert_linear %x, %order, %starts, %w : (tensor<?x6x256xf32>, tensor<?x6xi32>, tensor<65xi32>, !w) -> tensor<?x6x128xf32>
  return
}

// -----

!w = !ds4.quantized<[64, 128, 256], q8_0>

func.func @starts_of_other_experts(%x: tensor<?x256xf32>, %order: tensor<?x6xi32>, %starts: tensor<64xi32>, %w: !w) {
  // expected-error @+1 {{operand 'starts' must have 65 elements for 64 experts, got 64}}
  %y = ds4.grouped_expert_linear %x, %order, %starts, %w : (tensor<?x256xf32>, tensor<?x6xi32>, tensor<64xi32>, !w) -> tensor<?x6x128xf32>
  return
}

// -----

!w = !ds4.quantized<[64, 128, 256], q8_0>

func.func @inputs_of_other_slots(%x: tensor<?x4x256xf32>, %order: tensor<?x6xi32>, %starts: tensor<65xi32>, %w: !w) {
  // expected-error @+1 {{operand 'x' must have shape [T,K] or [T,U,K] with U = 6, got 'tensor<?x4x256xf32>'}}
  %y = ds4.grouped_expert_linear %x, %order, %starts, %w : (tensor<?x4x256xf32>, tensor<?x6xi32>, tensor<65xi32>, !w) -> tensor<?x6x128xf32>
  return
}
