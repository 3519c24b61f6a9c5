// ds4.shift_tokens: the first token of the step, then what follows each token but the last.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @shift
// CHECK: ds4.shift_tokens %{{.*}}, %{{.*}} : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
func.func @shift(%tokens: tensor<?xi32>, %next: tensor<?xi32>) {
  %ids = ds4.shift_tokens %tokens, %next : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  return
}

// -----

func.func @logits(%tokens: tensor<?xi32>, %next: tensor<?xf32>) {
  // expected-error @+1 {{operand #1 must be ranked tensor of 32-bit signless integer values}}
  %ids = ds4.shift_tokens %tokens, %next : (tensor<?xi32>, tensor<?xf32>) -> tensor<?xi32>
  return
}
