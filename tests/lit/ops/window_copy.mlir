// ds4.window_copy: rows of the window from one ring to another.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

!big = !ds4.state<window, [640, 512], f16>
!ring = !ds4.state<window, [136, 512], f16>

// CHECK-LABEL: @window_copy
// CHECK: ds4.window_copy %{{.*}}, %{{.*}}, %{{.*}} window(128) : (!ds4.state<window, [640, 512], f16>, !ds4.state<window, [136, 512], f16>, index) -> !ds4.state<window, [640, 512], f16>
func.func @window_copy(%to: !big, %from: !ring, %pos: index) -> !big {
  %new = ds4.window_copy %to, %from, %pos window(128) : (!big, !ring, index) -> !big
  return %new : !big
}

// -----

!big = !ds4.state<window, [640, 512], f32>
!ring = !ds4.state<window, [136, 512], f16>

func.func @other_element(%to: !big, %from: !ring, %pos: index) {
  // expected-error @+1 {{operands must have one element, got 'f32' and 'f16'}}
  %new = ds4.window_copy %to, %from, %pos window(128) : (!big, !ring, index) -> !big
  return
}

// -----

!big = !ds4.state<window, [640, 512], f16>
!ring = !ds4.state<window, [100, 512], f16>

func.func @ring_without_room(%to: !big, %from: !ring, %pos: index) {
  // expected-error @+1 {{rings must have a slot for each of the window's 128 positions, got 100}}
  %new = ds4.window_copy %to, %from, %pos window(128) : (!big, !ring, index) -> !big
  return
}
