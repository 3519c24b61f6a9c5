// ds4.hc_write: mixes the streams and adds a sub-layer's output.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @hc_write
// CHECK: ds4.hc_write %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x256xf32>, tensor<?x4x256xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>) -> tensor<?x4x256xf32>
func.func @hc_write(%y: tensor<?x256xf32>, %s: tensor<?x4x256xf32>, %post: tensor<?x4xf32>, %comb: tensor<?x4x4xf32>) {
  %x = ds4.hc_write %y, %s, %post, %comb : (tensor<?x256xf32>, tensor<?x4x256xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>) -> tensor<?x4x256xf32>
  return
}

// -----

func.func @output_of_other_width(%y: tensor<?x128xf32>, %s: tensor<?x4x256xf32>, %post: tensor<?x4xf32>, %comb: tensor<?x4x4xf32>) {
  // expected-error @+1 {{operand 'streams' must have shape [T,S,D] = [?, S, 128], got [?, 4, 256]}}
  %x = ds4.hc_write %y, %s, %post, %comb : (tensor<?x128xf32>, tensor<?x4x256xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>) -> tensor<?x4x256xf32>
  return
}

// -----

func.func @matrix_not_square(%y: tensor<?x256xf32>, %s: tensor<?x4x256xf32>, %post: tensor<?x4xf32>, %comb: tensor<?x4x3xf32>) {
  // expected-error @+1 {{operand 'comb' must have shape [T,S,S] = [?, 4, 4], got [?, 4, 3]}}
  %x = ds4.hc_write %y, %s, %post, %comb : (tensor<?x256xf32>, tensor<?x4x256xf32>, tensor<?x4xf32>, tensor<?x4x3xf32>) -> tensor<?x4x256xf32>
  return
}

// -----

func.func @loses_streams(%y: tensor<?x256xf32>, %s: tensor<?x4x256xf32>, %post: tensor<?x4xf32>, %comb: tensor<?x4x4xf32>) {
  // expected-error @+1 {{result #0 must be 'tensor<?x4x256xf32>', got 'tensor<?x256xf32>'}}
  %x = ds4.hc_write %y, %s, %post, %comb : (tensor<?x256xf32>, tensor<?x4x256xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>) -> tensor<?x256xf32>
  return
}
