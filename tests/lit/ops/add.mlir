// ds4.add: a + b.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @add
// CHECK: ds4.add %{{.*}}, %{{.*}} : (tensor<?x4x8xf32>, tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
func.func @add(%a: tensor<?x4x8xf32>, %b: tensor<?x4x8xf32>) {
  %y = ds4.add %a, %b : (tensor<?x4x8xf32>, tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  return
}

// -----

func.func @other_shapes(%a: tensor<?x32xf32>, %b: tensor<?x4x8xf32>) {
  // expected-error @+1 {{operand 'b' must have shape [...] = [?, 32], got [?, 4, 8]}}
  %y = ds4.add %a, %b : (tensor<?x32xf32>, tensor<?x4x8xf32>) -> tensor<?x32xf32>
  return
}

// -----

func.func @integers(%a: tensor<?x32xi32>, %b: tensor<?x32xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 32-bit float values}}
  %y = ds4.add %a, %b : (tensor<?x32xi32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  return
}
