// ds4.attend: one softmax over window rows, compressed rows and the sink.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @window_alone
// CHECK: %{{.*}} = ds4.attend %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} scale(0.04) window(128) ratio(0) : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[8], f32>, index) -> tensor<?x8x512xf32>
func.func @window_alone(%q: tensor<?x8x512xf32>, %win: !ds4.state<window, [136, 512], f16>, %sinks: !ds4.quantized<[8], f32>, %pos: index) {
  %y = ds4.attend %q, %win, %sinks, %pos scale(0.04) window(128) ratio(0) : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[8], f32>, index) -> tensor<?x8x512xf32>
  return
}

// -----

// CHECK-LABEL: @all_rows
// CHECK: %{{.*}} = ds4.attend %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} rows %{{.*}} scale(0.04) window(128) ratio(128) : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[8], f32>, index, !ds4.state<compressed, [256, 512], f16>) -> tensor<?x8x512xf32>
func.func @all_rows(%q: tensor<?x8x512xf32>, %win: !ds4.state<window, [136, 512], f16>, %sinks: !ds4.quantized<[8], f32>, %pos: index, %rows: !ds4.state<compressed, [256, 512], f16>) {
  %y = ds4.attend %q, %win, %sinks, %pos rows %rows scale(0.04) window(128) ratio(128) : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[8], f32>, index, !ds4.state<compressed, [256, 512], f16>) -> tensor<?x8x512xf32>
  return
}

// -----

// CHECK-LABEL: @picked_rows
// CHECK: %{{.*}} = ds4.attend %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} rows %{{.*}} picks %{{.*}} scale(0.04) window(128) ratio(4) : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[8], f32>, index, !ds4.state<compressed, [256, 512], f16>, tensor<?x64xi32>) -> tensor<?x8x512xf32>
func.func @picked_rows(%q: tensor<?x8x512xf32>, %win: !ds4.state<window, [136, 512], f16>, %sinks: !ds4.quantized<[8], f32>, %pos: index, %rows: !ds4.state<compressed, [256, 512], f16>, %picks: tensor<?x64xi32>) {
  %y = ds4.attend %q, %win, %sinks, %pos rows %rows picks %picks scale(0.04) window(128) ratio(4) : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[8], f32>, index, !ds4.state<compressed, [256, 512], f16>, tensor<?x64xi32>) -> tensor<?x8x512xf32>
  return
}

// -----

func.func @ring_without_room(%q: tensor<?x8x512xf32>, %win: !ds4.state<window, [136, 512], f16>, %sinks: !ds4.quantized<[8], f32>, %pos: index) {
  // expected-error @+1 {{operand 'window' must have more slots than the window's 136 positions, got 136}}
  %y = ds4.attend %q, %win, %sinks, %pos scale(0.04) window(136) ratio(0) : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[8], f32>, index) -> tensor<?x8x512xf32>
  return
}

// -----

func.func @rows_without_ratio(%q: tensor<?x8x512xf32>, %win: !ds4.state<window, [136, 512], f16>, %sinks: !ds4.quantized<[8], f32>, %pos: index, %rows: !ds4.state<compressed, [256, 512], f16>) {
  // expected-error @+1 {{ratio must be positive exactly when compressed rows are given, got 0 with rows}}
  %y = ds4.attend %q, %win, %sinks, %pos rows %rows scale(0.04) window(128) ratio(0) : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[8], f32>, index, !ds4.state<compressed, [256, 512], f16>) -> tensor<?x8x512xf32>
  return
}

// -----

func.func @ratio_without_rows(%q: tensor<?x8x512xf32>, %win: !ds4.state<window, [136, 512], f16>, %sinks: !ds4.quantized<[8], f32>, %pos: index) {
  // expected-error @+1 {{ratio must be positive exactly when compressed rows are given, got 4 without rows}}
  %y = ds4.attend %q, %win, %sinks, %pos scale(0.04) window(128) ratio(4) : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[8], f32>, index) -> tensor<?x8x512xf32>
  return
}

// -----

func.func @picks_without_rows(%q: tensor<?x8x512xf32>, %win: !ds4.state<window, [136, 512], f16>, %sinks: !ds4.quantized<[8], f32>, %pos: index, %picks: tensor<?x64xi32>) {
  // expected-error @+1 {{picks need compressed rows to pick from}}
  %y = ds4.attend %q, %win, %sinks, %pos picks %picks scale(0.04) window(128) ratio(0) : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[8], f32>, index, tensor<?x64xi32>) -> tensor<?x8x512xf32>
  return
}

// -----

func.func @sinks_of_other_heads(%q: tensor<?x8x512xf32>, %win: !ds4.state<window, [136, 512], f16>, %sinks: !ds4.quantized<[4], f32>, %pos: index) {
  // expected-error @+1 {{operand 'sinks' must have shape [H] = [8], got [4]}}
  %y = ds4.attend %q, %win, %sinks, %pos scale(0.04) window(128) ratio(0) : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[4], f32>, index) -> tensor<?x8x512xf32>
  return
}

// -----

func.func @window_of_other_width(%q: tensor<?x8x512xf32>, %win: !ds4.state<window, [136, 128], f16>, %sinks: !ds4.quantized<[8], f32>, %pos: index) {
  // expected-error @+1 {{operand 'window' must have shape [s,d] = [s, 512], got [136, 128]}}
  %y = ds4.attend %q, %win, %sinks, %pos scale(0.04) window(128) ratio(0) : (tensor<?x8x512xf32>, !ds4.state<window, [136, 128], f16>, !ds4.quantized<[8], f32>, index) -> tensor<?x8x512xf32>
  return
}

// -----

func.func @indexer_rows(%q: tensor<?x8x512xf32>, %win: !ds4.state<window, [136, 512], f16>, %sinks: !ds4.quantized<[8], f32>, %pos: index, %rows: !ds4.state<indexer, [256, 512], f16>) {
  // expected-error @+1 {{operand #4 must be state of kind compressed}}
  %y = ds4.attend %q, %win, %sinks, %pos rows %rows scale(0.04) window(128) ratio(4) : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[8], f32>, index, !ds4.state<indexer, [256, 512], f16>) -> tensor<?x8x512xf32>
  return
}

// -----

// CHECK-LABEL: @block
// CHECK: ds4.attend %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} scale(0.04) window(128) ratio(0) block :
func.func @block(%q: tensor<?x8x512xf32>, %win: !ds4.state<window, [136, 512], f16>, %sinks: !ds4.quantized<[8], f32>, %pos: index) {
  %y = ds4.attend %q, %win, %sinks, %pos scale(0.04) window(128) ratio(0) block : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[8], f32>, index) -> tensor<?x8x512xf32>
  return
}

// -----

func.func @block_without_room(%q: tensor<?x8x512xf32>, %win: !ds4.state<window, [135, 512], f16>, %sinks: !ds4.quantized<[8], f32>, %pos: index) {
  // expected-error @+1 {{a block needs a window of 136 slots, got 135}}
  %y = ds4.attend %q, %win, %sinks, %pos scale(0.04) window(128) ratio(0) block : (tensor<?x8x512xf32>, !ds4.state<window, [135, 512], f16>, !ds4.quantized<[8], f32>, index) -> tensor<?x8x512xf32>
  return
}

// -----

func.func @block_of_compressed_rows(%q: tensor<?x8x512xf32>, %win: !ds4.state<window, [136, 512], f16>, %sinks: !ds4.quantized<[8], f32>, %pos: index, %rows: !ds4.state<compressed, [256, 512], f16>) {
  // expected-error @+1 {{a block sees window rows alone}}
  %y = ds4.attend %q, %win, %sinks, %pos rows %rows scale(0.04) window(128) ratio(128) block : (tensor<?x8x512xf32>, !ds4.state<window, [136, 512], f16>, !ds4.quantized<[8], f32>, index, !ds4.state<compressed, [256, 512], f16>) -> tensor<?x8x512xf32>
  return
}
