// ds4.hc_read: the weighted sum of the streams.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @hc_read
// CHECK: ds4.hc_read %{{.*}}, %{{.*}} : (tensor<?x4x256xf32>, tensor<?x4xf32>) -> tensor<?x256xf32>
func.func @hc_read(%s: tensor<?x4x256xf32>, %pre: tensor<?x4xf32>) {
  %y = ds4.hc_read %s, %pre : (tensor<?x4x256xf32>, tensor<?x4xf32>) -> tensor<?x256xf32>
  return
}

// -----

func.func @weights_of_other_streams(%s: tensor<?x4x256xf32>, %pre: tensor<?x3xf32>) {
  // expected-error @+1 {{operand 'pre' must have shape [T,S] = [?, 4], got [?, 3]}}
  %y = ds4.hc_read %s, %pre : (tensor<?x4x256xf32>, tensor<?x3xf32>) -> tensor<?x256xf32>
  return
}

// -----

func.func @keeps_streams(%s: tensor<?x4x256xf32>, %pre: tensor<?x4xf32>) {
  // expected-error @+1 {{result #0 must be 'tensor<?x256xf32>', got 'tensor<?x4x256xf32>'}}
  %y = ds4.hc_read %s, %pre : (tensor<?x4x256xf32>, tensor<?x4xf32>) -> tensor<?x4x256xf32>
  return
}

// -----

func.func @one_token_of_weights(%s: tensor<?x4x256xf32>, %pre: tensor<1x4xf32>) {
  // expected-error @+1 {{operand 'pre' must have shape [T,S] = [?, 4], got [1, 4]}}
  %y = ds4.hc_read %s, %pre : (tensor<?x4x256xf32>, tensor<1x4xf32>) -> tensor<?x256xf32>
  return
}
