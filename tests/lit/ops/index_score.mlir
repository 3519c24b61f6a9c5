// ds4.index_score: score of every compressed row for each token.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @index_score
// CHECK: ds4.index_score %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} ratio(4) scale(0.03125) : (tensor<?x8x128xf32>, tensor<?x8xf32>, !ds4.state<indexer, [256, 128], f16>, index) -> tensor<?x?xf32>
func.func @index_score(%q: tensor<?x8x128xf32>, %w: tensor<?x8xf32>, %rows: !ds4.state<indexer, [256, 128], f16>, %pos: index) {
  %s = ds4.index_score %q, %w, %rows, %pos ratio(4) scale(0.03125) : (tensor<?x8x128xf32>, tensor<?x8xf32>, !ds4.state<indexer, [256, 128], f16>, index) -> tensor<?x?xf32>
  return
}

// -----

func.func @weights_of_other_heads(%q: tensor<?x8x128xf32>, %w: tensor<?x4xf32>, %rows: !ds4.state<indexer, [256, 128], f16>, %pos: index) {
  // expected-error @+1 {{operand 'weights' must have shape [T,Hi] = [?, 8], got [?, 4]}}
  %s = ds4.index_score %q, %w, %rows, %pos ratio(4) scale(0.03125) : (tensor<?x8x128xf32>, tensor<?x4xf32>, !ds4.state<indexer, [256, 128], f16>, index) -> tensor<?x?xf32>
  return
}

// -----

func.func @rows_of_other_width(%q: tensor<?x8x128xf32>, %w: tensor<?x8xf32>, %rows: !ds4.state<indexer, [256, 64], f16>, %pos: index) {
  // expected-error @+1 {{operand 'rows' must have shape [C,di] = [C, 128], got [256, 64]}}
  %s = ds4.index_score %q, %w, %rows, %pos ratio(4) scale(0.03125) : (tensor<?x8x128xf32>, tensor<?x8xf32>, !ds4.state<indexer, [256, 64], f16>, index) -> tensor<?x?xf32>
  return
}

// -----

func.func @compressed_rows(%q: tensor<?x8x128xf32>, %w: tensor<?x8xf32>, %rows: !ds4.state<compressed, [256, 128], f16>, %pos: index) {
  // expected-error @+1 {{operand #2 must be state of kind indexer, but got '!ds4.state<compressed, [256, 128], f16>'}}
  %s = ds4.index_score %q, %w, %rows, %pos ratio(4) scale(0.03125) : (tensor<?x8x128xf32>, tensor<?x8xf32>, !ds4.state<compressed, [256, 128], f16>, index) -> tensor<?x?xf32>
  return
}

// -----

func.func @fixed_columns(%q: tensor<?x8x128xf32>, %w: tensor<?x8xf32>, %rows: !ds4.state<indexer, [256, 128], f16>, %pos: index) {
  // expected-error @+1 {{result #0 must be 'tensor<?x?xf32>', got 'tensor<?x256xf32>'}}
  %s = ds4.index_score %q, %w, %rows, %pos ratio(4) scale(0.03125) : (tensor<?x8x128xf32>, tensor<?x8xf32>, !ds4.state<indexer, [256, 128], f16>, index) -> tensor<?x256xf32>
  return
}

// -----

func.func @ratio_of_zero(%q: tensor<?x8x128xf32>, %w: tensor<?x8xf32>, %rows: !ds4.state<indexer, [256, 128], f16>, %pos: index) {
  // expected-error @+1 {{attribute 'ratio' failed to satisfy constraint}}
  %s = ds4.index_score %q, %w, %rows, %pos ratio(0) scale(0.03125) : (tensor<?x8x128xf32>, tensor<?x8xf32>, !ds4.state<indexer, [256, 128], f16>, index) -> tensor<?x?xf32>
  return
}
