// Products of one input share a launch, with what follows from them alone.
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-fuse-projections))' %s | FileCheck %s

!x = tensor<?x64xf32>
!w = !ds4.quantized<[64, 64], q8_0>
!v = !ds4.quantized<[64], f32>
!ring = !ds4.state<window, [136, 64], f16>

// The root whose tails end in a state comes first; weights that stand behind the first root move before the launch.
// CHECK-LABEL: @attention
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>, %[[RING:.*]]: !ds4.state<window, [136, 64], f16>, %[[POS:.*]]: index)
// CHECK: %[[A:.*]] = ds4.weight @a
// CHECK: %[[B:.*]] = ds4.weight @b
// CHECK: %[[N:.*]] = ds4.weight @n
// CHECK: %[[R:.*]]:5 = ds4.shared_launch {
// CHECK-NEXT: %[[KV:.*]] = ds4.linear %[[X]], %[[B]]
// CHECK-NEXT: %[[Q:.*]] = ds4.linear %[[X]], %[[A]]
// CHECK-NEXT: %[[QN:.*]] = ds4.rms_norm %[[Q]], %[[N]]
// CHECK-NEXT: %[[KN:.*]] = ds4.rms_norm %[[KV]], %[[N]]
// CHECK-NEXT: %[[NEW:.*]] = ds4.window_append %[[RING]], %[[KN]], %[[POS]]
// CHECK-NEXT: ds4.yield %[[KV]], %[[Q]], %[[QN]], %[[KN]], %[[NEW]]
// CHECK-NEXT: } {ds4.names = ["", "", "", "", ""]}
// CHECK-NEXT: %[[SUM:.*]] = ds4.add %[[R]]#2, %[[R]]#2
// CHECK-NEXT: return %[[SUM]], %[[R]]#4
func.func @attention(%x: !x, %ring: !ring, %pos: index) -> (!x, !ring) {
  %a = ds4.weight @a : !w
  %q = ds4.linear %x, %a : (!x, !w) -> !x
  %n = ds4.weight @n : !v
  %qn = ds4.rms_norm %q, %n eps(1.0e-6) : (!x, !v) -> !x
  %sum = ds4.add %qn, %qn : (!x, !x) -> !x
  %b = ds4.weight @b : !w
  %kv = ds4.linear %x, %b : (!x, !w) -> !x
  %kn = ds4.rms_norm %kv, %n eps(1.0e-6) : (!x, !v) -> !x
  %new = ds4.window_append %ring, %kn, %pos : (!ring, !x, index) -> !ring
  return %sum, %new : !x, !ring
}

// -----

// A tail may look through a reshape; who reads the reshape elsewhere reads one of the launch's result.
// CHECK-LABEL: @heads
// CHECK: %[[R:.*]]:2 = ds4.shared_launch {
// CHECK-NEXT: %[[Y:.*]] = ds4.linear
// CHECK-NEXT: %[[V:.*]] = ds4.reshape %[[Y]]
// CHECK-NEXT: %[[N:.*]] = ds4.head_norm %[[V]]
// CHECK-NEXT: ds4.yield %[[Y]], %[[N]] : tensor<?x64xf32>, tensor<?x4x16xf32>
// CHECK: %[[OUT:.*]] = ds4.reshape %[[R]]#0
// CHECK-NEXT: return %[[R]]#1, %[[OUT]]
func.func @heads(%x: tensor<?x64xf32>, %w: !ds4.quantized<[64, 64], q8_0>) -> (tensor<?x4x16xf32>, tensor<?x4x16xf32>) {
  %y = ds4.linear %x, %w : (tensor<?x64xf32>, !ds4.quantized<[64, 64], q8_0>) -> tensor<?x64xf32>
  %v = ds4.reshape %y : tensor<?x64xf32> -> tensor<?x4x16xf32>
  %n = ds4.head_norm %v eps(1.0e-6) : (tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  return %n, %v : tensor<?x4x16xf32>, tensor<?x4x16xf32>
}

// -----

// One product alone; a norm that needs what is made behind the product; a product of another input.
// CHECK-LABEL: @left
// CHECK-NOT: ds4.shared_launch
func.func @left(%x: tensor<?x64xf32>, %w: !ds4.quantized<[64, 64], q8_0>, %v: !ds4.quantized<[64], f32>) -> tensor<?x64xf32> {
  %y = ds4.linear %x, %w : (tensor<?x64xf32>, !ds4.quantized<[64, 64], q8_0>) -> tensor<?x64xf32>
  %s = ds4.add %y, %x : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %n = ds4.rms_norm %s, %v eps(1.0e-6) : (tensor<?x64xf32>, !ds4.quantized<[64], f32>) -> tensor<?x64xf32>
  %z = ds4.linear %n, %w : (tensor<?x64xf32>, !ds4.quantized<[64, 64], q8_0>) -> tensor<?x64xf32>
  return %z : tensor<?x64xf32>
}
