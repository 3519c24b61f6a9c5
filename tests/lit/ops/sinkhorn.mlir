// ds4.sinkhorn: read weights, write weights and a doubly stochastic mixing matrix.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @sinkhorn
// CHECK: %pre, %post, %comb = ds4.sinkhorn %{{.*}} iterations(20) eps(1.0e-06) : (tensor<?x24xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>)
func.func @sinkhorn(%c: tensor<?x24xf32>) {
  %pre, %post, %comb = ds4.sinkhorn %c iterations(20) eps(1.0e-6) : (tensor<?x24xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>)
  return
}

// -----

func.func @sixteen_coefficients(%c: tensor<?x16xf32>) {
  // expected-error @+1 {{operand 'coefficients' must have shape [T,24], got [?, 16]}}
  %pre, %post, %comb = ds4.sinkhorn %c iterations(20) eps(1.0e-6) : (tensor<?x16xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>)
  return
}

// -----

func.func @flat_matrix(%c: tensor<?x24xf32>) {
  // expected-error @+1 {{result #2 must be 'tensor<?x4x4xf32>', got 'tensor<?x16xf32>'}}
  %pre, %post, %comb = ds4.sinkhorn %c iterations(20) eps(1.0e-6) : (tensor<?x24xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x16xf32>)
  return
}

// -----

func.func @no_iterations(%c: tensor<?x24xf32>) {
  // expected-error @+1 {{attribute 'iterations' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %pre, %post, %comb = ds4.sinkhorn %c iterations(0) eps(1.0e-6) : (tensor<?x24xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>)
  return
}
