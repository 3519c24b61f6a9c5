// Where the activations of products become halves: once behind the norm that many workgroups read, in each workgroup of few.
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-place-activation-quantization))' %s | FileCheck %s
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-place-activation-quantization{exact-products=true}))' %s | FileCheck %s --check-prefix=EXACT
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-place-activation-quantization,ds4-select-schedules),ds4-outline-kernels,func.func(ds4-check-guards,ds4-plan-memory))' %s | FileCheck %s --check-prefix=LAUNCH

!x = tensor<?x4096xf32>
!c = tensor<?x1024xf32>
!a = !ds4.quantized<[1024, 4096], rocmfp4>
!v = !ds4.quantized<[1024], f32>

// Two products of 40,960 rows in all, one of them beside a product of another input: one conversion for both. A third reader has
// no fast kernel and goes on reading singles. The launch's other results keep their places.
// CHECK-LABEL: @many_readers
// CHECK: %[[R:.*]]:3 = ds4.shared_launch {
// CHECK-NEXT: %[[C:.*]] = ds4.linear %{{.*}}, %{{.*}} {ds4.activations = "workgroup"}
// CHECK-NEXT: %[[N:.*]] = ds4.rms_norm %[[C]]
// CHECK-NEXT: %[[H:.*]] = ds4.to_half %[[N]] : (tensor<?x1024xf32>) -> tensor<?x1024xf16>
// CHECK-NEXT: ds4.yield %[[C]], %[[N]], %[[H]]
// CHECK-NEXT: } {ds4.names = ["q_a", "q_norm", "q_norm.half"]}
// CHECK: ds4.linear %[[R]]#2, %{{.*}} {ds4.activations = "producer"} : (tensor<?x1024xf16>, !ds4.quantized<[32768, 1024], rocmfp4>)
// CHECK: ds4.shared_launch {
// CHECK-NEXT: ds4.linear %[[R]]#2, %{{.*}} {ds4.activations = "producer"} : (tensor<?x1024xf16>, !ds4.quantized<[8192, 1024], q8_0>)
// CHECK-NEXT: ds4.linear %{{.*}}, %{{.*}} {ds4.activations = "workgroup"} : (tensor<?x4096xf32>
// CHECK: ds4.linear %[[R]]#1, %{{.*}} {ds4.activations = "single"} : (tensor<?x1024xf32>, !ds4.quantized<[64, 1024], f16>)
// EXACT-LABEL: @many_readers
// EXACT-NOT: ds4.to_half
// EXACT: ds4.linear %{{.*}}, %{{.*}} {ds4.activations = "single"} : (tensor<?x1024xf32>, !ds4.quantized<[32768, 1024], rocmfp4>)
// LAUNCH-DAG: ds4.kernel @ds4_linear_rocmfp4_n32768_k1024_fast1_halves
// LAUNCH-DAG: ds4.kernel @ds4_linear_rocmfp4_n32768_k1024_fast4_halves
// LAUNCH-LABEL: @many_readers
// LAUNCH: ds4.launch {{.*}} -> (tensor<?x1024xf32>, tensor<?x1024xf32>, tensor<?x1024xf16>)
func.func @many_readers(%x: !x, %a: !a, %v: !v, %b: !ds4.quantized<[32768, 1024], rocmfp4>, %i: !ds4.quantized<[8192, 1024], q8_0>,
                        %w: !ds4.quantized<[64, 1024], f16>) -> (tensor<?x32768xf32>, tensor<?x8192xf32>, tensor<?x64xf32>, !c) {
  %r:2 = ds4.shared_launch {
    %c = ds4.linear %x, %a : (!x, !a) -> !c
    %n = ds4.rms_norm %c, %v eps(1.0e-6) : (!c, !v) -> !c loc("q_norm")
    ds4.yield %c, %n : !c, !c
  } {ds4.names = ["q_a", "q_norm"]} : !c, !c loc("projections")
  %q = ds4.linear %r#1, %b : (!c, !ds4.quantized<[32768, 1024], rocmfp4>) -> tensor<?x32768xf32>
  %s:2 = ds4.shared_launch {
    %k = ds4.linear %r#1, %i : (!c, !ds4.quantized<[8192, 1024], q8_0>) -> tensor<?x8192xf32>
    %o = ds4.linear %x, %a : (!x, !a) -> !c
    ds4.yield %k, %o : tensor<?x8192xf32>, !c
  } : tensor<?x8192xf32>, !c
  %g = ds4.linear %r#1, %w : (!c, !ds4.quantized<[64, 1024], f16>) -> tensor<?x64xf32>
  return %q, %s#0, %g, %s#1 : tensor<?x32768xf32>, tensor<?x8192xf32>, tensor<?x64xf32>, !c
}

// -----

!c = tensor<?x1024xf32>
!a = !ds4.quantized<[1024, 1024], rocmfp4>
!v = !ds4.quantized<[1024], f32>

// Eight workgroups save less than the tail costs.
// CHECK-LABEL: @few_readers
// CHECK-NOT: ds4.to_half
// CHECK: ds4.linear %{{.*}}#1, %{{.*}} {ds4.activations = "workgroup"}
func.func @few_readers(%x: !c, %a: !a, %v: !v) -> !c {
  %r:2 = ds4.shared_launch {
    %c = ds4.linear %x, %a : (!c, !a) -> !c
    %n = ds4.rms_norm %c, %v eps(1.0e-6) : (!c, !v) -> !c
    ds4.yield %c, %n : !c, !c
  } : !c, !c
  %q = ds4.linear %r#1, %a : (!c, !a) -> !c
  return %q : !c
}

// -----

!c = tensor<?x1024xf32>
!b = !ds4.quantized<[32768, 1024], rocmfp4>
!v = !ds4.quantized<[1024], f32>

// A norm with a launch of its own, and activations that no norm bounds.
// CHECK-LABEL: @no_producer
// CHECK-NOT: ds4.to_half
// CHECK: ds4.linear %{{.*}}, %{{.*}} {ds4.activations = "workgroup"}
// CHECK: ds4.grouped_linear {{.*}} {ds4.activations = "workgroup"}
func.func @no_producer(%x: !c, %b: !b, %v: !v) -> (tensor<?x32768xf32>, tensor<?x32768xf32>) {
  %n = ds4.rms_norm %x, %v eps(1.0e-6) : (!c, !v) -> !c
  %q = ds4.linear %n, %b : (!c, !b) -> tensor<?x32768xf32>
  %g = ds4.grouped_linear %x, %b groups(1) : (!c, !b) -> tensor<?x32768xf32>
  return %q, %g : tensor<?x32768xf32>, tensor<?x32768xf32>
}
