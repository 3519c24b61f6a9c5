// ds4.compress: appends to the open window and stores one pooled row for each completed window.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @overlapping
// CHECK: ds4.compress %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} ratio(4) eps(1.0e-06) rope(<dims = 64, base = 160000.0>) : (!ds4.state<open, [16, 512], f32>, !ds4.state<compressed, [64, 128], f16>, tensor<?x256xf32>, tensor<?x256xf32>, !ds4.quantized<[4, 256], f32>, !ds4.quantized<[128], f32>, index) -> (!ds4.state<open, [16, 512], f32>, !ds4.state<compressed, [64, 128], f16>)
func.func @overlapping(%open: !ds4.state<open, [16, 512], f32>, %rows: !ds4.state<compressed, [64, 128], f16>, %kv: tensor<?x256xf32>, %gate: tensor<?x256xf32>, %ape: !ds4.quantized<[4, 256], f32>, %norm: !ds4.quantized<[128], f32>, %pos: index) {
  %o, %r = ds4.compress %open, %rows, %kv, %gate, %ape, %norm, %pos ratio(4) eps(1.0e-06) rope(<dims = 64, base = 160000.0>) : (!ds4.state<open, [16, 512], f32>, !ds4.state<compressed, [64, 128], f16>, tensor<?x256xf32>, tensor<?x256xf32>, !ds4.quantized<[4, 256], f32>, !ds4.quantized<[128], f32>, index) -> (!ds4.state<open, [16, 512], f32>, !ds4.state<compressed, [64, 128], f16>)
  return
}

// -----

// CHECK-LABEL: @indexer_rows
// CHECK: ds4.compress %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} ratio(4) eps(1.0e-06) rope(<dims = 64, base = 160000.0>) : (!ds4.state<open, [16, 512], f32>, !ds4.state<indexer, [64, 128], f16>, tensor<?x256xf32>, tensor<?x256xf32>, !ds4.quantized<[4, 256], f32>, !ds4.quantized<[128], f32>, index) -> (!ds4.state<open, [16, 512], f32>, !ds4.state<indexer, [64, 128], f16>)
func.func @indexer_rows(%open: !ds4.state<open, [16, 512], f32>, %rows: !ds4.state<indexer, [64, 128], f16>, %kv: tensor<?x256xf32>, %gate: tensor<?x256xf32>, %ape: !ds4.quantized<[4, 256], f32>, %norm: !ds4.quantized<[128], f32>, %pos: index) {
  %o, %r = ds4.compress %open, %rows, %kv, %gate, %ape, %norm, %pos ratio(4) eps(1.0e-06) rope(<dims = 64, base = 160000.0>) : (!ds4.state<open, [16, 512], f32>, !ds4.state<indexer, [64, 128], f16>, tensor<?x256xf32>, tensor<?x256xf32>, !ds4.quantized<[4, 256], f32>, !ds4.quantized<[128], f32>, index) -> (!ds4.state<open, [16, 512], f32>, !ds4.state<indexer, [64, 128], f16>)
  return
}

// -----

// CHECK-LABEL: @single
// CHECK: ds4.compress %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} ratio(128) eps(1.0e-06) rope(<dims = 64, base = 160000.0>) : (!ds4.state<open, [136, 256], f32>, !ds4.state<compressed, [64, 128], f16>, tensor<?x128xf32>, tensor<?x128xf32>, !ds4.quantized<[128, 128], f32>, !ds4.quantized<[128], f32>, index) -> (!ds4.state<open, [136, 256], f32>, !ds4.state<compressed, [64, 128], f16>)
func.func @single(%open: !ds4.state<open, [136, 256], f32>, %rows: !ds4.state<compressed, [64, 128], f16>, %kv: tensor<?x128xf32>, %gate: tensor<?x128xf32>, %ape: !ds4.quantized<[128, 128], f32>, %norm: !ds4.quantized<[128], f32>, %pos: index) {
  %o, %r = ds4.compress %open, %rows, %kv, %gate, %ape, %norm, %pos ratio(128) eps(1.0e-06) rope(<dims = 64, base = 160000.0>) : (!ds4.state<open, [136, 256], f32>, !ds4.state<compressed, [64, 128], f16>, tensor<?x128xf32>, tensor<?x128xf32>, !ds4.quantized<[128, 128], f32>, !ds4.quantized<[128], f32>, index) -> (!ds4.state<open, [136, 256], f32>, !ds4.state<compressed, [64, 128], f16>)
  return
}

// -----

func.func @ratio_of_eight(%open: !ds4.state<open, [16, 512], f32>, %rows: !ds4.state<compressed, [64, 128], f16>, %kv: tensor<?x256xf32>, %gate: tensor<?x256xf32>, %ape: !ds4.quantized<[8, 256], f32>, %norm: !ds4.quantized<[128], f32>, %pos: index) {
  // expected-error @+1 {{ratio must be 4 or 128, got 8}}
  %o, %r = ds4.compress %open, %rows, %kv, %gate, %ape, %norm, %pos ratio(8) eps(1.0e-06) rope(<dims = 64, base = 160000.0>) : (!ds4.state<open, [16, 512], f32>, !ds4.state<compressed, [64, 128], f16>, tensor<?x256xf32>, tensor<?x256xf32>, !ds4.quantized<[8, 256], f32>, !ds4.quantized<[128], f32>, index) -> (!ds4.state<open, [16, 512], f32>, !ds4.state<compressed, [64, 128], f16>)
  return
}

// -----

func.func @single_width_for_overlapping_windows(%open: !ds4.state<open, [16, 256], f32>, %rows: !ds4.state<compressed, [64, 128], f16>, %kv: tensor<?x128xf32>, %gate: tensor<?x128xf32>, %ape: !ds4.quantized<[4, 128], f32>, %norm: !ds4.quantized<[128], f32>, %pos: index) {
  // expected-error @+1 {{operand 'kv' must have 256 columns for ratio 4 and rows of 128 channels, got 128}}
  %o, %r = ds4.compress %open, %rows, %kv, %gate, %ape, %norm, %pos ratio(4) eps(1.0e-06) rope(<dims = 64, base = 160000.0>) : (!ds4.state<open, [16, 256], f32>, !ds4.state<compressed, [64, 128], f16>, tensor<?x128xf32>, tensor<?x128xf32>, !ds4.quantized<[4, 128], f32>, !ds4.quantized<[128], f32>, index) -> (!ds4.state<open, [16, 256], f32>, !ds4.state<compressed, [64, 128], f16>)
  return
}

// -----

func.func @too_few_slots(%open: !ds4.state<open, [8, 512], f32>, %rows: !ds4.state<compressed, [64, 128], f16>, %kv: tensor<?x256xf32>, %gate: tensor<?x256xf32>, %ape: !ds4.quantized<[4, 256], f32>, %norm: !ds4.quantized<[128], f32>, %pos: index) {
  // expected-error @+1 {{operand 'open' must have more slots than the 8 tokens that are pooled, got 8}}
  %o, %r = ds4.compress %open, %rows, %kv, %gate, %ape, %norm, %pos ratio(4) eps(1.0e-06) rope(<dims = 64, base = 160000.0>) : (!ds4.state<open, [8, 512], f32>, !ds4.state<compressed, [64, 128], f16>, tensor<?x256xf32>, tensor<?x256xf32>, !ds4.quantized<[4, 256], f32>, !ds4.quantized<[128], f32>, index) -> (!ds4.state<open, [8, 512], f32>, !ds4.state<compressed, [64, 128], f16>)
  return
}

// -----

func.func @open_ring_without_gates(%open: !ds4.state<open, [16, 256], f32>, %rows: !ds4.state<compressed, [64, 128], f16>, %kv: tensor<?x256xf32>, %gate: tensor<?x256xf32>, %ape: !ds4.quantized<[4, 256], f32>, %norm: !ds4.quantized<[128], f32>, %pos: index) {
  // expected-error @+1 {{operand 'kv' must have shape [T,W] = [T, 128], got [?, 256]}}
  %o, %r = ds4.compress %open, %rows, %kv, %gate, %ape, %norm, %pos ratio(4) eps(1.0e-06) rope(<dims = 64, base = 160000.0>) : (!ds4.state<open, [16, 256], f32>, !ds4.state<compressed, [64, 128], f16>, tensor<?x256xf32>, tensor<?x256xf32>, !ds4.quantized<[4, 256], f32>, !ds4.quantized<[128], f32>, index) -> (!ds4.state<open, [16, 256], f32>, !ds4.state<compressed, [64, 128], f16>)
  return
}

// -----

func.func @ape_of_other_ratio(%open: !ds4.state<open, [16, 512], f32>, %rows: !ds4.state<compressed, [64, 128], f16>, %kv: tensor<?x256xf32>, %gate: tensor<?x256xf32>, %ape: !ds4.quantized<[128, 256], f32>, %norm: !ds4.quantized<[128], f32>, %pos: index) {
  // expected-error @+1 {{operand 'ape' must have shape [$ratio,W] = [4, 256], got [128, 256]}}
  %o, %r = ds4.compress %open, %rows, %kv, %gate, %ape, %norm, %pos ratio(4) eps(1.0e-06) rope(<dims = 64, base = 160000.0>) : (!ds4.state<open, [16, 512], f32>, !ds4.state<compressed, [64, 128], f16>, tensor<?x256xf32>, tensor<?x256xf32>, !ds4.quantized<[128, 256], f32>, !ds4.quantized<[128], f32>, index) -> (!ds4.state<open, [16, 512], f32>, !ds4.state<compressed, [64, 128], f16>)
  return
}

// -----

func.func @rope_wider_than_rows(%open: !ds4.state<open, [16, 512], f32>, %rows: !ds4.state<compressed, [64, 128], f16>, %kv: tensor<?x256xf32>, %gate: tensor<?x256xf32>, %ape: !ds4.quantized<[4, 256], f32>, %norm: !ds4.quantized<[128], f32>, %pos: index) {
  // expected-error @+1 {{rope turns 256 channels of rows that have 128}}
  %o, %r = ds4.compress %open, %rows, %kv, %gate, %ape, %norm, %pos ratio(4) eps(1.0e-06) rope(<dims = 256, base = 160000.0>) : (!ds4.state<open, [16, 512], f32>, !ds4.state<compressed, [64, 128], f16>, tensor<?x256xf32>, tensor<?x256xf32>, !ds4.quantized<[4, 256], f32>, !ds4.quantized<[128], f32>, index) -> (!ds4.state<open, [16, 512], f32>, !ds4.state<compressed, [64, 128], f16>)
  return
}

// -----

func.func @window_as_rows(%open: !ds4.state<open, [16, 512], f32>, %rows: !ds4.state<window, [64, 128], f16>, %kv: tensor<?x256xf32>, %gate: tensor<?x256xf32>, %ape: !ds4.quantized<[4, 256], f32>, %norm: !ds4.quantized<[128], f32>, %pos: index) {
  // expected-error @+1 {{operand #1 must be state of kind compressed or state of kind indexer, but got '!ds4.state<window, [64, 128], f16>'}}
  %o, %r = ds4.compress %open, %rows, %kv, %gate, %ape, %norm, %pos ratio(4) eps(1.0e-06) rope(<dims = 64, base = 160000.0>) : (!ds4.state<open, [16, 512], f32>, !ds4.state<window, [64, 128], f16>, tensor<?x256xf32>, tensor<?x256xf32>, !ds4.quantized<[4, 256], f32>, !ds4.quantized<[128], f32>, index) -> (!ds4.state<open, [16, 512], f32>, !ds4.state<window, [64, 128], f16>)
  return
}
