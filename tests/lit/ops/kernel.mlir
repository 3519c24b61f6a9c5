// ds4.kernel: a specialised kernel.
// RUN: ds4-opt -split-input-file -verify-diagnostics %s | ds4-opt -split-input-file | FileCheck %s

// CHECK: ds4.kernel @ds4_add_n512 implements "add" block(128) vgprs(96) lds(0) source "#include \22add.h\22"
ds4.kernel @ds4_add_n512 implements "add" block(128) vgprs(96) lds(0) source "#include \"add.h\""

// -----

// expected-error @+1 {{block must be a multiple of 32 up to 1024, got 100}}
ds4.kernel @k implements "add" block(100) vgprs(96) lds(0) source ""

// -----

// expected-error @+1 {{block must be a multiple of 32 up to 1024, got 2048}}
ds4.kernel @k implements "add" block(2048) vgprs(96) lds(0) source ""

// -----

// expected-error @+1 {{a budget has at most 256 VGPRs, got 257}}
ds4.kernel @k implements "add" block(32) vgprs(257) lds(0) source ""

// -----

// expected-error @+1 {{a budget has at most 65536 bytes of LDS, got 65537}}
ds4.kernel @k implements "add" block(32) vgprs(96) lds(65537) source ""

// -----

func.func @inside() {
  // expected-error @+1 {{expects parent op 'builtin.module'}}
  ds4.kernel @k implements "add" block(32) vgprs(96) lds(0) source ""
  return
}
