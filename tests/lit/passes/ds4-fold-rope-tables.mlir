// Frequencies of rotary embeddings. Those with YaRN are the published values of DeepSeek-V4's compressed layers.
// RUN: ds4-opt --ds4-fold-rope-tables %s | FileCheck %s

// CHECK-LABEL: @plain
// CHECK: rope(<dims = 4, base = 10000.0, frequencies = [1.000000e+00, 1.000000e-02]>)
func.func @plain(%x: tensor<?x8xf32>, %pos: index) {
  %y = ds4.rope %x, %pos rope(<dims = 4, base = 1.0e4>) : (tensor<?x8xf32>, index) -> tensor<?x8xf32>
  return
}

// Pairs up to 15 keep base^(-2i/64), pairs from 25 are divided by 16, a ramp lies between.
// CHECK-LABEL: @yarn
// CHECK-SAME: frequencies = [1.000000e+00, 6.876560e-01
// CHECK-SAME: 2.265625e-03
// CHECK-SAME: 1.953125e-05
// CHECK-SAME: 5.680529e-07]
func.func private @yarn() attributes {
  rope = #ds4.rope<dims = 64, base = 1.6e5, factor = 16.0, original = 65536, beta_fast = 32.0, beta_slow = 1.0>}

// Folded attributes stay as they are.
// CHECK-LABEL: @folded
// CHECK-SAME: frequencies = [2.000000e+00, 3.000000e+00]
func.func private @folded() attributes {rope = #ds4.rope<dims = 4, base = 1.0e4, frequencies = [2.0, 3.0]>}
