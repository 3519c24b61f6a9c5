// ds4.reshape: the same numbers under another shape of each token.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @reshape
// CHECK: ds4.reshape %{{.*}} : tensor<?x512xf32> -> tensor<?x8x64xf32>
func.func @reshape(%x: tensor<?x512xf32>) {
  %y = ds4.reshape %x : tensor<?x512xf32> -> tensor<?x8x64xf32>
  return
}

// -----

func.func @other_size(%x: tensor<?x512xf32>) {
  // expected-error @+1 {{must keep the tokens, the elements of a token and their type, got 'tensor<?x512xf32>' -> 'tensor<?x8x32xf32>'}}
  %y = ds4.reshape %x : tensor<?x512xf32> -> tensor<?x8x32xf32>
  return
}

// -----

func.func @moves_tokens(%x: tensor<?x512xf32>) {
  // expected-error @+1 {{must keep the tokens, the elements of a token and their type}}
  %y = ds4.reshape %x : tensor<?x512xf32> -> tensor<512x?xf32>
  return
}

// -----

func.func @other_element(%x: tensor<?x512xf32>) {
  // expected-error @+1 {{must keep the tokens, the elements of a token and their type}}
  %y = ds4.reshape %x : tensor<?x512xf32> -> tensor<?x512xi32>
  return
}
