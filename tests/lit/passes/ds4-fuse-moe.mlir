// A layer's experts become three ops.
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-fuse-moe))' %s | FileCheck %s

!row = tensor<?x256xf32>
!ids = tensor<?x6xi32>
!weights = tensor<?x6xf32>
!slots = tensor<?x6x128xf32>
!router = !ds4.quantized<[16, 256], f16>
!up = !ds4.quantized<[16, 128, 256], q8_0>
!down = !ds4.quantized<[16, 256, 128], q8_0>
!sup = !ds4.quantized<[128, 256], q8_0>
!sdown = !ds4.quantized<[256, 128], q8_0>

// CHECK-LABEL: @learned
// CHECK-SAME: (%[[X:.*]]: tensor<?x256xf32>, %[[ROUTER:.*]]: !ds4.quantized<[16, 256], f16>, %[[GATE:.*]]: !ds4.quantized<[16, 128, 256], q8_0>, %[[UP:.*]]: !ds4.quantized<[16, 128, 256], q8_0>, %[[DOWN:.*]]: !ds4.quantized<[16, 256, 128], q8_0>, %[[SGATE:.*]]: !ds4.quantized<[128, 256], q8_0>, %[[SUP:.*]]: !ds4.quantized<[128, 256], q8_0>, %[[SDOWN:.*]]: !ds4.quantized<[256, 128], q8_0>, %[[BIAS:.*]]: !ds4.quantized<[16], f32>)
// CHECK-NEXT: %[[IDS:.*]], %[[WEIGHTS:.*]], %[[HS:.*]] = ds4.moe_route %[[X]], %[[ROUTER]], %[[SGATE]], %[[SUP]] bias(%[[BIAS]]) k(6) scale(1.5) limit(7.0) {ds4.names = ["", "#1", ""]}
// CHECK-NEXT: %[[H:.*]] = ds4.moe_gate_up %[[X]], %[[IDS]], %[[WEIGHTS]], %[[GATE]], %[[UP]] limit(10.0)
// CHECK-NEXT: %[[Y:.*]] = ds4.moe_down %[[H]], %[[IDS]], %[[WEIGHTS]], %[[DOWN]], %[[HS]], %[[SDOWN]]
// CHECK-NEXT: return %[[Y]], %[[IDS]]
func.func @learned(%x: !row, %router: !router, %gate: !up, %up: !up, %down: !down, %sgate: !sup, %sup: !sup, %sdown: !sdown, %bias: !ds4.quantized<[16], f32>) -> (!row, !ids) {
  %l = ds4.linear %x, %router : (!row, !router) -> tensor<?x16xf32>
  %ids, %weights = ds4.router %l, %bias k(6) scale(1.5) : (tensor<?x16xf32>, !ds4.quantized<[16], f32>) -> (!ids, !weights)
  %g = ds4.expert_linear %x, %ids, %gate : (!row, !ids, !up) -> !slots
  %u = ds4.expert_linear %x, %ids, %up : (!row, !ids, !up) -> !slots
  %h = ds4.swiglu %g, %u limit(10.0) : (!slots, !slots) -> !slots
  %d = ds4.expert_linear %h, %ids, %down : (!slots, !ids, !down) -> tensor<?x6x256xf32>
  %r = ds4.combine %d, %weights : (tensor<?x6x256xf32>, !weights) -> !row
  %sg = ds4.linear %x, %sgate : (!row, !sup) -> tensor<?x128xf32>
  %su = ds4.linear %x, %sup : (!row, !sup) -> tensor<?x128xf32>
  %hs = ds4.swiglu %sg, %su limit(7.0) : (tensor<?x128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>
  %s = ds4.linear %hs, %sdown : (tensor<?x128xf32>, !sdown) -> !row
  %y = ds4.add %r, %s : (!row, !row) -> !row
  return %y, %ids : !row, !ids
}

// The sum's operands in the other order.
// CHECK-LABEL: @hashed
// CHECK-NEXT: ds4.moe_route %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} hashed(%{{.*}}, %{{.*}}) k(6) scale(1.5) limit(7.0)
// CHECK-NEXT: ds4.moe_gate_up
// CHECK-NEXT: ds4.moe_down
func.func @hashed(%x: !row, %router: !router, %gate: !up, %up: !up, %down: !down, %sgate: !sup, %sup: !sup, %sdown: !sdown, %tokens: tensor<?xi32>, %table: !ds4.quantized<[50, 6], i32>) -> !row {
  %l = ds4.linear %x, %router : (!row, !router) -> tensor<?x16xf32>
  %ids, %weights = ds4.hash_router %l, %tokens, %table scale(1.5) : (tensor<?x16xf32>, tensor<?xi32>, !ds4.quantized<[50, 6], i32>) -> (!ids, !weights)
  %g = ds4.expert_linear %x, %ids, %gate : (!row, !ids, !up) -> !slots
  %u = ds4.expert_linear %x, %ids, %up : (!row, !ids, !up) -> !slots
  %h = ds4.swiglu %g, %u limit(10.0) : (!slots, !slots) -> !slots
  %d = ds4.expert_linear %h, %ids, %down : (!slots, !ids, !down) -> tensor<?x6x256xf32>
  %r = ds4.combine %d, %weights : (tensor<?x6x256xf32>, !weights) -> !row
  %sg = ds4.linear %x, %sgate : (!row, !sup) -> tensor<?x128xf32>
  %su = ds4.linear %x, %sup : (!row, !sup) -> tensor<?x128xf32>
  %hs = ds4.swiglu %sg, %su limit(7.0) : (tensor<?x128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>
  %s = ds4.linear %hs, %sdown : (tensor<?x128xf32>, !sdown) -> !row
  %y = ds4.add %s, %r : (!row, !row) -> !row
  return %y : !row
}

// -----

!row = tensor<?x256xf32>
!ids = tensor<?x6xi32>
!weights = tensor<?x6xf32>
!slots = tensor<?x6x128xf32>
!router = !ds4.quantized<[16, 256], f16>
!up = !ds4.quantized<[16, 128, 256], q8_0>
!down = !ds4.quantized<[16, 256, 128], q8_0>
!sup = !ds4.quantized<[128, 256], q8_0>
!sdown = !ds4.quantized<[256, 128], q8_0>

// The hidden activations have another reader.
// CHECK-LABEL: @read_elsewhere
// CHECK-NOT: ds4.moe_
// CHECK: ds4.add
func.func @read_elsewhere(%x: !row, %router: !router, %gate: !up, %up: !up, %down: !down, %sgate: !sup, %sup: !sup, %sdown: !sdown, %bias: !ds4.quantized<[16], f32>) -> (!row, !slots) {
  %l = ds4.linear %x, %router : (!row, !router) -> tensor<?x16xf32>
  %ids, %weights = ds4.router %l, %bias k(6) scale(1.5) : (tensor<?x16xf32>, !ds4.quantized<[16], f32>) -> (!ids, !weights)
  %g = ds4.expert_linear %x, %ids, %gate : (!row, !ids, !up) -> !slots
  %u = ds4.expert_linear %x, %ids, %up : (!row, !ids, !up) -> !slots
  %h = ds4.swiglu %g, %u limit(10.0) : (!slots, !slots) -> !slots
  %d = ds4.expert_linear %h, %ids, %down : (!slots, !ids, !down) -> tensor<?x6x256xf32>
  %r = ds4.combine %d, %weights : (tensor<?x6x256xf32>, !weights) -> !row
  %sg = ds4.linear %x, %sgate : (!row, !sup) -> tensor<?x128xf32>
  %su = ds4.linear %x, %sup : (!row, !sup) -> tensor<?x128xf32>
  %hs = ds4.swiglu %sg, %su limit(7.0) : (tensor<?x128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>
  %s = ds4.linear %hs, %sdown : (tensor<?x128xf32>, !sdown) -> !row
  %y = ds4.add %r, %s : (!row, !row) -> !row
  return %y, %h : !row, !slots
}

// -----

!row = tensor<?x256xf32>
!ids = tensor<?x6xi32>
!weights = tensor<?x6xf32>
!slots = tensor<?x6x128xf32>
!router = !ds4.quantized<[16, 256], f16>
!up = !ds4.quantized<[16, 128, 256], rocmfp2_mix>
!down = !ds4.quantized<[16, 256, 128], q8_0>
!sup = !ds4.quantized<[128, 256], q8_0>
!sdown = !ds4.quantized<[256, 128], q8_0>

// Products find the levels of a MIX matrix behind its blocks.
// CHECK-LABEL: @mix_experts
// CHECK: ds4.moe_route
// CHECK: ds4.moe_gate_up
// CHECK: ds4.moe_down
// CHECK-NOT: ds4.add
func.func @mix_experts(%x: !row, %router: !router, %gate: !up, %up: !up, %down: !down, %sgate: !sup, %sup: !sup, %sdown: !sdown, %bias: !ds4.quantized<[16], f32>) -> !row {
  %l = ds4.linear %x, %router : (!row, !router) -> tensor<?x16xf32>
  %ids, %weights = ds4.router %l, %bias k(6) scale(1.5) : (tensor<?x16xf32>, !ds4.quantized<[16], f32>) -> (!ids, !weights)
  %g = ds4.expert_linear %x, %ids, %gate : (!row, !ids, !up) -> !slots
  %u = ds4.expert_linear %x, %ids, %up : (!row, !ids, !up) -> !slots
  %h = ds4.swiglu %g, %u limit(10.0) : (!slots, !slots) -> !slots
  %d = ds4.expert_linear %h, %ids, %down : (!slots, !ids, !down) -> tensor<?x6x256xf32>
  %r = ds4.combine %d, %weights : (tensor<?x6x256xf32>, !weights) -> !row
  %sg = ds4.linear %x, %sgate : (!row, !sup) -> tensor<?x128xf32>
  %su = ds4.linear %x, %sup : (!row, !sup) -> tensor<?x128xf32>
  %hs = ds4.swiglu %sg, %su limit(7.0) : (tensor<?x128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>
  %s = ds4.linear %hs, %sdown : (tensor<?x128xf32>, !sdown) -> !row
  %y = ds4.add %r, %s : (!row, !row) -> !row
  return %y : !row
}

// -----

!row = tensor<?x256xf32>
!ids = tensor<?x6xi32>
!weights = tensor<?x6xf32>
!slots = tensor<?x6x128xf32>
!router = !ds4.quantized<[16, 256], rocmfp2_mix>
!up = !ds4.quantized<[16, 128, 256], rocmfp2_mix>
!down = !ds4.quantized<[16, 256, 128], q8_0>
!sup = !ds4.quantized<[128, 256], q8_0>
!sdown = !ds4.quantized<[256, 128], q8_0>

// The router reads its rows in another way, which knows no levels.
// CHECK-LABEL: @mix_router
// CHECK-NOT: ds4.moe_
// CHECK: ds4.add
func.func @mix_router(%x: !row, %router: !router, %gate: !up, %up: !up, %down: !down, %sgate: !sup, %sup: !sup, %sdown: !sdown, %bias: !ds4.quantized<[16], f32>) -> !row {
  %l = ds4.linear %x, %router : (!row, !router) -> tensor<?x16xf32>
  %ids, %weights = ds4.router %l, %bias k(6) scale(1.5) : (tensor<?x16xf32>, !ds4.quantized<[16], f32>) -> (!ids, !weights)
  %g = ds4.expert_linear %x, %ids, %gate : (!row, !ids, !up) -> !slots
  %u = ds4.expert_linear %x, %ids, %up : (!row, !ids, !up) -> !slots
  %h = ds4.swiglu %g, %u limit(10.0) : (!slots, !slots) -> !slots
  %d = ds4.expert_linear %h, %ids, %down : (!slots, !ids, !down) -> tensor<?x6x256xf32>
  %r = ds4.combine %d, %weights : (tensor<?x6x256xf32>, !weights) -> !row
  %sg = ds4.linear %x, %sgate : (!row, !sup) -> tensor<?x128xf32>
  %su = ds4.linear %x, %sup : (!row, !sup) -> tensor<?x128xf32>
  %hs = ds4.swiglu %sg, %su limit(7.0) : (tensor<?x128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>
  %s = ds4.linear %hs, %sdown : (tensor<?x128xf32>, !sdown) -> !row
  %y = ds4.add %r, %s : (!row, !row) -> !row
  return %y : !row
}
