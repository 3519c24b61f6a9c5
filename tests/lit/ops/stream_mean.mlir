// ds4.stream_mean: the mean of the streams.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @mean
// CHECK: ds4.stream_mean %{{.*}} : (tensor<?x4x256xf32>) -> tensor<?x256xf32>
func.func @mean(%streams: tensor<?x4x256xf32>) {
  %y = ds4.stream_mean %streams : (tensor<?x4x256xf32>) -> tensor<?x256xf32>
  return
}

// -----

func.func @no_streams(%x: tensor<?x256xf32>) {
  // expected-error @+1 {{operand 'streams' must have shape [T,S,D], got [?, 256]}}
  %y = ds4.stream_mean %x : (tensor<?x256xf32>) -> tensor<?x256xf32>
  return
}
