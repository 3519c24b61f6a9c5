// ds4-select-schedules and ds4-outline-kernels with fine grids: experts of formats that the matrix unit takes have one kernel for all
// steps, others share weights as elsewhere.
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-select-schedules{fine-grids=true}),ds4-outline-kernels{fine-grids=true},func.func(ds4-check-guards))' %s | FileCheck %s
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-select-schedules),ds4-outline-kernels,func.func(ds4-check-guards))' %s | FileCheck %s --check-prefix=COARSE

// CHECK: ds4.kernel @ds4_moe_gate_up_q8_0_{{.*}}_fast_fine
// CHECK-NOT: ds4.kernel
// COARSE: ds4.kernel @ds4_moe_gate_up_q8_0_{{.*}}_fast{{ }}
// COARSE: ds4.kernel @ds4_moe_gate_up_q8_0_{{.*}}_fast4
func.func @quads(%x: tensor<?x1024xf32>, %i: tensor<?x6xi32>, %w: tensor<?x6xf32>, %g: !ds4.quantized<[16, 128, 1024], q8_0>) -> tensor<?x6x128xf32> {
  %h = ds4.moe_gate_up %x, %i, %w, %g, %g limit(10.0) : (tensor<?x1024xf32>, tensor<?x6xi32>, tensor<?x6xf32>, !ds4.quantized<[16, 128, 1024], q8_0>, !ds4.quantized<[16, 128, 1024], q8_0>) -> tensor<?x6x128xf32>
  return %h : tensor<?x6x128xf32>
}

// -----

// CHECK: ds4.kernel @ds4_moe_gate_up_q4_k_{{.*}}_fast_fine
// CHECK: ds4.kernel @ds4_moe_gate_up_q4_k_{{.*}}_fast4
func.func @others(%x: tensor<?x1024xf32>, %i: tensor<?x6xi32>, %w: tensor<?x6xf32>, %g: !ds4.quantized<[16, 128, 1024], q4_k>) -> tensor<?x6x128xf32> {
  %h = ds4.moe_gate_up %x, %i, %w, %g, %g limit(10.0) : (tensor<?x1024xf32>, tensor<?x6xi32>, tensor<?x6xf32>, !ds4.quantized<[16, 128, 1024], q4_k>, !ds4.quantized<[16, 128, 1024], q4_k>) -> tensor<?x6x128xf32>
  return %h : tensor<?x6x128xf32>
}
