// Scores and the selection among them share a launch, where one workgroup can select.
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-fuse-indexer))' %s | FileCheck %s
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-fuse-indexer),ds4-outline-kernels)' %s | FileCheck %s --check-prefix=LAUNCH

!q = tensor<?x64x128xf32>
!rows = !ds4.state<indexer, [8192, 128], f16>

// CHECK-LABEL: @indexer
// CHECK: %[[R:.*]]:2 = ds4.shared_launch {
// CHECK-NEXT: %[[S:.*]] = ds4.index_score
// CHECK-NEXT: %[[P:.*]] = ds4.select_top_k %[[S]]
// CHECK-NEXT: ds4.yield %[[S]], %[[P]]
// CHECK: return %[[R]]#1
// As many workgroups as rows want, which all arrive.
// LAUNCH: #[[GRID:.*]] = affine_map<(d0, d1) -> (((d0 + d1) floordiv 4) floordiv 256 + 1, d1, 1)>
// LAUNCH: ds4::arrivesLast({{.*}}, step->q * ((((step->pos + step->q) / 4) / 256) + 1))
// LAUNCH-LABEL: @indexer
// LAUNCH: ds4.launch @ds4_shared_launch_{{[0-9a-f]+}} grid(#[[GRID]]) scratch(256)
func.func @indexer(%q: !q, %w: tensor<?x64xf32>, %r: !rows, %pos: index) -> tensor<?x512xi32> {
  %s = ds4.index_score %q, %w, %r, %pos ratio(4) scale(0.01) : (!q, tensor<?x64xf32>, !rows, index) -> tensor<?x?xf32>
  %p = ds4.select_top_k %s, %pos k(512) ratio(4) : (tensor<?x?xf32>, index) -> tensor<?x512xi32>
  return %p : tensor<?x512xi32>
}

// -----

!q = tensor<?x64x128xf32>
!rows = !ds4.state<indexer, [262144, 128], f16>

// CHECK-LABEL: @many_rows
// CHECK-NOT: ds4.shared_launch
func.func @many_rows(%q: !q, %w: tensor<?x64xf32>, %r: !rows, %pos: index) -> tensor<?x512xi32> {
  %s = ds4.index_score %q, %w, %r, %pos ratio(4) scale(0.01) : (!q, tensor<?x64xf32>, !rows, index) -> tensor<?x?xf32>
  %p = ds4.select_top_k %s, %pos k(512) ratio(4) : (tensor<?x?xf32>, index) -> tensor<?x512xi32>
  return %p : tensor<?x512xi32>
}

// -----

!q = tensor<?x64x128xf32>
!rows = !ds4.state<indexer, [8192, 128], f32>

// CHECK-LABEL: @single_precision
// CHECK-NOT: ds4.shared_launch
func.func @single_precision(%q: !q, %w: tensor<?x64xf32>, %r: !rows, %pos: index) -> tensor<?x512xi32> {
  %s = ds4.index_score %q, %w, %r, %pos ratio(4) scale(0.01) : (!q, tensor<?x64xf32>, !rows, index) -> tensor<?x?xf32>
  %p = ds4.select_top_k %s, %pos k(512) ratio(4) : (tensor<?x?xf32>, index) -> tensor<?x512xi32>
  return %p : tensor<?x512xi32>
}
