// ds4.hc_coefficients: the 24 raw coefficients of a sub-layer.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @hc_coefficients
// CHECK: ds4.hc_coefficients %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} eps(1.0e-06) : (tensor<?x4x256xf32>, !ds4.quantized<[24, 1024], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>) -> tensor<?x24xf32>
func.func @hc_coefficients(%s: tensor<?x4x256xf32>, %fn: !ds4.quantized<[24, 1024], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>) {
  %c = ds4.hc_coefficients %s, %fn, %base, %scale eps(1.0e-6) : (tensor<?x4x256xf32>, !ds4.quantized<[24, 1024], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>) -> tensor<?x24xf32>
  return
}

// -----

func.func @fn_of_one_stream(%s: tensor<?x4x256xf32>, %fn: !ds4.quantized<[24, 256], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>) {
  // expected-error @+1 {{operand 'fn' must have shape [24,4*D] = [24, 1024], got [24, 256]}}
  %c = ds4.hc_coefficients %s, %fn, %base, %scale eps(1.0e-6) : (tensor<?x4x256xf32>, !ds4.quantized<[24, 256], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>) -> tensor<?x24xf32>
  return
}

// -----

func.func @three_streams(%s: tensor<?x3x256xf32>, %fn: !ds4.quantized<[24, 1024], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>) {
  // expected-error @+1 {{operand 'streams' must have shape [T,4,D], got [?, 3, 256]}}
  %c = ds4.hc_coefficients %s, %fn, %base, %scale eps(1.0e-6) : (tensor<?x3x256xf32>, !ds4.quantized<[24, 1024], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>) -> tensor<?x24xf32>
  return
}

// -----

func.func @one_scale(%s: tensor<?x4x256xf32>, %fn: !ds4.quantized<[24, 1024], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[1], f32>) {
  // expected-error @+1 {{operand 'scale' must have shape [3], got [1]}}
  %c = ds4.hc_coefficients %s, %fn, %base, %scale eps(1.0e-6) : (tensor<?x4x256xf32>, !ds4.quantized<[24, 1024], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[1], f32>) -> tensor<?x24xf32>
  return
}
