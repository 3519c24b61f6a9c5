// ds4.swiglu: the clamped gated activation.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @swiglu
// CHECK: ds4.swiglu %{{.*}}, %{{.*}} limit(10.0) : (tensor<?x6x128xf32>, tensor<?x6x128xf32>) -> tensor<?x6x128xf32>
func.func @swiglu(%g: tensor<?x6x128xf32>, %u: tensor<?x6x128xf32>) {
  %y = ds4.swiglu %g, %u limit(10.0) : (tensor<?x6x128xf32>, tensor<?x6x128xf32>) -> tensor<?x6x128xf32>
  return
}

// -----

func.func @other_shapes(%g: tensor<?x128xf32>, %u: tensor<?x64xf32>) {
  // expected-error @+1 {{operand 'up' must have shape [...] = [?, 128], got [?, 64]}}
  %y = ds4.swiglu %g, %u limit(10.0) : (tensor<?x128xf32>, tensor<?x64xf32>) -> tensor<?x128xf32>
  return
}

// -----

func.func @limit_of_zero(%g: tensor<?x128xf32>, %u: tensor<?x128xf32>) {
  // expected-error @+1 {{attribute 'limit' failed to satisfy constraint: 64-bit float attribute whose value is positive}}
  %y = ds4.swiglu %g, %u limit(0.0) : (tensor<?x128xf32>, tensor<?x128xf32>) -> tensor<?x128xf32>
  return
}
