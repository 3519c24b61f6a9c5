// ds4.group_slots: slots ordered by expert.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @group_slots
// CHECK: ds4.group_slots %{{.*}} experts(256) : (tensor<?x6xi32>) -> (tensor<?x6xi32>, tensor<257xi32>)
func.func @group_slots(%ids: tensor<?x6xi32>) {
  %order, %starts = ds4.group_slots %ids experts(256) : (tensor<?x6xi32>) -> (tensor<?x6xi32>, tensor<257xi32>)
  return
}

// -----

func.func @starts_of_other_experts(%ids: tensor<?x6xi32>) {
  // expected-error @+1 {{result #1 must be 'tensor<257xi32>', got 'tensor<256xi32>'}}
  %order, %starts = ds4.group_slots %ids experts(256) : (tensor<?x6xi32>) -> (tensor<?x6xi32>, tensor<256xi32>)
  return
}

// -----

func.func @no_experts(%ids: tensor<?x6xi32>) {
  // expected-error @+1 {{attribute 'experts' failed to satisfy constraint}}
  %order, %starts = ds4.group_slots %ids experts(0) : (tensor<?x6xi32>) -> (tensor<?x6xi32>, tensor<1xi32>)
  return
}
