// ds4.window_append: stores the key-value row of each token.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @window_append
// CHECK: ds4.window_append %{{.*}}, %{{.*}}, %{{.*}} : (!ds4.state<window, [136, 512], f16>, tensor<?x512xf32>, index) -> !ds4.state<window, [136, 512], f16>
func.func @window_append(%state: !ds4.state<window, [136, 512], f16>, %row: tensor<?x512xf32>, %pos: index) {
  %new = ds4.window_append %state, %row, %pos : (!ds4.state<window, [136, 512], f16>, tensor<?x512xf32>, index) -> !ds4.state<window, [136, 512], f16>
  return
}

// -----

func.func @row_of_other_width(%state: !ds4.state<window, [136, 512], f16>, %row: tensor<?x128xf32>, %pos: index) {
  // expected-error @+1 {{operand 'row' must have shape [T,d] = [T, 512], got [?, 128]}}
  %new = ds4.window_append %state, %row, %pos : (!ds4.state<window, [136, 512], f16>, tensor<?x128xf32>, index) -> !ds4.state<window, [136, 512], f16>
  return
}

// -----

func.func @compressed_rows(%state: !ds4.state<compressed, [136, 512], f16>, %row: tensor<?x512xf32>, %pos: index) {
  // expected-error @+1 {{operand #0 must be state of kind window, but got '!ds4.state<compressed, [136, 512], f16>'}}
  %new = ds4.window_append %state, %row, %pos : (!ds4.state<compressed, [136, 512], f16>, tensor<?x512xf32>, index) -> !ds4.state<window, [136, 512], f16>
  return
}

// -----

func.func @changes_element(%state: !ds4.state<window, [136, 512], f16>, %row: tensor<?x512xf32>, %pos: index) {
  // expected-error @+1 {{result #0 must be '!ds4.state<window, [136, 512], f16>', got '!ds4.state<window, [136, 512], f32>'}}
  %new = ds4.window_append %state, %row, %pos : (!ds4.state<window, [136, 512], f16>, tensor<?x512xf32>, index) -> !ds4.state<window, [136, 512], f32>
  return
}
