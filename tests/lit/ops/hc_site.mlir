// ds4.hc_site: write of one sub-layer's output, read for the next.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @first
// CHECK: %new_streams, %post, %comb, %x = ds4.hc_site %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} iterations(20) eps(1.0e-06) hc_eps(1.0e-05) norm_eps(0.0001) : (tensor<?x4x64xf32>, !ds4.quantized<[24, 256], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>, !ds4.quantized<[64], f32>) -> (tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x64xf32>)
func.func @first(%s: tensor<?x4x64xf32>, %fn: !ds4.quantized<[24, 256], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>, %norm: !ds4.quantized<[64], f32>) {
  %n, %post, %comb, %x = ds4.hc_site %s, %fn, %base, %scale, %norm iterations(20) eps(1.0e-6) hc_eps(1.0e-5) norm_eps(1.0e-4) : (tensor<?x4x64xf32>, !ds4.quantized<[24, 256], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>, !ds4.quantized<[64], f32>) -> (tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x64xf32>)
  return
}

// -----

// CHECK-LABEL: @next
// CHECK: ds4.hc_site %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} write(%{{.*}}, %{{.*}}, %{{.*}}) iterations(20)
func.func @next(%s: tensor<?x4x64xf32>, %fn: !ds4.quantized<[24, 256], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>, %norm: !ds4.quantized<[64], f32>, %y: tensor<?x64xf32>, %p: tensor<?x4xf32>, %c: tensor<?x4x4xf32>) {
  %n, %post, %comb, %x = ds4.hc_site %s, %fn, %base, %scale, %norm write(%y, %p, %c) iterations(20) eps(1.0e-6) hc_eps(1.0e-6) norm_eps(1.0e-6) : (tensor<?x4x64xf32>, !ds4.quantized<[24, 256], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>, !ds4.quantized<[64], f32>, tensor<?x64xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>) -> (tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x64xf32>)
  return
}

// -----

func.func @output_without_coefficients(%s: tensor<?x4x64xf32>, %fn: !ds4.quantized<[24, 256], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>, %norm: !ds4.quantized<[64], f32>, %y: tensor<?x64xf32>) {
  // expected-error @+1 {{operands 'y', 'previous_post' and 'previous_comb' are given together or not at all}}
  %n, %post, %comb, %x = "ds4.hc_site"(%s, %fn, %base, %scale, %norm, %y) {iterations = 20 : i64, eps = 1.0e-6 : f64, hc_eps = 1.0e-6 : f64, norm_eps = 1.0e-6 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0>} : (tensor<?x4x64xf32>, !ds4.quantized<[24, 256], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>, !ds4.quantized<[64], f32>, tensor<?x64xf32>) -> (tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x64xf32>)
  return
}

// -----

func.func @output_of_other_width(%s: tensor<?x4x64xf32>, %fn: !ds4.quantized<[24, 256], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>, %norm: !ds4.quantized<[64], f32>, %y: tensor<?x32xf32>, %p: tensor<?x4xf32>, %c: tensor<?x4x4xf32>) {
  // expected-error @+1 {{operand 'y' must have shape [T,D] = [?, 64], got [?, 32]}}
  %n, %post, %comb, %x = ds4.hc_site %s, %fn, %base, %scale, %norm write(%y, %p, %c) iterations(20) eps(1.0e-6) hc_eps(1.0e-6) norm_eps(1.0e-6) : (tensor<?x4x64xf32>, !ds4.quantized<[24, 256], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>, !ds4.quantized<[64], f32>, tensor<?x32xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>) -> (tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x64xf32>)
  return
}

// -----

// CHECK-LABEL: @leaves_rounds
// CHECK: ds4.hc_site {{.*}} norm_eps(1.0e-06) {deferred = 10 : i64, due = 5 : i64} :
func.func @leaves_rounds(%s: tensor<?x4x64xf32>, %fn: !ds4.quantized<[24, 256], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>, %norm: !ds4.quantized<[64], f32>, %y: tensor<?x64xf32>, %p: tensor<?x4xf32>, %c: tensor<?x4x4xf32>) {
  %n, %post, %comb, %x = ds4.hc_site %s, %fn, %base, %scale, %norm write(%y, %p, %c) iterations(20) eps(1.0e-6) hc_eps(1.0e-6) norm_eps(1.0e-6) {deferred = 10 : i64, due = 5 : i64} : (tensor<?x4x64xf32>, !ds4.quantized<[24, 256], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>, !ds4.quantized<[64], f32>, tensor<?x64xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>) -> (tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x64xf32>)
  return
}

// -----

func.func @leaves_all(%s: tensor<?x4x64xf32>, %fn: !ds4.quantized<[24, 256], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>, %norm: !ds4.quantized<[64], f32>) {
  // expected-error @+1 {{of 20 iterations all but the first can be deferred, got 20}}
  %n, %post, %comb, %x = ds4.hc_site %s, %fn, %base, %scale, %norm iterations(20) eps(1.0e-6) hc_eps(1.0e-6) norm_eps(1.0e-6) {deferred = 20 : i64} : (tensor<?x4x64xf32>, !ds4.quantized<[24, 256], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>, !ds4.quantized<[64], f32>) -> (tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x64xf32>)
  return
}

// -----

func.func @rounds_of_nothing(%s: tensor<?x4x64xf32>, %fn: !ds4.quantized<[24, 256], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>, %norm: !ds4.quantized<[64], f32>) {
  // expected-error @+1 {{rounds are due of operand 'previous_comb', which is not given}}
  %n, %post, %comb, %x = ds4.hc_site %s, %fn, %base, %scale, %norm iterations(20) eps(1.0e-6) hc_eps(1.0e-6) norm_eps(1.0e-6) {due = 5 : i64} : (tensor<?x4x64xf32>, !ds4.quantized<[24, 256], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>, !ds4.quantized<[64], f32>) -> (tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x64xf32>)
  return
}
