// ds4.shared_launch: ops that share one launch.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

!row = tensor<?x64xf32>
!w = !ds4.quantized<[64, 32], q8_0>

// CHECK-LABEL: @shared_launch
// CHECK: %{{.*}}:2 = ds4.shared_launch {
// CHECK-NEXT: %[[Y:.*]] = ds4.linear
// CHECK-NEXT: %[[N:.*]] = ds4.rms_norm %[[Y]]
// CHECK-NEXT: ds4.yield %[[Y]], %[[N]] : tensor<?x64xf32>, tensor<?x64xf32>
// CHECK-NEXT: } {ds4.names = ["y", "n"]} : tensor<?x64xf32>, tensor<?x64xf32>
func.func @shared_launch(%x: tensor<?x32xf32>, %w: !w, %v: !ds4.quantized<[64], f32>) -> (!row, !row) {
  %r:2 = ds4.shared_launch {
    %y = ds4.linear %x, %w : (tensor<?x32xf32>, !w) -> !row
    %n = ds4.rms_norm %y, %v eps(1.0e-6) : (!row, !ds4.quantized<[64], f32>) -> !row
    ds4.yield %y, %n : !row, !row
  } {ds4.names = ["y", "n"]} : !row, !row
  return %r#0, %r#1 : !row, !row
}

// -----

func.func @not_all(%x: tensor<?x32xf32>, %w: !ds4.quantized<[64, 32], q8_0>) {
  // expected-error @+1 {{must yield the results of its ops, all of them and in order}}
  ds4.shared_launch {
    %y = ds4.linear %x, %w : (tensor<?x32xf32>, !ds4.quantized<[64, 32], q8_0>) -> tensor<?x64xf32>
    ds4.yield
  }
  return
}

// -----

func.func @types(%x: tensor<?x32xf32>, %w: !ds4.quantized<[64, 32], q8_0>) {
  // expected-error @+1 {{must have the types of the values that it yields}}
  %r = ds4.shared_launch {
    %y = ds4.linear %x, %w : (tensor<?x32xf32>, !ds4.quantized<[64, 32], q8_0>) -> tensor<?x64xf32>
    ds4.yield %y : tensor<?x64xf32>
  } : tensor<?x65xf32>
  return
}

// -----

func.func @no_primitive() {
  ds4.shared_launch {
    // expected-error @+1 {{cannot share a launch: expected primitive ops and reshapes}}
    %w = ds4.weight @w : !ds4.quantized<[64, 32], q8_0>
    ds4.yield
  }
  return
}
