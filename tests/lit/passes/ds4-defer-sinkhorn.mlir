// RUN: ds4-opt -split-input-file -pass-pipeline='builtin.module(func.func(ds4-defer-sinkhorn))' %s | FileCheck %s

!s = tensor<?x4x256xf32>
!fn = !ds4.quantized<[24, 1024], f16>
!c = !ds4.quantized<[24], f32>
!three = !ds4.quantized<[3], f32>
!norm = !ds4.quantized<[256], f32>

// The last matrix is somebody else's.
// CHECK-LABEL: @chain
// CHECK: ds4.hc_site {{.*}} norm_eps(1.0e-06) {deferred = 10 : i64} :
// CHECK: ds4.hc_site {{.*}} write({{.*}}) {{.*}} norm_eps(1.0e-06) {deferred = 10 : i64, due = 10 : i64} :
// CHECK: ds4.hc_site {{.*}} write({{.*}}) {{.*}} norm_eps(1.0e-06) {due = 10 : i64} :
func.func @chain(%s: !s, %fn: !fn, %base: !c, %scale: !three, %norm: !norm) -> (!s, tensor<?x4x4xf32>) {
  %s1, %p1, %c1, %x1 = ds4.hc_site %s, %fn, %base, %scale, %norm iterations(20) eps(1.0e-6) hc_eps(1.0e-6) norm_eps(1.0e-6) : (!s, !fn, !c, !three, !norm) -> (!s, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x256xf32>)
  %s2, %p2, %c2, %x2 = ds4.hc_site %s1, %fn, %base, %scale, %norm write(%x1, %p1, %c1) iterations(20) eps(1.0e-6) hc_eps(1.0e-6) norm_eps(1.0e-6) : (!s, !fn, !c, !three, !norm, tensor<?x256xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>) -> (!s, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x256xf32>)
  %s3, %p3, %c3, %x3 = ds4.hc_site %s2, %fn, %base, %scale, %norm write(%x2, %p2, %c2) iterations(20) eps(1.0e-6) hc_eps(1.0e-6) norm_eps(1.0e-6) : (!s, !fn, !c, !three, !norm, tensor<?x256xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>) -> (!s, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x256xf32>)
  return %s3, %c3 : !s, tensor<?x4x4xf32>
}

// -----

!s = tensor<?x4x256xf32>
!fn = !ds4.quantized<[24, 1024], f16>
!c = !ds4.quantized<[24], f32>
!three = !ds4.quantized<[3], f32>
!norm = !ds4.quantized<[256], f32>

// Nothing is left of one iteration, and nothing where a write takes the matrix, too.
// CHECK-LABEL: @stays
// CHECK-NOT: deferred
// CHECK-NOT: due
func.func @stays(%s: !s, %fn: !fn, %base: !c, %scale: !three, %norm: !norm) -> (!s, !s) {
  %s1, %p1, %c1, %x1 = ds4.hc_site %s, %fn, %base, %scale, %norm iterations(20) eps(1.0e-6) hc_eps(1.0e-6) norm_eps(1.0e-6) : (!s, !fn, !c, !three, !norm) -> (!s, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x256xf32>)
  %w = ds4.hc_write %x1, %s1, %p1, %c1 : (tensor<?x256xf32>, !s, tensor<?x4xf32>, tensor<?x4x4xf32>) -> !s
  %s2, %p2, %c2, %x2 = ds4.hc_site %s1, %fn, %base, %scale, %norm write(%x1, %p1, %c1) iterations(1) eps(1.0e-6) hc_eps(1.0e-6) norm_eps(1.0e-6) : (!s, !fn, !c, !three, !norm, tensor<?x256xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>) -> (!s, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x256xf32>)
  %s3, %p3, %c3, %x3 = ds4.hc_site %s2, %fn, %base, %scale, %norm write(%x2, %p2, %c2) iterations(1) eps(1.0e-6) hc_eps(1.0e-6) norm_eps(1.0e-6) : (!s, !fn, !c, !three, !norm, tensor<?x256xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>) -> (!s, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x256xf32>)
  return %w, %s3 : !s, !s
}
