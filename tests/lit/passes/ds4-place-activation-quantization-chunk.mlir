// ds4-place-activation-quantization with chunk=true: rows are scaled and rounded once for all products of their width.
// RUN: ds4-opt --pass-pipeline='builtin.module(func.func(ds4-place-activation-quantization{chunk=true}))' %s | FileCheck %s
// RUN: ds4-opt --pass-pipeline='builtin.module(func.func(ds4-place-activation-quantization{chunk=true}),ds4-outline-kernels{chunk=true})' %s | FileCheck %s --check-prefix=LAUNCH

!x = tensor<?x256xf32>
!w = !ds4.quantized<[1024, 256], q8_0>

// CHECK-LABEL: @products_of_one_value
// CHECK: %[[H:.*]], %[[S:.*]] = ds4.scale_to_half %{{.*}} : (tensor<?x256xf32>) -> (tensor<?x256xf16>, tensor<?xf32>)
// CHECK-NOT: scale_to_half
// CHECK: ds4.linear %[[H]], %{{.*}} scales(%[[S]]) {ds4.activations = "producer"}
// CHECK: ds4.linear %[[H]], %{{.*}} scales(%[[S]]) {ds4.activations = "producer"}
// LAUNCH: ds4.launch @ds4_scale_to_half_r1_n256
// LAUNCH-COUNT-2: ds4.launch @ds4_linear_q8_0_n1024_k256_chunk_halves
func.func @products_of_one_value(%x: !x, %a: !w, %b: !w) -> (tensor<?x1024xf32>, tensor<?x1024xf32>) {
  %p = ds4.linear %x, %a : (!x, !w) -> tensor<?x1024xf32>
  %q = ds4.linear %x, %b : (!x, !w) -> tensor<?x1024xf32>
  return %p, %q : tensor<?x1024xf32>, tensor<?x1024xf32>
}

// Groups of columns have scales of their own.
// CHECK-LABEL: @groups
// CHECK: %[[G:.*]] = ds4.reshape %{{.*}} : tensor<?x256xf32> -> tensor<?x4x64xf32>
// CHECK: %[[H:.*]], %[[S:.*]] = ds4.scale_to_half %[[G]] : (tensor<?x4x64xf32>) -> (tensor<?x4x64xf16>, tensor<?x4xf32>)
// CHECK: %[[F:.*]] = ds4.reshape %[[H]] : tensor<?x4x64xf16> -> tensor<?x256xf16>
// CHECK: ds4.grouped_linear %[[F]], %{{.*}} scales(%[[S]]) groups(4)
// LAUNCH: ds4.launch @ds4_scale_to_half_r4_n64
// LAUNCH: ds4.launch @ds4_grouped_linear_q8_0_g4_n16_k64_chunk_halves
func.func @groups(%x: !x, %w: !ds4.quantized<[64, 64], q8_0>) -> tensor<?x64xf32> {
  %y = ds4.grouped_linear %x, %w groups(4) : (!x, !ds4.quantized<[64, 64], q8_0>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// The products of experts read rows of tokens, or of slots.
// CHECK-LABEL: @experts
// CHECK: ds4.scale_to_half %{{.*}} : (tensor<?x256xf32>) -> (tensor<?x256xf16>, tensor<?xf32>)
// CHECK: ds4.grouped_expert_linear %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} scales(%{{.*}}) {ds4.activations = "producer"}
// CHECK: ds4.scale_to_half %{{.*}} : (tensor<?x6x128xf32>) -> (tensor<?x6x128xf16>, tensor<?x6xf32>)
// LAUNCH: ds4.launch @ds4_grouped_expert_linear_q8_0_e16_u6_n128_k256_halves
// LAUNCH: ds4.launch @ds4_scale_to_half_r6_n128
// LAUNCH: ds4.launch @ds4_grouped_expert_linear_q8_0_e16_u6_n256_k128_slots_halves
func.func @experts(%x: !x, %order: tensor<?x6xi32>, %starts: tensor<17xi32>, %gate: !ds4.quantized<[16, 128, 256], q8_0>, %down: !ds4.quantized<[16, 256, 128], q8_0>) -> tensor<?x6x256xf32> {
  %g = ds4.grouped_expert_linear %x, %order, %starts, %gate : (!x, tensor<?x6xi32>, tensor<17xi32>, !ds4.quantized<[16, 128, 256], q8_0>) -> tensor<?x6x128xf32>
  %d = ds4.grouped_expert_linear %g, %order, %starts, %down : (tensor<?x6x128xf32>, tensor<?x6xi32>, tensor<17xi32>, !ds4.quantized<[16, 256, 128], q8_0>) -> tensor<?x6x256xf32>
  return %d : tensor<?x6x256xf32>
}

// Weights in half precision want activations to 22 bits, those in single precision have no such kernel.
// CHECK-LABEL: @exact
// CHECK-NOT: scale_to_half
// CHECK: return
func.func @exact(%x: !x, %a: !ds4.quantized<[32, 256], f16>, %b: !ds4.quantized<[32, 256], f32>) -> (tensor<?x32xf32>, tensor<?x32xf32>) {
  %p = ds4.linear %x, %a : (!x, !ds4.quantized<[32, 256], f16>) -> tensor<?x32xf32>
  %q = ds4.linear %x, %b : (!x, !ds4.quantized<[32, 256], f32>) -> tensor<?x32xf32>
  return %p, %q : tensor<?x32xf32>, tensor<?x32xf32>
}

// Rows too long for a workgroup's registers are rounded by the product's own workgroups.
// CHECK-LABEL: @long_rows
// CHECK-NOT: scale_to_half
// CHECK: return
func.func @long_rows(%x: tensor<?x32768xf32>, %w: !ds4.quantized<[32, 32768], q8_0>) -> tensor<?x32xf32> {
  %y = ds4.linear %x, %w : (tensor<?x32768xf32>, !ds4.quantized<[32, 32768], q8_0>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
