// ds4.moe_down: the output of the routed experts and the shared one.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @sum
// CHECK: ds4.moe_down %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x6x128xf32>, tensor<?x6xi32>, tensor<?x6xf32>, !ds4.quantized<[16, 256, 128], q8_0>, tensor<?x64xf32>, !ds4.quantized<[256, 64], f16>) -> tensor<?x256xf32>
func.func @sum(%h: tensor<?x6x128xf32>, %i: tensor<?x6xi32>, %w: tensor<?x6xf32>, %d: !ds4.quantized<[16, 256, 128], q8_0>, %hs: tensor<?x64xf32>, %s: !ds4.quantized<[256, 64], f16>) {
  %y = ds4.moe_down %h, %i, %w, %d, %hs, %s : (tensor<?x6x128xf32>, tensor<?x6xi32>, tensor<?x6xf32>, !ds4.quantized<[16, 256, 128], q8_0>, tensor<?x64xf32>, !ds4.quantized<[256, 64], f16>) -> tensor<?x256xf32>
  return
}

// -----

func.func @shared_of_other_rows(%h: tensor<?x6x128xf32>, %i: tensor<?x6xi32>, %w: tensor<?x6xf32>, %d: !ds4.quantized<[16, 256, 128], q8_0>, %hs: tensor<?x64xf32>, %s: !ds4.quantized<[128, 64], f16>) {
  // expected-error @+1 {{operand 'shared' must have shape [N,Ks] = [256, 64], got [128, 64]}}
  %y = ds4.moe_down %h, %i, %w, %d, %hs, %s : (tensor<?x6x128xf32>, tensor<?x6xi32>, tensor<?x6xf32>, !ds4.quantized<[16, 256, 128], q8_0>, tensor<?x64xf32>, !ds4.quantized<[128, 64], f16>) -> tensor<?x256xf32>
  return
}
