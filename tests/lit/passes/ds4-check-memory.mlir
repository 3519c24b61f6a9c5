// Proof of a memory plan: one good plan, and each way to break it. Vectors of 64 take 2048 bytes for eight tokens.
// RUN: ds4-opt -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(ds4-check-memory))' %s

func.func @good(%x: tensor<?x64xf32> {ds4.offset = 0}) -> tensor<?x64xf32> {
  %a = ds4.add %x, %x {ds4.offsets = array<i64: 2048>} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %v = ds4.reshape %a : tensor<?x64xf32> -> tensor<?x4x16xf32>
  %b = ds4.head_norm %v eps(1.0e-6) {ds4.offsets = array<i64: 0>} : (tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  %c = ds4.reshape %b : tensor<?x4x16xf32> -> tensor<?x64xf32>
  return %c : tensor<?x64xf32>
}

// -----

func.func @read_after_reuse(%x: tensor<?x64xf32> {ds4.offset = 0}) -> tensor<?x64xf32> {
  %a = ds4.add %x, %x {ds4.offsets = array<i64: 2048>} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %b = ds4.add %a, %a {ds4.offsets = array<i64: 2047>} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32> // expected-error {{writes into the place of its operand of type 'tensor<?x64xf32>' at offset 2048}}
  return %b : tensor<?x64xf32>
}

// -----

func.func @argument_overwritten(%x: tensor<?x64xf32> {ds4.offset = 0}) -> tensor<?x64xf32> {
  %a = ds4.add %x, %x {ds4.offsets = array<i64: 2048>} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %b = ds4.add %a, %a {ds4.offsets = array<i64: 1792>} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32> // expected-error {{writes into the place of its operand}}
  return %b : tensor<?x64xf32>
}

// -----

func.func @read_later(%x: tensor<?x64xf32> {ds4.offset = 0}) -> tensor<?x64xf32> {
  %a = ds4.add %x, %x {ds4.offsets = array<i64: 2048>} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %b = ds4.add %a, %a {ds4.offsets = array<i64: 0>} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  // expected-error @+1 {{reads a tensor whose place was overwritten, of type 'tensor<?x64xf32>' at offset 0}}
  %c = ds4.add %x, %b {ds4.offsets = array<i64: 4096>} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return %c : tensor<?x64xf32>
}

// -----

func.func @returned_value_overwritten(%x: tensor<?x64xf32> {ds4.offset = 0}) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %a = ds4.add %x, %x {ds4.offsets = array<i64: 2048>} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %b = ds4.add %x, %x {ds4.offsets = array<i64: 2048>} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  // expected-error @+1 {{reads a tensor whose place was overwritten}}
  return %a, %b : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

func.func @results_overlap(%c: tensor<?x24xf32> {ds4.offset = 0}) {
  // expected-error @+1 {{has results whose places overlap}}
  %pre, %post, %comb = ds4.sinkhorn %c iterations(20) eps(1.0e-6) {ds4.offsets = array<i64: 1024, 1088, 2048>}
    : (tensor<?x24xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>)
  return
}

// -----

func.func @not_planned(%x: tensor<?x64xf32> {ds4.offset = 0}) {
  // expected-error @+1 {{a tensor has no place in the arena: run ds4-plan-memory first}}
  %a = ds4.add %x, %x : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

ds4.kernel @k implements "window_append" block(32) vgprs(96) lds(0) source ""

func.func @stale_after_launch(%s: !ds4.state<window, [136, 2], f16>, %x: tensor<?x2xf32> {ds4.offset = 0})
    -> !ds4.state<window, [136, 2], f16> {
  // expected-note @+1 {{a newer version is written here}}
  %new = ds4.launch @k grid(affine_map<(pos, q) -> (1, q, 1)>) updates [0](%s, %x)
    : (!ds4.state<window, [136, 2], f16>, tensor<?x2xf32>) -> !ds4.state<window, [136, 2], f16>
  // expected-error @+1 {{uses an old version of state 'without a name'}}
  return %s : !ds4.state<window, [136, 2], f16>
}

// -----

func.func @swapped_names(%s: !ds4.state<window, [136, 2], f16> {ds4.name = "a"})
    -> (!ds4.state<window, [136, 2], f16> {ds4.name = "b"}) {
  // expected-error @+1 {{returns state 'a' under the name "b"}}
  return %s : !ds4.state<window, [136, 2], f16>
}

// -----

ds4.kernel @k implements "hc_site" block(32) vgprs(96) lds(0) source ""

// expected-error @+1 {{has launches that use 512 bytes of scratch, but 256 are planned}}
func.func @little_scratch(%x: tensor<?x64xf32> {ds4.offset = 512}) attributes {ds4.scratch_bytes = 256 : i64} {
  %a = ds4.launch @k grid(affine_map<(pos, q) -> (1, q, 1)>) scratch(512) updates [-1](%x) {ds4.offsets = array<i64: 4096>}
    : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

ds4.kernel @k implements "hc_site" block(32) vgprs(96) lds(0) source ""

func.func @tensor_in_scratch(%x: tensor<?x64xf32> {ds4.offset = 512}) attributes {ds4.scratch_bytes = 512 : i64} {
  // expected-error @+1 {{a tensor lies at offset 256, within the scratch of 512 bytes}}
  %a = ds4.launch @k grid(affine_map<(pos, q) -> (1, q, 1)>) scratch(512) updates [-1](%x) {ds4.offsets = array<i64: 256>}
    : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}
