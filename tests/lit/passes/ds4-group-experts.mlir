// Products of routed experts by the same ids share one order of their slots.
// RUN: ds4-opt --pass-pipeline='builtin.module(func.func(ds4-group-experts))' %s | FileCheck %s
// RUN: ds4-opt --pass-pipeline='builtin.module(func.func(ds4-group-experts),ds4-outline-kernels{chunk=true})' %s | FileCheck %s --check-prefix=LAUNCH

!in = !ds4.quantized<[16, 128, 256], q8_0>
!out = !ds4.quantized<[16, 256, 128], q8_0>
!plain = !ds4.quantized<[16, 128, 256], f32>

// CHECK-LABEL: @experts
// CHECK: %[[ORDER:.*]], %[[STARTS:.*]] = ds4.group_slots %[[IDS:.*]] experts(16)
// CHECK: %[[G:.*]] = ds4.grouped_expert_linear %{{.*}}, %[[ORDER]], %[[STARTS]]
// CHECK-NOT: group_slots
// CHECK: ds4.grouped_expert_linear %[[G]], %[[ORDER]], %[[STARTS]]
// Weights in single precision have no such kernel.
// CHECK: ds4.expert_linear %{{.*}}, %[[IDS]]
// A tile for each 128 slots, and one that is not full for each expert and for slots of none.
// LAUNCH: affine_map<(d0, d1) -> (1, (d1 * 6) floordiv 128 + 17, 1)>
func.func @experts(%x: tensor<?x256xf32>, %ids: tensor<?x6xi32>, %gate: !in, %down: !out, %plain: !plain) -> (tensor<?x6x256xf32>, tensor<?x6x128xf32>) {
  %g = ds4.expert_linear %x, %ids, %gate : (tensor<?x256xf32>, tensor<?x6xi32>, !in) -> tensor<?x6x128xf32>
  %d = ds4.expert_linear %g, %ids, %down : (tensor<?x6x128xf32>, tensor<?x6xi32>, !out) -> tensor<?x6x256xf32>
  %p = ds4.expert_linear %x, %ids, %plain : (tensor<?x256xf32>, tensor<?x6xi32>, !plain) -> tensor<?x6x128xf32>
  return %d, %p : tensor<?x6x256xf32>, tensor<?x6x128xf32>
}
