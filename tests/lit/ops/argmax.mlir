// ds4.argmax: lowest index of the greatest value.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @argmax
// CHECK: ds4.argmax %{{.*}} : (tensor<?x1000xf32>) -> tensor<?xi32>
func.func @argmax(%logits: tensor<?x1000xf32>) {
  %y = ds4.argmax %logits : (tensor<?x1000xf32>) -> tensor<?xi32>
  return
}

// -----

func.func @ids_as_floats(%logits: tensor<?x1000xf32>) {
  // expected-error @+1 {{result #0 must be ranked tensor of 32-bit signless integer values, but got 'tensor<?xf32>'}}
  %y = ds4.argmax %logits : (tensor<?x1000xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @one_id_a_logit(%logits: tensor<?x1000xf32>) {
  // expected-error @+1 {{result #0 must be 'tensor<?xi32>', got 'tensor<?x1000xi32>'}}
  %y = ds4.argmax %logits : (tensor<?x1000xf32>) -> tensor<?x1000xi32>
  return
}

// -----

func.func @rank_of_three(%logits: tensor<?x4x250xf32>) {
  // expected-error @+1 {{operand 'logits' must have shape [T,V], got [?, 4, 250]}}
  %y = ds4.argmax %logits : (tensor<?x4x250xf32>) -> tensor<?xi32>
  return
}
