// Types, attributes of the dialect, and its attributes on functions and other ops.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @weights
// CHECK-SAME: !ds4.quantized<[4096], f32>, !ds4.quantized<[64, 4096], q8_0>, !ds4.quantized<[8, 64, 4096], bf16>
func.func private @weights(!ds4.quantized<[4096], f32>, !ds4.quantized<[64, 4096], q8_0>, !ds4.quantized<[8, 64, 4096], bf16>)

// CHECK-LABEL: @states
// CHECK-SAME: !ds4.state<window, [136, 512], f16>
// CHECK-SAME: !ds4.state<compressed, [64, 512], f32>
// CHECK-SAME: !ds4.state<indexer, [64, 128], f16>
// CHECK-SAME: !ds4.state<open, [16, 2048], f32>
func.func private @states(!ds4.state<window, [136, 512], f16>, !ds4.state<compressed, [64, 512], f32>,
                          !ds4.state<indexer, [64, 128], f16>, !ds4.state<open, [16, 2048], f32>)

// CHECK-LABEL: @rope
// CHECK-SAME: #ds4.rope<dims = 4, base = 10000.5, frequencies = [1.000000e+00, 5.000000e-01]>
// CHECK-SAME: #ds4.rope<dims = 4, base = 10000.0>
func.func private @rope() attributes {folded = #ds4.rope<dims = 4, base = 10000.5, frequencies = [1.0, 0.5]>,
                                      plain = #ds4.rope<base = 1.0e4, dims = 4>}

// CHECK-LABEL: @step
// CHECK-SAME: {ds4.name = "streams", ds4.offset = 256 : i64}) -> (tensor<?x8xf32> {ds4.name = "out"}) attributes {ds4.arena_bytes = 512 : i64}
func.func private @step(tensor<?x8xf32> {ds4.name = "streams", ds4.offset = 256 : i64}) -> (tensor<?x8xf32> {ds4.name = "out"})
  attributes {ds4.arena_bytes = 512 : i64}

// -----

// expected-error @+2 {{failed to parse Ds4_QuantizedType parameter 'format'}}
// expected-error @+1 {{unknown weight format 'q9_9', expected one of f32, f16, bf16, i32, q8_0}}
func.func private @unknown_format(!ds4.quantized<[64], q9_9>)

// -----

// expected-error @+1 {{rows of 48 weights are not whole blocks of q8_0 (32 weights)}}
func.func private @part_of_a_block(!ds4.quantized<[8, 48], q8_0>)

// -----

// expected-error @+1 {{a weight has 1 to 3 dimensions, got 4}}
func.func private @four_dimensions(!ds4.quantized<[2, 2, 2, 2], f32>)

// -----

// expected-error @+1 {{sizes of a weight must be positive, got [0, 64]}}
func.func private @no_rows(!ds4.quantized<[0, 64], f32>)

// -----

// expected-error @+1 {{a state has the shape [rows, cols] with positive sizes, got [136]}}
func.func private @state_vector(!ds4.state<window, [136], f16>)

// -----

// expected-error @+1 {{elements of a state are f16 or f32, got 'bf16'}}
func.func private @state_element(!ds4.state<window, [136, 8], bf16>)

// -----

// expected-error @+2 {{expected ::ds4::StateKind to be one of: window, compressed, indexer, open}}
// expected-error @+1 {{failed to parse Ds4_StateType parameter 'kind'}}
func.func private @state_kind(!ds4.state<ring, [136, 8], f16>)

// -----

// expected-error @+1 {{rope: dims must be positive and even, got 63}}
func.func private @odd_dims() attributes {r = #ds4.rope<dims = 63, base = 1.0e4>}

// -----

// expected-error @+1 {{rope: base must be greater than 1, got}}
func.func private @base() attributes {r = #ds4.rope<dims = 64, base = 1.0>}

// -----

// expected-error @+1 {{rope: factor must be at least 1, got}}
func.func private @factor() attributes {r = #ds4.rope<dims = 64, base = 1.0e4, factor = 0.5>}

// -----

// expected-error @+1 {{needs original > 0 and beta_fast > beta_slow > 0, got original 0}}
func.func private @yarn_without_context() attributes {r = #ds4.rope<dims = 64, base = 1.0e4, factor = 16.0>}

// -----

// expected-error @+1 {{rope: 4 dims have 2 frequencies, got 3}}
func.func private @frequencies() attributes {r = #ds4.rope<dims = 4, base = 1.0e4, frequencies = [1.0, 0.5, 0.25]>}

// -----

// expected-error @+1 {{'ds4.name' must be a string that is not empty, got 5 : i64}}
func.func private @name(index {ds4.name = 5})

// -----

// expected-error @+1 {{unknown attribute 'ds4.nam' of an argument}}
func.func private @misspelt(index {ds4.nam = "x"})

// -----

// expected-error @+1 {{unknown attribute 'ds4.offset' of a result}}
func.func private @result_offset() -> (index {ds4.offset = 0})

// -----

// expected-error @+1 {{'ds4.offset' must be an i64, got "0"}}
func.func private @offset(index {ds4.offset = "0"})

// -----

// expected-error @+1 {{'ds4.arena_bytes' must be an i64 on a function, got "many"}}
func.func private @arena() attributes {ds4.arena_bytes = "many"}

// -----

func.func @offsets(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{'ds4.offsets' must be array<i64> with one offset for each of the 1 results, got array<i64: 0, 1>}}
  %y = ds4.add %x, %x {ds4.offsets = array<i64: 0, 1>} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}
