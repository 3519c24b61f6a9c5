// What lies between two sub-layers becomes one op.
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-fuse-hyper-connections))' %s | FileCheck %s

!streams = tensor<?x4x128xf32>
!row = tensor<?x128xf32>
!gate = tensor<?x4xf32>
!comb = tensor<?x4x4xf32>

// Two sub-layers: the first has no write before it, the last write has no site behind it.
// CHECK-LABEL: @two
// CHECK-SAME: (%[[S:.*]]: tensor<?x4x128xf32>, %[[FN:.*]]: !ds4.quantized<[24, 512], f16>, %[[BASE:.*]]: !ds4.quantized<[24], f32>, %[[SCALE:.*]]: !ds4.quantized<[3], f32>, %[[NORM:.*]]: !ds4.quantized<[128], f32>)
// CHECK-NEXT: %[[S1:.*]], %[[POST:.*]], %[[COMB:.*]], %[[X:.*]] = ds4.hc_site %[[S]], %[[FN]], %[[BASE]], %[[SCALE]], %[[NORM]] iterations(20) eps(1.0e-06) hc_eps(1.0e-05) norm_eps(0.0001) {ds4.names = ["hc_site", "#1", "#2", ""]}
// CHECK-NEXT: %[[Y:.*]] = ds4.add %[[X]], %[[X]]
// CHECK-NEXT: %[[S2:.*]], %[[POST2:.*]], %[[COMB2:.*]], %[[X2:.*]] = ds4.hc_site %[[S]], %[[FN]], %[[BASE]], %[[SCALE]], %[[NORM]] write(%[[Y]], %[[POST]], %[[COMB]]) iterations(20)
// CHECK-NEXT: %[[Y2:.*]] = ds4.add %[[X2]], %[[X2]]
// CHECK-NEXT: %[[END:.*]] = ds4.hc_write %[[Y2]], %[[S2]], %[[POST2]], %[[COMB2]]
// CHECK-NEXT: return %[[S2]], %[[END]]
func.func @two(%s: !streams, %fn: !ds4.quantized<[24, 512], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>, %norm: !ds4.quantized<[128], f32>) -> (!streams, !streams) {
  %c = ds4.hc_coefficients %s, %fn, %base, %scale eps(1.0e-6) : (!streams, !ds4.quantized<[24, 512], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>) -> tensor<?x24xf32>
  %pre, %post, %comb = ds4.sinkhorn %c iterations(20) eps(1.0e-5) : (tensor<?x24xf32>) -> (!gate, !gate, !comb)
  %r = ds4.hc_read %s, %pre : (!streams, !gate) -> !row
  %x = ds4.rms_norm %r, %norm eps(1.0e-4) : (!row, !ds4.quantized<[128], f32>) -> !row
  %y = ds4.add %x, %x : (!row, !row) -> !row
  %s1 = ds4.hc_write %y, %s, %post, %comb : (!row, !streams, !gate, !comb) -> !streams
  %c1 = ds4.hc_coefficients %s1, %fn, %base, %scale eps(1.0e-6) : (!streams, !ds4.quantized<[24, 512], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>) -> tensor<?x24xf32>
  %pre1, %post1, %comb1 = ds4.sinkhorn %c1 iterations(20) eps(1.0e-5) : (tensor<?x24xf32>) -> (!gate, !gate, !comb)
  %r1 = ds4.hc_read %s1, %pre1 : (!streams, !gate) -> !row
  %x1 = ds4.rms_norm %r1, %norm eps(1.0e-4) : (!row, !ds4.quantized<[128], f32>) -> !row
  %y1 = ds4.add %x1, %x1 : (!row, !row) -> !row
  %s2 = ds4.hc_write %y1, %s1, %post1, %comb1 : (!row, !streams, !gate, !comb) -> !streams
  return %s1, %s2 : !streams, !streams
}

// -----

// The sum before the norm has another reader.
// CHECK-LABEL: @read_elsewhere
// CHECK-NOT: ds4.hc_site
// CHECK: ds4.rms_norm
func.func @read_elsewhere(%s: tensor<?x4x128xf32>, %fn: !ds4.quantized<[24, 512], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>, %norm: !ds4.quantized<[128], f32>) -> (tensor<?x128xf32>, tensor<?x128xf32>) {
  %c = ds4.hc_coefficients %s, %fn, %base, %scale eps(1.0e-6) : (tensor<?x4x128xf32>, !ds4.quantized<[24, 512], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>) -> tensor<?x24xf32>
  %pre, %post, %comb = ds4.sinkhorn %c iterations(20) eps(1.0e-5) : (tensor<?x24xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>)
  %r = ds4.hc_read %s, %pre : (tensor<?x4x128xf32>, tensor<?x4xf32>) -> tensor<?x128xf32>
  %x = ds4.rms_norm %r, %norm eps(1.0e-4) : (tensor<?x128xf32>, !ds4.quantized<[128], f32>) -> tensor<?x128xf32>
  return %r, %x : tensor<?x128xf32>, tensor<?x128xf32>
}

// -----

// A width that is no whole number of workgroups.
// CHECK-LABEL: @narrow
// CHECK-NOT: ds4.hc_site
// CHECK: ds4.rms_norm
func.func @narrow(%s: tensor<?x4x64xf32>, %fn: !ds4.quantized<[24, 256], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>, %norm: !ds4.quantized<[64], f32>) -> tensor<?x64xf32> {
  %c = ds4.hc_coefficients %s, %fn, %base, %scale eps(1.0e-6) : (tensor<?x4x64xf32>, !ds4.quantized<[24, 256], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>) -> tensor<?x24xf32>
  %pre, %post, %comb = ds4.sinkhorn %c iterations(20) eps(1.0e-5) : (tensor<?x24xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>)
  %r = ds4.hc_read %s, %pre : (tensor<?x4x64xf32>, tensor<?x4xf32>) -> tensor<?x64xf32>
  %x = ds4.rms_norm %r, %norm eps(1.0e-4) : (tensor<?x64xf32>, !ds4.quantized<[64], f32>) -> tensor<?x64xf32>
  return %x : tensor<?x64xf32>
}
