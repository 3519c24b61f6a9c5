// Places of a step's tensors in the arena. Sizes below are for eight tokens: 8 * 64 * 4 = 2048 bytes a vector of 64.
// RUN: ds4-opt -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(ds4-plan-memory))' %s | FileCheck %s
// RUN: ds4-opt -split-input-file -verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(ds4-plan-memory{no-reuse max-width=1 alignment=1024}))' %s \
// RUN:   | FileCheck %s --check-prefix=WIDE

// The third result takes the place of the first, which nobody reads any more.
// CHECK-LABEL: @reuse
// CHECK-SAME: ds4.offset = 0 : i64
// CHECK-SAME: ds4.arena_bytes = 6144 : i64
// CHECK: array<i64: 2048>
// CHECK: array<i64: 4096>
// CHECK: array<i64: 0>
// WIDE-LABEL: @reuse
// WIDE-SAME: ds4.offset = 0 : i64
// WIDE-SAME: ds4.arena_bytes = 4096 : i64
// WIDE: array<i64: 1024>
// WIDE: array<i64: 2048>
// WIDE: array<i64: 3072>
func.func @reuse(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %a = ds4.add %x, %x : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %b = ds4.add %x, %a : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %c = ds4.add %b, %a : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return %c : tensor<?x64xf32>
}

// -----

// A returned value lives to the end; a reshape keeps its operand alive; the tokens are in the step block.
// CHECK-LABEL: @lifetimes
// CHECK-SAME: (%{{.*}}: tensor<?xi32>, %{{.*}}: !ds4.quantized<[1000, 64], f32>) -> (tensor<?x4x16xf32>, tensor<?xi32>)
// CHECK-SAME: ds4.arena_bytes = 34304 : i64
// CHECK: ds4.embed {{.*}} array<i64: 0>
// CHECK-NOT: ds4.reshape {{.*}} ds4.offsets
// CHECK: ds4.linear {{.*}} array<i64: 2048>
// CHECK: ds4.argmax {{.*}} array<i64: 34048>
// CHECK: ds4.head_norm {{.*}} array<i64: 2048>
func.func @lifetimes(%tokens: tensor<?xi32>, %w: !ds4.quantized<[1000, 64], f32>) -> (tensor<?x4x16xf32>, tensor<?xi32>) {
  %e = ds4.embed %tokens, %w streams(1) : (tensor<?xi32>, !ds4.quantized<[1000, 64], f32>) -> tensor<?x1x64xf32>
  %x = ds4.reshape %e : tensor<?x1x64xf32> -> tensor<?x64xf32>
  %h = ds4.reshape %x : tensor<?x64xf32> -> tensor<?x4x16xf32>
  %l = ds4.linear %x, %w : (tensor<?x64xf32>, !ds4.quantized<[1000, 64], f32>) -> tensor<?x1000xf32>
  %n = ds4.argmax %l : (tensor<?x1000xf32>) -> tensor<?xi32>
  %y = ds4.head_norm %h eps(1.0e-6) : (tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  return %y, %n : tensor<?x4x16xf32>, tensor<?xi32>
}

// -----

// The scratch is the arena's beginning for the whole step, as large as the launch that uses most of it.
// CHECK: ds4.kernel @k
// CHECK-LABEL: @scratch
// CHECK-SAME: ds4.offset = 512 : i64
// CHECK-SAME: ds4.arena_bytes = 6656 : i64, ds4.scratch_bytes = 300 : i64
// CHECK: scratch(300) updates [-1](%{{.*}}) {ds4.offsets = array<i64: 2560>}
// CHECK: scratch(200) updates [-1](%{{.*}}) {ds4.offsets = array<i64: 4608>}
// CHECK: ds4.add {{.*}} array<i64: 2560>
ds4.kernel @k implements "hc_site" block(32) vgprs(96) lds(0) source ""
func.func @scratch(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %a = ds4.launch @k grid(affine_map<(pos, q) -> (1, q, 1)>) scratch(300) updates [-1](%x) : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %b = ds4.launch @k grid(affine_map<(pos, q) -> (1, q, 1)>) scratch(200) updates [-1](%a) : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %c = ds4.add %x, %b : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return %c : tensor<?x64xf32>
}

// -----

// States have no place; a row of scores is as long as the state: 8 * 256 * 4 bytes, behind 8 * 2 * 16 * 4 and 8 * 2 * 4.
// CHECK-LABEL: @states
// CHECK-SAME: ds4.offset = 0 : i64
// CHECK-SAME: ds4.offset = 1024 : i64
// CHECK-SAME: ds4.arena_bytes = 9472 : i64
// CHECK: ds4.index_score {{.*}} array<i64: 1280>
// CHECK: ds4.select_top_k {{.*}} array<i64: 0>
// CHECK: ds4.window_append {{.*}} array<i64: -1>
func.func @states(%q: tensor<?x2x16xf32>, %w: tensor<?x2xf32>, %rows: !ds4.state<indexer, [256, 16], f16>, %pos: index,
                  %win: !ds4.state<window, [136, 2], f16>) -> (tensor<?x8xi32>, !ds4.state<window, [136, 2], f16>) {
  %s = ds4.index_score %q, %w, %rows, %pos ratio(4) scale(0.25)
    : (tensor<?x2x16xf32>, tensor<?x2xf32>, !ds4.state<indexer, [256, 16], f16>, index) -> tensor<?x?xf32>
  %p = ds4.select_top_k %s, %pos k(8) ratio(4) : (tensor<?x?xf32>, index) -> tensor<?x8xi32>
  %win1 = ds4.window_append %win, %w, %pos
    : (!ds4.state<window, [136, 2], f16>, tensor<?x2xf32>, index) -> !ds4.state<window, [136, 2], f16>
  return %p, %win1 : tensor<?x8xi32>, !ds4.state<window, [136, 2], f16>
}

// -----

// expected-error @+1 {{no state bounds the dynamic columns of an argument of type 'tensor<?x?xf32>'}}
func.func @unbounded(%s: tensor<?x?xf32>, %pos: index) -> tensor<?x8xi32> {
  %p = ds4.select_top_k %s, %pos k(8) ratio(4) : (tensor<?x?xf32>, index) -> tensor<?x8xi32>
  return %p : tensor<?x8xi32>
}

// -----

func.func @stale(%win: !ds4.state<window, [136, 2], f16> {ds4.name = "blk.0.window"}, %x: tensor<?x2xf32>, %pos: index) {
  // expected-note @+1 {{a newer version is written here}}
  %a = ds4.window_append %win, %x, %pos
    : (!ds4.state<window, [136, 2], f16>, tensor<?x2xf32>, index) -> !ds4.state<window, [136, 2], f16>
  // expected-error @+1 {{uses an old version of state 'blk.0.window'}}
  %b = ds4.window_append %win, %x, %pos
    : (!ds4.state<window, [136, 2], f16>, tensor<?x2xf32>, index) -> !ds4.state<window, [136, 2], f16>
  return
}

// -----

// expected-error @+1 {{a step function has one block, got 2}}
func.func @blocks() {
  cf.br ^next
^next:
  return
}

// -----

func.func @not_outlined(%x: tensor<?x32xf32>, %w: !ds4.quantized<[64, 32], q8_0>) {
  // expected-error @+1 {{has no kernel yet: run ds4-outline-kernels first}}
  %r = ds4.shared_launch {
    %y = ds4.linear %x, %w : (tensor<?x32xf32>, !ds4.quantized<[64, 32], q8_0>) -> tensor<?x64xf32>
    ds4.yield %y : tensor<?x64xf32>
  } : tensor<?x64xf32>
  return
}
