// ds4.sample: a token by temperature and top-p.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @sample
// CHECK: ds4.sample %{{.*}} : (tensor<?x1000xf32>) -> tensor<?xi32>
func.func @sample(%logits: tensor<?x1000xf32>) {
  %y = ds4.sample %logits : (tensor<?x1000xf32>) -> tensor<?xi32>
  return
}

// -----

func.func @two_ids(%logits: tensor<?x1000xf32>) {
  // expected-error @+1 {{result #0 must be 'tensor<?xi32>', got 'tensor<?x2xi32>'}}
  %y = ds4.sample %logits : (tensor<?x1000xf32>) -> tensor<?x2xi32>
  return
}

// -----

func.func @rank_of_one(%logits: tensor<1000xf32>) {
  // expected-error @+1 {{operand 'logits' must have shape [T,V], got [1000]}}
  %y = ds4.sample %logits : (tensor<1000xf32>) -> tensor<?xi32>
  return
}
