// ds4.weight: a weight of the model, by its canonical name.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @weight
// CHECK: ds4.weight @token_embd.weight : !ds4.quantized<[1000, 256], q8_0>
// CHECK: ds4.weight @blk.0.ffn_gate_exps.weight : !ds4.quantized<[8, 64, 256], f16>
func.func @weight() {
  %a = ds4.weight @token_embd.weight : !ds4.quantized<[1000, 256], q8_0>
  %b = ds4.weight @blk.0.ffn_gate_exps.weight : !ds4.quantized<[8, 64, 256], f16>
  return
}

// -----

func.func @activation() {
  // expected-error @+1 {{result #0 must be weight, but got 'tensor<1000x256xf32>'}}
  %a = ds4.weight @token_embd.weight : tensor<1000x256xf32>
  return
}

// -----

func.func @without_name() {
  // expected-error @+1 {{expected attribute value}}
  %a = ds4.weight : !ds4.quantized<[1000, 256], q8_0>
  return
}
