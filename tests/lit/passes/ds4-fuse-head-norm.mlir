// A norm of heads that only a rotation reads becomes part of it.
// RUN: ds4-opt --pass-pipeline='builtin.module(func.func(ds4-fuse-head-norm))' %s | FileCheck %s
// RUN: ds4-opt --pass-pipeline='builtin.module(func.func(ds4-fuse-head-norm),ds4-outline-kernels{chunk=true})' %s | FileCheck %s --check-prefix=LAUNCH

#rope = #ds4.rope<dims = 64, base = 1.0e+04>
!q = tensor<?x64x512xf32>

// CHECK-LABEL: @queries
// CHECK-NOT: head_norm
// CHECK: ds4.rope %{{.*}}, %{{.*}} rope({{.*}}) {norm_eps = 9.9999999999999995E-7 : f64}
// LAUNCH-COUNT-1: ds4.launch @ds4_rope_h64_d512_{{.*}}_norm
func.func @queries(%x: !q, %pos: index) -> !q {
  %n = ds4.head_norm %x eps(1.0e-6) : (!q) -> !q
  %y = ds4.rope %n, %pos rope(#rope) : (!q, index) -> !q
  return %y : !q
}

// CHECK-LABEL: @read_beside
// CHECK: ds4.head_norm
// CHECK: ds4.rope
// CHECK-NOT: norm_eps
func.func @read_beside(%x: !q, %pos: index) -> (!q, !q) {
  %n = ds4.head_norm %x eps(1.0e-6) : (!q) -> !q
  %y = ds4.rope %n, %pos rope(#rope) : (!q, index) -> !q
  return %n, %y : !q, !q
}
