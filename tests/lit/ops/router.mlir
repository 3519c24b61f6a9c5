// ds4.router: the k best experts and their weights.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @router
// CHECK: %ids, %weights = ds4.router %{{.*}}, %{{.*}} k(6) scale(1.5) : (tensor<?x64xf32>, !ds4.quantized<[64], f32>) -> (tensor<?x6xi32>, tensor<?x6xf32>)
func.func @router(%l: tensor<?x64xf32>, %b: !ds4.quantized<[64], f32>) {
  %ids, %weights = ds4.router %l, %b k(6) scale(1.5) : (tensor<?x64xf32>, !ds4.quantized<[64], f32>) -> (tensor<?x6xi32>, tensor<?x6xf32>)
  return
}

// -----

func.func @bias_of_other_experts(%l: tensor<?x64xf32>, %b: !ds4.quantized<[32], f32>) {
  // expected-error @+1 {{operand 'bias' must have shape [E] = [64], got [32]}}
  %ids, %weights = ds4.router %l, %b k(6) scale(1.5) : (tensor<?x64xf32>, !ds4.quantized<[32], f32>) -> (tensor<?x6xi32>, tensor<?x6xf32>)
  return
}

// -----

func.func @more_than_all(%l: tensor<?x4xf32>, %b: !ds4.quantized<[4], f32>) {
  // expected-error @+1 {{k must be at most the number of experts 4, got 6}}
  %ids, %weights = ds4.router %l, %b k(6) scale(1.5) : (tensor<?x4xf32>, !ds4.quantized<[4], f32>) -> (tensor<?x6xi32>, tensor<?x6xf32>)
  return
}

// -----

func.func @fewer_weights(%l: tensor<?x64xf32>, %b: !ds4.quantized<[64], f32>) {
  // expected-error @+1 {{result #1 must be 'tensor<?x6xf32>', got 'tensor<?x5xf32>'}}
  %ids, %weights = ds4.router %l, %b k(6) scale(1.5) : (tensor<?x64xf32>, !ds4.quantized<[64], f32>) -> (tensor<?x6xi32>, tensor<?x5xf32>)
  return
}
