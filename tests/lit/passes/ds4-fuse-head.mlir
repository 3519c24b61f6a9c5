// What comes before and after the vocabulary's product.
// RUN: ds4-opt -split-input-file --pass-pipeline='builtin.module(func.func(ds4-fuse-head))' %s | FileCheck %s

!streams = tensor<?x4x64xf32>
!row = tensor<?x64xf32>

// CHECK-LABEL: @head
// CHECK: %[[R:.*]]:3 = ds4.shared_launch {
// CHECK-NEXT: %[[S:.*]] = ds4.hc_write
// CHECK-NEXT: %[[H:.*]] = ds4.hc_head %[[S]]
// CHECK-NEXT: %[[X:.*]] = ds4.rms_norm %[[H]]
// CHECK-NEXT: ds4.yield %[[S]], %[[H]], %[[X]]
// CHECK: %[[L:.*]] = ds4.linear %[[R]]#2
// CHECK: %[[C:.*]]:2 = ds4.shared_launch {
// CHECK-NEXT: %[[A:.*]] = ds4.argmax %[[L]]
// CHECK-NEXT: %[[B:.*]] = ds4.sample %[[L]]
// CHECK-NEXT: ds4.yield %[[A]], %[[B]]
// CHECK: return %[[C]]#0, %[[C]]#1
func.func @head(%y: !row, %s: !streams, %post: tensor<?x4xf32>, %comb: tensor<?x4x4xf32>, %fn: !ds4.quantized<[4, 256], f16>, %base: !ds4.quantized<[4], f32>, %scale: !ds4.quantized<[1], f32>, %norm: !ds4.quantized<[64], f32>, %w: !ds4.quantized<[100, 64], q8_0>) -> (tensor<?xi32>, tensor<?xi32>) {
  %s1 = ds4.hc_write %y, %s, %post, %comb : (!row, !streams, tensor<?x4xf32>, tensor<?x4x4xf32>) -> !streams
  %h = ds4.hc_head %s1, %fn, %base, %scale eps(1.0e-6) hc_eps(1.0e-6) : (!streams, !ds4.quantized<[4, 256], f16>, !ds4.quantized<[4], f32>, !ds4.quantized<[1], f32>) -> !row
  %x = ds4.rms_norm %h, %norm eps(1.0e-6) : (!row, !ds4.quantized<[64], f32>) -> !row
  %l = ds4.linear %x, %w : (!row, !ds4.quantized<[100, 64], q8_0>) -> tensor<?x100xf32>
  %a = ds4.argmax %l : (tensor<?x100xf32>) -> tensor<?xi32>
  %b = ds4.sample %l : (tensor<?x100xf32>) -> tensor<?xi32>
  return %a, %b : tensor<?xi32>, tensor<?xi32>
}

// -----

// A head whose sum has another reader, and a choice of one kind, stay.
// CHECK-LABEL: @left
// CHECK-NOT: ds4.shared_launch
func.func @left(%y: tensor<?x64xf32>, %s: tensor<?x4x64xf32>, %post: tensor<?x4xf32>, %comb: tensor<?x4x4xf32>, %fn: !ds4.quantized<[4, 256], f16>, %base: !ds4.quantized<[4], f32>, %scale: !ds4.quantized<[1], f32>, %norm: !ds4.quantized<[64], f32>) -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?xi32>) {
  %s1 = ds4.hc_write %y, %s, %post, %comb : (tensor<?x64xf32>, tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>) -> tensor<?x4x64xf32>
  %h = ds4.hc_head %s1, %fn, %base, %scale eps(1.0e-6) hc_eps(1.0e-6) : (tensor<?x4x64xf32>, !ds4.quantized<[4, 256], f16>, !ds4.quantized<[4], f32>, !ds4.quantized<[1], f32>) -> tensor<?x64xf32>
  %x = ds4.rms_norm %h, %norm eps(1.0e-6) : (tensor<?x64xf32>, !ds4.quantized<[64], f32>) -> tensor<?x64xf32>
  %a = ds4.argmax %x : (tensor<?x64xf32>) -> tensor<?xi32>
  return %x, %h, %a : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?xi32>
}

// -----

// Streams that a drafter taps are written whether there is a head or not.
// CHECK-LABEL: @tapped
// CHECK-NOT: ds4.shared_launch
func.func @tapped(%y: tensor<?x64xf32>, %s: tensor<?x4x64xf32>, %post: tensor<?x4xf32>, %comb: tensor<?x4x4xf32>, %fn: !ds4.quantized<[4, 256], f16>, %base: !ds4.quantized<[4], f32>, %scale: !ds4.quantized<[1], f32>, %norm: !ds4.quantized<[64], f32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %s1 = ds4.hc_write %y, %s, %post, %comb : (tensor<?x64xf32>, tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>) -> tensor<?x4x64xf32>
  %h = ds4.hc_head %s1, %fn, %base, %scale eps(1.0e-6) hc_eps(1.0e-6) : (tensor<?x4x64xf32>, !ds4.quantized<[4, 256], f16>, !ds4.quantized<[4], f32>, !ds4.quantized<[1], f32>) -> tensor<?x64xf32>
  %x = ds4.rms_norm %h, %norm eps(1.0e-6) : (tensor<?x64xf32>, !ds4.quantized<[64], f32>) -> tensor<?x64xf32>
  %m = ds4.stream_mean %s1 : (tensor<?x4x64xf32>) -> tensor<?x64xf32>
  return %x, %m : tensor<?x64xf32>, tensor<?x64xf32>
}
