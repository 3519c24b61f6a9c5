// Launches of specialised kernels.
// RUN: ds4-opt -split-input-file -verify-diagnostics --ds4-outline-kernels %s | FileCheck %s
// RUN: ds4-opt -split-input-file -verify-diagnostics --ds4-outline-kernels=exact-products %s | FileCheck %s --check-prefix=EXACT

// Two ops of one shape share a kernel; offsets move to the launch; a reshape stays.
// CHECK-DAG: #[[ADD:.*]] = affine_map<(d0, d1) -> ({{[0-9]+}}, d1, 1)>
// CHECK: ds4.kernel @[[KERNEL:.*]] implements "add" {{.*}} source "#include \22add.h\22
// CHECK-NOT: ds4.kernel
// CHECK-LABEL: @shared
// CHECK: %[[A:.*]] = ds4.launch @[[KERNEL]] grid(#[[ADD]]) updates [-1](%[[X:.*]], %[[X]]) {ds4.offsets = array<i64: 256>}
// CHECK: %[[V:.*]] = ds4.reshape %[[A]]
// CHECK: ds4.launch @[[KERNEL]] grid(#[[ADD]]) updates [-1](%[[V]], %[[V]])
// CHECK-NOT: ds4.add
func.func @shared(%x: tensor<?x64xf32>) -> tensor<?x4x16xf32> {
  %a = ds4.add %x, %x {ds4.offsets = array<i64: 256>} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %v = ds4.reshape %a : tensor<?x64xf32> -> tensor<?x4x16xf32>
  %b = ds4.add %v, %v : (tensor<?x4x16xf32>, tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  return %b : tensor<?x4x16xf32>
}

// -----

// A kernel with a hand-over between its workgroups uses scratch: 256 bytes of counters, 128 for each token and team.
// CHECK-LABEL: @site
// CHECK: ds4.launch @ds4_hc_site_f16_f32_f32_f32_d128_first{{.*}} scratch(2304) updates [-1, -1, -1, -1](
func.func @site(%s: tensor<?x4x128xf32>, %fn: !ds4.quantized<[24, 512], f16>, %base: !ds4.quantized<[24], f32>, %scale: !ds4.quantized<[3], f32>, %norm: !ds4.quantized<[128], f32>) {
  %n, %post, %comb, %x = ds4.hc_site %s, %fn, %base, %scale, %norm iterations(20) eps(1.0e-6) hc_eps(1.0e-6) norm_eps(1.0e-6) : (tensor<?x4x128xf32>, !ds4.quantized<[24, 512], f16>, !ds4.quantized<[24], f32>, !ds4.quantized<[3], f32>, !ds4.quantized<[128], f32>) -> (tensor<?x4x128xf32>, tensor<?x4xf32>, tensor<?x4x4xf32>, tensor<?x128xf32>)
  return
}

// -----

// Position and tokens come from the step block; a state result names the operand that it updates.
// CHECK-LABEL: @step
// CHECK-SAME: (%{{.*}}: tensor<?xi32>, %{{.*}}: index, %[[STATE:.*]]: !ds4.state<window, [136, 64], f16>)
// CHECK: %[[W:.*]] = ds4.weight @token_embd.weight
// CHECK: %[[E:.*]] = ds4.launch @{{.*}} updates [-1](%[[W]]) : (!ds4.quantized<[100, 64], q8_0>) -> tensor<?x1x64xf32>
// CHECK: %[[X:.*]] = ds4.reshape %[[E]]
// CHECK: %[[NEW:.*]] = ds4.launch @{{.*}} updates [0](%[[STATE]], %[[X]])
// CHECK: return %[[NEW]]
func.func @step(%tokens: tensor<?xi32>, %pos: index, %s: !ds4.state<window, [136, 64], f16>) -> !ds4.state<window, [136, 64], f16> {
  %w = ds4.weight @token_embd.weight : !ds4.quantized<[100, 64], q8_0>
  %e = ds4.embed %tokens, %w streams(1) : (tensor<?xi32>, !ds4.quantized<[100, 64], q8_0>) -> tensor<?x1x64xf32>
  %x = ds4.reshape %e : tensor<?x1x64xf32> -> tensor<?x64xf32>
  %new = ds4.window_append %s, %x, %pos
    : (!ds4.state<window, [136, 64], f16>, tensor<?x64xf32>, index) -> !ds4.state<window, [136, 64], f16>
  return %new : !ds4.state<window, [136, 64], f16>
}

// -----

// A grid may depend on the position; the selection's stride is the capacity of the rows that were scored.
// CHECK: affine_map<(d0, d1) -> ({{.*}}d0 + d1{{.*}}
// CHECK: ds4.kernel @{{.*}} implements "index_score"
// CHECK: ds4.kernel @{{.*}} implements "select_top_k" {{.*}}256
func.func @select(%q: tensor<?x2x128xf32>, %w: tensor<?x2xf32>, %rows: !ds4.state<indexer, [256, 128], f16>, %pos: index) {
  %s = ds4.index_score %q, %w, %rows, %pos ratio(4) scale(0.25)
    : (tensor<?x2x128xf32>, tensor<?x2xf32>, !ds4.state<indexer, [256, 128], f16>, index) -> tensor<?x?xf32>
  %p = ds4.select_top_k %s, %pos k(8) ratio(4) : (tensor<?x?xf32>, index) -> tensor<?x8xi32>
  return
}

// -----

// A workgroup for each part, token and group of 16 heads; parts are handed over in scratch.
// CHECK: affine_map<(d0, d1) -> (4, d1, 1)>
// CHECK: ds4.launch @ds4_masked_attention_f32_h8_d128_s136_w128_m4_k64_scale0p04_r64_base10000_selected_p4_g16_t2 {{.*}}scratch(266496)
func.func @attention(%q: tensor<?x8x128xf32>, %window: !ds4.state<window, [136, 128], f16>, %sinks: !ds4.quantized<[8], f32>,
                     %pos: index, %rows: !ds4.state<compressed, [256, 128], f16>, %picks: tensor<?x64xi32>) {
  %y = ds4.masked_attention %q, %window, %sinks, %pos rows %rows picks %picks scale(0.04) window(128) ratio(4)
    rope(<dims = 64, base = 10000.0>)
    : (tensor<?x8x128xf32>, !ds4.state<window, [136, 128], f16>, !ds4.quantized<[8], f32>, index,
       !ds4.state<compressed, [256, 128], f16>, tensor<?x64xi32>) -> tensor<?x8x128xf32>
  return
}

// -----

func.func @attention_over_other_rows(%q: tensor<?x8x128xf32>, %window: !ds4.state<window, [136, 128], f32>,
                                     %sinks: !ds4.quantized<[8], f32>, %pos: index) {
  // expected-error @+1 {{masked_attention: rows of halves and heads of 128, 256 or 512 channels only}}
  %y = ds4.masked_attention %q, %window, %sinks, %pos scale(0.04) window(128) ratio(0) rope(<dims = 64, base = 10000.0>)
    : (tensor<?x8x128xf32>, !ds4.state<window, [136, 128], f32>, !ds4.quantized<[8], f32>, index) -> tensor<?x8x128xf32>
  return
}

// -----

func.func @no_capacity(%s: tensor<?x?xf32>, %pos: index) {
  // expected-error @+1 {{scores of a dynamic number of rows must be the result of a ds4.index_score}}
  %p = ds4.select_top_k %s, %pos k(8) ratio(4) : (tensor<?x?xf32>, index) -> tensor<?x8xi32>
  return
}

// -----

func.func @unsupported_format(%x: tensor<?x256xf32>, %w: !ds4.quantized<[256], q4_k>) {
  // expected-error @+1 {{format 'q4_k' has no device code here}}
  %y = ds4.rms_norm %x, %w eps(1.0e-6) : (tensor<?x256xf32>, !ds4.quantized<[256], q4_k>) -> tensor<?x256xf32>
  return
}

// -----

// Ops that share a launch have one kernel, which gets what they read from outside, then all that they make. A tail needs
// counters in the scratch.
// CHECK: ds4.kernel @[[SHARED:ds4_shared_launch_[0-9a-f]*]] implements "shared_launch" block(256)
// CHECK-NOT: ds4.kernel
// CHECK-LABEL: @shared_launch
// CHECK-SAME: (%[[X:.*]]: tensor<?x32xf32>, %[[W:.*]]: !ds4.quantized<[64, 32], q8_0>, %[[V:.*]]: !ds4.quantized<[64], f32>)
// CHECK: ds4.launch @[[SHARED]] grid(#{{.*}}) scratch(256) updates [-1, -1](%[[X]], %[[W]], %[[V]])
func.func @shared_launch(%x: tensor<?x32xf32>, %w: !ds4.quantized<[64, 32], q8_0>, %v: !ds4.quantized<[64], f32>) {
  %r:2 = ds4.shared_launch {
    %y = ds4.linear %x, %w : (tensor<?x32xf32>, !ds4.quantized<[64, 32], q8_0>) -> tensor<?x64xf32>
    %n = ds4.rms_norm %y, %v eps(1.0e-6) : (tensor<?x64xf32>, !ds4.quantized<[64], f32>) -> tensor<?x64xf32>
    ds4.yield %y, %n : tensor<?x64xf32>, tensor<?x64xf32>
  } : tensor<?x64xf32>, tensor<?x64xf32>
  return
}

// -----

func.func @no_shared_kernel(%x: tensor<?x32xf32>) {
  // expected-error @+1 {{ds4.add has no kernel that can share a launch}}
  %r = ds4.shared_launch {
    %y = ds4.add %x, %x : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
    ds4.yield %y : tensor<?x32xf32>
  } : tensor<?x32xf32>
  return
}

// -----

// Products are fast where such a kernel exists: not for rows of 128 weights of q8_0.
// CHECK: ds4.kernel @ds4_linear_q8_0_n64_k512_fast1 implements "linear"
// CHECK: ds4.kernel @ds4_linear_q8_0_n512_k128 implements "linear"
// EXACT: ds4.kernel @ds4_linear_q8_0_n64_k512 implements "linear"
func.func @products(%x: tensor<?x512xf32>, %h: tensor<?x128xf32>, %w: !ds4.quantized<[64, 512], q8_0>, %v: !ds4.quantized<[512, 128], q8_0>) {
  %y = ds4.linear %x, %w : (tensor<?x512xf32>, !ds4.quantized<[64, 512], q8_0>) -> tensor<?x64xf32>
  %z = ds4.linear %h, %v : (tensor<?x128xf32>, !ds4.quantized<[512, 128], q8_0>) -> tensor<?x512xf32>
  return
}
