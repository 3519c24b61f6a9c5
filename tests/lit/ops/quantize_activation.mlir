// ds4.quantize_activation: rounds blocks to a low-precision format and back.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @quantize_activation
// CHECK: ds4.quantize_activation %{{.*}} scheme fp8 block(64) : (tensor<?x512xf32>) -> tensor<?x512xf32>
// CHECK: scheme fp4 block(32)
// CHECK: scheme int8 block(64) : (tensor<?x8x64xf32>)
func.func @quantize_activation(%x: tensor<?x512xf32>, %h: tensor<?x8x64xf32>) {
  %a = ds4.quantize_activation %x scheme fp8 block(64) : (tensor<?x512xf32>) -> tensor<?x512xf32>
  %b = ds4.quantize_activation %x scheme fp4 block(32) : (tensor<?x512xf32>) -> tensor<?x512xf32>
  %c = ds4.quantize_activation %h scheme int8 block(64) : (tensor<?x8x64xf32>) -> tensor<?x8x64xf32>
  return
}

// -----

func.func @part_of_a_block(%x: tensor<?x96xf32>) {
  // expected-error @+1 {{rows of 96 values are not whole blocks of 64}}
  %a = ds4.quantize_activation %x scheme fp8 block(64) : (tensor<?x96xf32>) -> tensor<?x96xf32>
  return
}

// -----

func.func @no_block(%x: tensor<?x96xf32>) {
  // expected-error @+1 {{attribute 'block' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %a = ds4.quantize_activation %x scheme fp8 block(0) : (tensor<?x96xf32>) -> tensor<?x96xf32>
  return
}

// -----

func.func @unknown_scheme(%x: tensor<?x96xf32>) {
  // expected-error @+2 {{failed to parse Ds4_QuantizationSchemeAttr parameter 'value'}}
  // expected-error @+1 {{expected ::ds4::QuantizationScheme to be one of: fp8, fp4, int8}}
  %a = ds4.quantize_activation %x scheme fp6 block(32) : (tensor<?x96xf32>) -> tensor<?x96xf32>
  return
}
