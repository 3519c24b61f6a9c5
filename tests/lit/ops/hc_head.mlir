// ds4.hc_head: the streams summed for the output head.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @hc_head
// CHECK: ds4.hc_head %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} eps(1.0e-06) hc_eps(1.0e-05) : (tensor<?x4x256xf32>, !ds4.quantized<[4, 1024], f32>, !ds4.quantized<[4], f32>, !ds4.quantized<[1], f32>) -> tensor<?x256xf32>
func.func @hc_head(%s: tensor<?x4x256xf32>, %fn: !ds4.quantized<[4, 1024], f32>, %base: !ds4.quantized<[4], f32>, %scale: !ds4.quantized<[1], f32>) {
  %y = ds4.hc_head %s, %fn, %base, %scale eps(1.0e-6) hc_eps(1.0e-5) : (tensor<?x4x256xf32>, !ds4.quantized<[4, 1024], f32>, !ds4.quantized<[4], f32>, !ds4.quantized<[1], f32>) -> tensor<?x256xf32>
  return
}

// -----

func.func @fn_of_a_sub_layer(%s: tensor<?x4x256xf32>, %fn: !ds4.quantized<[24, 1024], f32>, %base: !ds4.quantized<[4], f32>, %scale: !ds4.quantized<[1], f32>) {
  // expected-error @+1 {{operand 'fn' must have shape [S,S*D] = [4, 1024], got [24, 1024]}}
  %y = ds4.hc_head %s, %fn, %base, %scale eps(1.0e-6) hc_eps(1.0e-5) : (tensor<?x4x256xf32>, !ds4.quantized<[24, 1024], f32>, !ds4.quantized<[4], f32>, !ds4.quantized<[1], f32>) -> tensor<?x256xf32>
  return
}

// -----

func.func @three_scales(%s: tensor<?x4x256xf32>, %fn: !ds4.quantized<[4, 1024], f32>, %base: !ds4.quantized<[4], f32>, %scale: !ds4.quantized<[3], f32>) {
  // expected-error @+1 {{operand 'scale' must have shape [1], got [3]}}
  %y = ds4.hc_head %s, %fn, %base, %scale eps(1.0e-6) hc_eps(1.0e-5) : (tensor<?x4x256xf32>, !ds4.quantized<[4, 1024], f32>, !ds4.quantized<[4], f32>, !ds4.quantized<[3], f32>) -> tensor<?x256xf32>
  return
}

// -----

func.func @hc_eps_is_zero(%s: tensor<?x4x256xf32>, %fn: !ds4.quantized<[4, 1024], f32>, %base: !ds4.quantized<[4], f32>, %scale: !ds4.quantized<[1], f32>) {
  // expected-error @+1 {{attribute 'hc_eps' failed to satisfy constraint}}
  %y = ds4.hc_head %s, %fn, %base, %scale eps(1.0e-6) hc_eps(0.0) : (tensor<?x4x256xf32>, !ds4.quantized<[4, 1024], f32>, !ds4.quantized<[4], f32>, !ds4.quantized<[1], f32>) -> tensor<?x256xf32>
  return
}
