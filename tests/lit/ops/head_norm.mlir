// ds4.head_norm: RMS norm of each head, without a weight.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @head_norm
// CHECK: ds4.head_norm %{{.*}} eps(1.0e-06) : (tensor<?x8x64xf32>) -> tensor<?x8x64xf32>
func.func @head_norm(%x: tensor<?x8x64xf32>) {
  %y = ds4.head_norm %x eps(1.0e-6) : (tensor<?x8x64xf32>) -> tensor<?x8x64xf32>
  return
}

// -----

func.func @no_heads(%x: tensor<?x512xf32>) {
  // expected-error @+1 {{operand 'x' must have shape [T,H,d], got [?, 512]}}
  %y = ds4.head_norm %x eps(1.0e-6) : (tensor<?x512xf32>) -> tensor<?x512xf32>
  return
}

// -----

func.func @other_result(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{result #0 must be 'tensor<?x8x64xf32>', got 'tensor<?x512xf32>'}}
  %y = ds4.head_norm %x eps(1.0e-6) : (tensor<?x8x64xf32>) -> tensor<?x512xf32>
  return
}

// -----

func.func @eps_is_negative(%x: tensor<?x8x64xf32>) {
  // expected-error @+1 {{attribute 'eps' failed to satisfy constraint}}
  %y = ds4.head_norm %x eps(-1.0) : (tensor<?x8x64xf32>) -> tensor<?x8x64xf32>
  return
}
