// An attention and the inverse rotation of its result are one op, where there is a kernel for it.
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-fuse-masked-attention))' %s | FileCheck %s
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-fuse-masked-attention,ds4-select-schedules),ds4-outline-kernels,func.func(ds4-check-guards))' %s | FileCheck %s --check-prefix=LAUNCH

!q = tensor<?x64x512xf32>
!window = !ds4.state<window, [136, 512], f16>
!rows = !ds4.state<compressed, [8192, 512], f16>
!sinks = !ds4.quantized<[64], f32>
!picks = tensor<?x512xi32>

// CHECK-LABEL: @selected_rows
// CHECK: %[[Y:.*]] = ds4.masked_attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} rows %{{.*}} picks %{{.*}} scale(0.0625) window(128) ratio(4) rope(<dims = 64, base = 160000.0>) {ds4.names = ["blk.2.attn.out_rope"]}
// CHECK-NOT: ds4.attend
// CHECK-NOT: ds4.rope
// CHECK: return %[[Y]]
// LAUNCH-DAG: #[[DIRECT:.*]] = affine_set<(d0, d1) : (d0 - 2047 >= 0)>
// LAUNCH-DAG: #[[MASKED:.*]] = affine_set<(d0, d1) : (-d0 + 2046 >= 0, -((d0 + d1) floordiv 4) + 512 >= 0)>
// LAUNCH-DAG: #[[SELECTED:.*]] = affine_set<(d0, d1) : (-d0 + 2046 >= 0, (d0 + d1) floordiv 4 - 513 >= 0)>
// LAUNCH-LABEL: @selected_rows
// LAUNCH: ds4.launch variants [#ds4.variant<kernel = @{{.*}}, guard = #[[DIRECT]], name = "direct_visible",
// LAUNCH-SAME: guard = #[[MASKED]], name = "masked",
// LAUNCH-SAME: guard = #[[SELECTED]], name = "selected",
func.func @selected_rows(%q: !q, %w: !window, %s: !sinks, %pos: index, %r: !rows, %p: !picks) -> !q {
  %a = ds4.attend %q, %w, %s, %pos rows %r picks %p scale(0.0625) window(128) ratio(4) : (!q, !window, !sinks, index, !rows, !picks) -> !q loc("blk.2.attn.attend")
  %y = ds4.rope %a, %pos rope(<dims = 64, base = 160000.0>) inverse : (!q, index) -> !q loc("blk.2.attn.out_rope")
  return %y : !q
}

// -----

!q = tensor<?x64x512xf32>
!window = !ds4.state<window, [136, 512], f16>
!sinks = !ds4.quantized<[64], f32>

// CHECK-LABEL: @window_alone
// CHECK: ds4.masked_attention
// LAUNCH-DAG: #[[DIRECT:.*]] = affine_set<(d0, d1) : (d0 - 127 >= 0)>
// LAUNCH-DAG: #[[MASKED:.*]] = affine_set<(d0, d1) : (-d0 + 126 >= 0)>
// LAUNCH-LABEL: @window_alone
// LAUNCH: guard = #[[DIRECT]], name = "direct_visible",
// LAUNCH-SAME: guard = #[[MASKED]], name = "masked",
func.func @window_alone(%q: !q, %w: !window, %s: !sinks, %pos: index) -> !q {
  %a = ds4.attend %q, %w, %s, %pos scale(0.0625) window(128) ratio(0) : (!q, !window, !sinks, index) -> !q
  %y = ds4.rope %a, %pos rope(<dims = 64, base = 10000.0>) inverse : (!q, index) -> !q
  return %y : !q
}

// -----

!q = tensor<?x64x512xf32>
!window = !ds4.state<window, [27, 512], f16>
!rows = !ds4.state<compressed, [8192, 512], f16>
!sinks = !ds4.quantized<[64], f32>
!picks = tensor<?x512xi32>

// Of a window with a part of a block, that part is always masked.
// LAUNCH-DAG: #[[MASKED:.*]] = affine_set<(d0, d1) : (-((d0 + d1) floordiv 4) + 512 >= 0)>
// LAUNCH-DAG: #[[SELECTED:.*]] = affine_set<(d0, d1) : ((d0 + d1) floordiv 4 - 513 >= 0)>
// LAUNCH-LABEL: @part_of_a_block
// LAUNCH-NOT: direct_visible
// LAUNCH: guard = #[[MASKED]], name = "masked",
// LAUNCH-SAME: guard = #[[SELECTED]], name = "selected",
// LAUNCH-NOT: direct_visible
func.func @part_of_a_block(%q: !q, %w: !window, %s: !sinks, %pos: index, %r: !rows, %p: !picks) -> (!q, !q) {
  %a = ds4.attend %q, %w, %s, %pos rows %r picks %p scale(0.0625) window(20) ratio(4) : (!q, !window, !sinks, index, !rows, !picks) -> !q
  %y = ds4.rope %a, %pos rope(<dims = 64, base = 160000.0>) inverse : (!q, index) -> !q
  %b = ds4.attend %q, %w, %s, %pos scale(0.0625) window(20) ratio(0) : (!q, !window, !sinks, index) -> !q
  %z = ds4.rope %b, %pos rope(<dims = 64, base = 160000.0>) inverse : (!q, index) -> !q
  return %y, %z : !q, !q
}

// -----

!q = tensor<?x64x512xf32>
!window = !ds4.state<window, [136, 512], f32>
!sinks = !ds4.quantized<[64], f32>

// Rows in single precision.
// CHECK-LABEL: @no_kernel
// CHECK: ds4.attend
// CHECK: ds4.rope
func.func @no_kernel(%q: !q, %w: !window, %s: !sinks, %pos: index) -> !q {
  %a = ds4.attend %q, %w, %s, %pos scale(0.0625) window(128) ratio(0) : (!q, !window, !sinks, index) -> !q
  %y = ds4.rope %a, %pos rope(<dims = 64, base = 10000.0>) inverse : (!q, index) -> !q
  return %y : !q
}

// -----

!q = tensor<?x64x512xf32>
!window = !ds4.state<window, [136, 512], f16>
!sinks = !ds4.quantized<[64], f32>

// CHECK-LABEL: @read_elsewhere
// CHECK-NOT: ds4.masked_attention
func.func @read_elsewhere(%q: !q, %w: !window, %s: !sinks, %pos: index) -> (!q, !q) {
  %a = ds4.attend %q, %w, %s, %pos scale(0.0625) window(128) ratio(0) : (!q, !window, !sinks, index) -> !q
  %y = ds4.rope %a, %pos rope(<dims = 64, base = 10000.0>) inverse : (!q, index) -> !q
  return %a, %y : !q, !q
}

// -----

!q = tensor<?x64x512xf32>
!window = !ds4.state<window, [136, 512], f16>
!sinks = !ds4.quantized<[64], f32>

// CHECK-LABEL: @turned_forwards
// CHECK-NOT: ds4.masked_attention
func.func @turned_forwards(%q: !q, %w: !window, %s: !sinks, %pos: index) -> !q {
  %a = ds4.attend %q, %w, %s, %pos scale(0.0625) window(128) ratio(0) : (!q, !window, !sinks, index) -> !q
  %y = ds4.rope %a, %pos rope(<dims = 64, base = 10000.0>) : (!q, index) -> !q
  return %y : !q
}

// -----

!q = tensor<?x64x512xf32>
!window = !ds4.state<window, [136, 512], f16>
!sinks = !ds4.quantized<[64], f32>

// CHECK-LABEL: @block
// CHECK-NOT: ds4.masked_attention
func.func @block(%q: !q, %w: !window, %s: !sinks, %pos: index) -> !q {
  %a = ds4.attend %q, %w, %s, %pos scale(0.0625) window(128) ratio(0) block : (!q, !window, !sinks, index) -> !q
  %y = ds4.rope %a, %pos rope(<dims = 64, base = 10000.0>) inverse : (!q, index) -> !q
  return %y : !q
}
