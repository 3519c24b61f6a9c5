// ds4.hash_router: experts by a table of the token.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @hash_router
// CHECK: %ids, %weights = ds4.hash_router %{{.*}}, %{{.*}}, %{{.*}} scale(1.5) : (tensor<?x64xf32>, tensor<?xi32>, !ds4.quantized<[1000, 6], i32>) -> (tensor<?x6xi32>, tensor<?x6xf32>)
func.func @hash_router(%l: tensor<?x64xf32>, %tokens: tensor<?xi32>, %t: !ds4.quantized<[1000, 6], i32>) {
  %ids, %weights = ds4.hash_router %l, %tokens, %t scale(1.5) : (tensor<?x64xf32>, tensor<?xi32>, !ds4.quantized<[1000, 6], i32>) -> (tensor<?x6xi32>, tensor<?x6xf32>)
  return
}

// -----

func.func @real_table(%l: tensor<?x64xf32>, %tokens: tensor<?xi32>, %t: !ds4.quantized<[1000, 6], f32>) {
  // expected-error @+1 {{operand #2 must be weight of format i32, but got '!ds4.quantized<[1000, 6], f32>'}}
  %ids, %weights = ds4.hash_router %l, %tokens, %t scale(1.5) : (tensor<?x64xf32>, tensor<?xi32>, !ds4.quantized<[1000, 6], f32>) -> (tensor<?x6xi32>, tensor<?x6xf32>)
  return
}

// -----

func.func @flat_table(%l: tensor<?x64xf32>, %tokens: tensor<?xi32>, %t: !ds4.quantized<[6000], i32>) {
  // expected-error @+1 {{operand 'table' must have shape [V,U], got [6000]}}
  %ids, %weights = ds4.hash_router %l, %tokens, %t scale(1.5) : (tensor<?x64xf32>, tensor<?xi32>, !ds4.quantized<[6000], i32>) -> (tensor<?x6xi32>, tensor<?x6xf32>)
  return
}

// -----

func.func @fewer_ids_than_columns(%l: tensor<?x64xf32>, %tokens: tensor<?xi32>, %t: !ds4.quantized<[1000, 6], i32>) {
  // expected-error @+1 {{result #0 must be 'tensor<?x6xi32>', got 'tensor<?x4xi32>'}}
  %ids, %weights = ds4.hash_router %l, %tokens, %t scale(1.5) : (tensor<?x64xf32>, tensor<?xi32>, !ds4.quantized<[1000, 6], i32>) -> (tensor<?x4xi32>, tensor<?x6xf32>)
  return
}
