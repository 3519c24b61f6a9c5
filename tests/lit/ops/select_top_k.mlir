// ds4.select_top_k: ids of the k best visible rows.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @select_top_k
// CHECK: ds4.select_top_k %{{.*}}, %{{.*}} k(512) ratio(4) : (tensor<?x?xf32>, index) -> tensor<?x512xi32>
func.func @select_top_k(%s: tensor<?x?xf32>, %pos: index) {
  %i = ds4.select_top_k %s, %pos k(512) ratio(4) : (tensor<?x?xf32>, index) -> tensor<?x512xi32>
  return
}

// -----

func.func @fewer_ids(%s: tensor<?x?xf32>, %pos: index) {
  // expected-error @+1 {{result #0 must be 'tensor<?x512xi32>', got 'tensor<?x8xi32>'}}
  %i = ds4.select_top_k %s, %pos k(512) ratio(4) : (tensor<?x?xf32>, index) -> tensor<?x8xi32>
  return
}

// -----

func.func @k_of_zero(%s: tensor<?x?xf32>, %pos: index) {
  // expected-error @+1 {{attribute 'k' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %i = ds4.select_top_k %s, %pos k(0) ratio(4) : (tensor<?x?xf32>, index) -> tensor<?x0xi32>
  return
}

// -----

func.func @scores_of_one_token(%s: tensor<?xf32>, %pos: index) {
  // expected-error @+1 {{operand 'scores' must have shape [T,R], got [?]}}
  %i = ds4.select_top_k %s, %pos k(8) ratio(4) : (tensor<?xf32>, index) -> tensor<?x8xi32>
  return
}
