// ds4.concat: the values of a, then those of b.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @concat
// CHECK: ds4.concat %{{.*}}, %{{.*}} : (tensor<?x512xf32>, tensor<?x64xf32>) -> tensor<?x576xf32>
func.func @concat(%a: tensor<?x512xf32>, %b: tensor<?x64xf32>) {
  %y = ds4.concat %a, %b : (tensor<?x512xf32>, tensor<?x64xf32>) -> tensor<?x576xf32>
  return
}

// -----

func.func @other_width(%a: tensor<?x512xf32>, %b: tensor<?x64xf32>) {
  // expected-error @+1 {{result #0 must be 'tensor<?x576xf32>', got 'tensor<?x512xf32>'}}
  %y = ds4.concat %a, %b : (tensor<?x512xf32>, tensor<?x64xf32>) -> tensor<?x512xf32>
  return
}

// -----

func.func @streams(%a: tensor<?x4x8xf32>, %b: tensor<?x8xf32>) {
  // expected-error @+1 {{operand 'a' must have shape [T,A], got [?, 4, 8]}}
  %y = ds4.concat %a, %b : (tensor<?x4x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  return
}
