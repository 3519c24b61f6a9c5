// ds4.embed: the table's row of each token, copied to all streams.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @embed
// CHECK: ds4.embed %{{.*}}, %{{.*}} streams(4) : (tensor<?xi32>, !ds4.quantized<[1000, 256], q8_0>) -> tensor<?x4x256xf32>
func.func @embed(%tokens: tensor<?xi32>, %table: !ds4.quantized<[1000, 256], q8_0>) {
  %y = ds4.embed %tokens, %table streams(4) : (tensor<?xi32>, !ds4.quantized<[1000, 256], q8_0>) -> tensor<?x4x256xf32>
  return
}

// -----

func.func @result_lacks_streams(%tokens: tensor<?xi32>, %table: !ds4.quantized<[1000, 256], q8_0>) {
  // expected-error @+1 {{result #0 must be 'tensor<?x4x256xf32>', got 'tensor<?x256xf32>'}}
  %y = ds4.embed %tokens, %table streams(4) : (tensor<?xi32>, !ds4.quantized<[1000, 256], q8_0>) -> tensor<?x256xf32>
  return
}

// -----

func.func @table_is_vector(%tokens: tensor<?xi32>, %table: !ds4.quantized<[256], f32>) {
  // expected-error @+1 {{operand 'table' must have shape [V,D], got [256]}}
  %y = ds4.embed %tokens, %table streams(4) : (tensor<?xi32>, !ds4.quantized<[256], f32>) -> tensor<?x4x256xf32>
  return
}

// -----

func.func @no_streams(%tokens: tensor<?xi32>, %table: !ds4.quantized<[1000, 256], f32>) {
  // expected-error @+1 {{attribute 'streams' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %y = ds4.embed %tokens, %table streams(0) : (tensor<?xi32>, !ds4.quantized<[1000, 256], f32>) -> tensor<?x0x256xf32>
  return
}
