// ds4.yield: the results of a shared launch, and of nothing else.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @yield
// CHECK: ds4.yield %{{.*}} : tensor<?x8xf32>
func.func @yield(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = ds4.shared_launch {
    %y = ds4.add %x, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    ds4.yield %y : tensor<?x8xf32>
  } : tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

func.func @elsewhere(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{expects parent op 'ds4.shared_launch'}}
  ds4.yield %x : tensor<?x8xf32>
}
