// ds4.window_read: channels of the rows that a ring holds for the step's positions.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

!ring = !ds4.state<window, [144, 1024], f32>

// CHECK-LABEL: @window_read
// CHECK: ds4.window_read %{{.*}}, %{{.*}} first(256) cols(256) : (!ds4.state<window, [144, 1024], f32>, index) -> tensor<?x256xf32>
func.func @window_read(%ring: !ring, %pos: index) -> tensor<?x256xf32> {
  %rows = ds4.window_read %ring, %pos first(256) cols(256) : (!ring, index) -> tensor<?x256xf32>
  return %rows : tensor<?x256xf32>
}

// -----

!ring = !ds4.state<window, [144, 1024], f32>

func.func @beyond_the_row(%ring: !ring, %pos: index) {
  // expected-error @+1 {{the ring's rows have 1024 channels, fewer than 1280}}
  %rows = ds4.window_read %ring, %pos first(1024) cols(256) : (!ring, index) -> tensor<?x256xf32>
  return
}

// -----

!ring = !ds4.state<window, [144, 1024], f32>

func.func @other_result(%ring: !ring, %pos: index) {
  // expected-error @+1 {{result #0 must be 'tensor<?x256xf32>', got 'tensor<?x128xf32>'}}
  %rows = ds4.window_read %ring, %pos first(0) cols(256) : (!ring, index) -> tensor<?x128xf32>
  return
}
