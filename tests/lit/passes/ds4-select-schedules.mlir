// Products take a kernel of as many columns as a step has tokens; ops that have one kernel stay as they are.
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-select-schedules))' %s | FileCheck %s
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-select-schedules{exact-products=true}))' %s | FileCheck %s --check-prefix=EXACT
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-select-schedules),ds4-outline-kernels,func.func(ds4-check-guards))' %s | FileCheck %s --check-prefix=LAUNCH

// CHECK-DAG: #[[ONE:.*]] = affine_set<(d0, d1) : (d1 - 1 == 0)>
// CHECK-DAG: #[[TWO:.*]] = affine_set<(d0, d1) : (d1 - 2 == 0)>
// CHECK-DAG: #[[FOUR:.*]] = affine_set<(d0, d1) : (d1 - 3 >= 0, -d1 + 4 >= 0)>
// CHECK-DAG: #[[MORE:.*]] = affine_set<(d0, d1) : (d1 - 5 >= 0)>
// CHECK-LABEL: @linear
// CHECK: ds4.linear %{{.*}}, %{{.*}} {ds4.schedules = [
// CHECK-SAME: #ds4.schedule<name = "columns", value = 1, guard = #[[ONE]], reason = "one token: {{[^"]*}}">,
// CHECK-SAME: #ds4.schedule<name = "columns", value = 2, guard = #[[TWO]], reason = "{{[^"]*}}up to 2 tokens">,
// CHECK-SAME: #ds4.schedule<name = "columns", value = 4, guard = #[[FOUR]], reason = "{{[^"]*}}up to 4 tokens">,
// CHECK-SAME: #ds4.schedule<name = "columns", value = 8, guard = #[[MORE]], reason = "{{[^"]*}}up to 8 tokens">]}
// EXACT-NOT: ds4.schedules
// LAUNCH-DAG: #[[GRID8:.*]] = affine_map<(d0, d1) -> (32, (d1 + 7) floordiv 8, 1)>
// LAUNCH-DAG: #[[GRID4:.*]] = affine_map<(d0, d1) -> (32, (d1 + 3) floordiv 4, 1)>
// LAUNCH-LABEL: @linear
// LAUNCH: ds4.launch variants [#ds4.variant<kernel = @ds4_linear_q8_0_n1024_k4096_fast1,
// LAUNCH-SAME: #ds4.variant<kernel = @ds4_linear_q8_0_n1024_k4096_fast2,
// LAUNCH-SAME: #ds4.variant<kernel = @ds4_linear_q8_0_n1024_k4096_fast4, grid = #[[GRID4]], guard = #{{.*}}, name = "columns 4", reason = "{{[^"]*}}">,
// LAUNCH-SAME: #ds4.variant<kernel = @ds4_linear_q8_0_n1024_k4096_fast8, grid = #[[GRID8]], guard = #{{.*}}, name = "columns 8", reason = "{{[^"]*}}">] updates [-1](%{{.*}}) :
func.func @linear(%x: tensor<?x4096xf32>, %w: !ds4.quantized<[1024, 4096], q8_0>) -> tensor<?x1024xf32> {
  %y = ds4.linear %x, %w : (tensor<?x4096xf32>, !ds4.quantized<[1024, 4096], q8_0>) -> tensor<?x1024xf32>
  return %y : tensor<?x1024xf32>
}

// -----

// Activations of long rows fill LDS with one token; a norm has one kernel.
// CHECK-LABEL: @one_schedule
// CHECK-NOT: ds4.schedules
func.func @one_schedule(%x: tensor<?x16384xf32>, %w: !ds4.quantized<[64, 16384], q8_0>, %v: !ds4.quantized<[64], f32>) -> tensor<?x64xf32> {
  %y = ds4.linear %x, %w : (tensor<?x16384xf32>, !ds4.quantized<[64, 16384], q8_0>) -> tensor<?x64xf32>
  %n = ds4.rms_norm %y, %v eps(1.0e-6) : (tensor<?x64xf32>, !ds4.quantized<[64], f32>) -> tensor<?x64xf32>
  return %n : tensor<?x64xf32>
}

// -----

// A shared launch follows its products.
// CHECK-LABEL: @shared
// CHECK: ds4.shared_launch
// CHECK-NOT: ds4.schedules
// CHECK: } {ds4.schedules = [#ds4.schedule<name = "columns", value = 1,{{.*}}value = 2,{{.*}}value = 4,
// LAUNCH-LABEL: @shared
// LAUNCH: ds4.launch variants [{{.*}}scratch = 256,{{.*}}scratch = 256,{{.*}}scratch = 256,{{.*}}] updates [-1, -1](
func.func @shared(%x: tensor<?x4096xf32>, %w: !ds4.quantized<[1024, 4096], rocmfp4>, %v: !ds4.quantized<[1024], f32>) -> tensor<?x1024xf32> {
  %r:2 = ds4.shared_launch {
    %y = ds4.linear %x, %w : (tensor<?x4096xf32>, !ds4.quantized<[1024, 4096], rocmfp4>) -> tensor<?x1024xf32>
    %n = ds4.rms_norm %y, %v eps(1.0e-6) : (tensor<?x1024xf32>, !ds4.quantized<[1024], f32>) -> tensor<?x1024xf32>
    ds4.yield %y, %n : tensor<?x1024xf32>, tensor<?x1024xf32>
  } : tensor<?x1024xf32>, tensor<?x1024xf32>
  return %r#1 : tensor<?x1024xf32>
}
