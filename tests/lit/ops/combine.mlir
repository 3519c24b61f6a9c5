// ds4.combine: the weighted sum over the slots.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @combine
// CHECK: ds4.combine %{{.*}}, %{{.*}} : (tensor<?x6x256xf32>, tensor<?x6xf32>) -> tensor<?x256xf32>
func.func @combine(%y: tensor<?x6x256xf32>, %w: tensor<?x6xf32>) {
  %x = ds4.combine %y, %w : (tensor<?x6x256xf32>, tensor<?x6xf32>) -> tensor<?x256xf32>
  return
}

// -----

func.func @weights_of_other_slots(%y: tensor<?x6x256xf32>, %w: tensor<?x4xf32>) {
  // expected-error @+1 {{operand 'weights' must have shape [T,U] = [?, 6], got [?, 4]}}
  %x = ds4.combine %y, %w : (tensor<?x6x256xf32>, tensor<?x4xf32>) -> tensor<?x256xf32>
  return
}

// -----

func.func @no_slots(%y: tensor<?x256xf32>, %w: tensor<?x6xf32>) {
  // expected-error @+1 {{operand 'y' must have shape [T,U,D], got [?, 256]}}
  %x = ds4.combine %y, %w : (tensor<?x256xf32>, tensor<?x6xf32>) -> tensor<?x256xf32>
  return
}
