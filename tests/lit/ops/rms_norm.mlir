// ds4.rms_norm: x * rsqrt(mean(x^2) + eps) * weight.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @rms_norm
// CHECK: ds4.rms_norm %{{.*}}, %{{.*}} eps(1.0e-06) : (tensor<?x256xf32>, !ds4.quantized<[256], f32>) -> tensor<?x256xf32>
func.func @rms_norm(%x: tensor<?x256xf32>, %weight: !ds4.quantized<[256], f32>) {
  %y = ds4.rms_norm %x, %weight eps(1.0e-6) : (tensor<?x256xf32>, !ds4.quantized<[256], f32>) -> tensor<?x256xf32>
  return
}

// -----

func.func @weight_of_other_width(%x: tensor<?x256xf32>, %weight: !ds4.quantized<[128], f32>) {
  // expected-error @+1 {{operand 'weight' must have shape [D] = [256], got [128]}}
  %y = ds4.rms_norm %x, %weight eps(1.0e-6) : (tensor<?x256xf32>, !ds4.quantized<[128], f32>) -> tensor<?x256xf32>
  return
}

// -----

func.func @dynamic_width(%x: tensor<?x?xf32>, %weight: !ds4.quantized<[128], f32>) {
  // expected-error @+1 {{operand 'x' must have shape [T,D], got [?, ?]}}
  %y = ds4.rms_norm %x, %weight eps(1.0e-6) : (tensor<?x?xf32>, !ds4.quantized<[128], f32>) -> tensor<?x128xf32>
  return
}

// -----

func.func @eps_is_zero(%x: tensor<?x256xf32>, %weight: !ds4.quantized<[256], f32>) {
  // expected-error @+1 {{attribute 'eps' failed to satisfy constraint: 64-bit float attribute whose value is positive}}
  %y = ds4.rms_norm %x, %weight eps(0.0) : (tensor<?x256xf32>, !ds4.quantized<[256], f32>) -> tensor<?x256xf32>
  return
}

// -----

func.func @half_precision_activation(%x: tensor<?x256xf16>, %weight: !ds4.quantized<[256], f32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 32-bit float values, but got 'tensor<?x256xf16>'}}
  %y = ds4.rms_norm %x, %weight eps(1.0e-6) : (tensor<?x256xf16>, !ds4.quantized<[256], f32>) -> tensor<?x256xf32>
  return
}
