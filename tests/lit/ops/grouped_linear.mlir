// ds4.grouped_linear: group g multiplies rows g*N.. of W with columns g*K.. of x.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @grouped_linear
// CHECK: ds4.grouped_linear %{{.*}}, %{{.*}} groups(4) : (tensor<?x512xf32>, !ds4.quantized<[64, 128], f16>) -> tensor<?x64xf32>
func.func @grouped_linear(%x: tensor<?x512xf32>, %w: !ds4.quantized<[64, 128], f16>) {
  %y = ds4.grouped_linear %x, %w groups(4) : (tensor<?x512xf32>, !ds4.quantized<[64, 128], f16>) -> tensor<?x64xf32>
  return
}

// -----

func.func @groups_do_not_divide_x(%x: tensor<?x510xf32>, %w: !ds4.quantized<[64, 128], f16>) {
  // expected-error @+1 {{operand 'x' must have shape [T,$groups*K], got [?, 510]}}
  %y = ds4.grouped_linear %x, %w groups(4) : (tensor<?x510xf32>, !ds4.quantized<[64, 128], f16>) -> tensor<?x64xf32>
  return
}

// -----

func.func @groups_do_not_divide_rows(%x: tensor<?x512xf32>, %w: !ds4.quantized<[63, 128], f16>) {
  // expected-error @+1 {{operand 'weight' must have shape [$groups*N,K] = [$groups*N, 128], got [63, 128]}}
  %y = ds4.grouped_linear %x, %w groups(4) : (tensor<?x512xf32>, !ds4.quantized<[63, 128], f16>) -> tensor<?x63xf32>
  return
}

// -----

func.func @rows_span_all_groups(%x: tensor<?x512xf32>, %w: !ds4.quantized<[64, 512], f16>) {
  // expected-error @+1 {{operand 'weight' must have shape [$groups*N,K] = [$groups*N, 128], got [64, 512]}}
  %y = ds4.grouped_linear %x, %w groups(4) : (tensor<?x512xf32>, !ds4.quantized<[64, 512], f16>) -> tensor<?x64xf32>
  return
}
