// HIP C++ source to a gfx code object, in process: Clang 22 and lld, nothing executed, nothing written but one
// temporary file in memory. Thread-safe: compiles run in parallel, links one at a time (lld keeps global state).
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ds4 {

struct CompileRequest {
  std::string name = "kernel.hip"; // for diagnostics
  std::string source;
  std::vector<std::pair<std::string, std::string>> headers; // include name -> text, found by #include "name"
  std::string architecture = "gfx1151";
  std::vector<std::string> options; // extra driver-style options: -D, -O, -std
};

struct CompileResult {
  bool ok = false;
  std::string log;                   // diagnostics of Clang and lld, warnings included
  std::vector<std::byte> codeObject; // AMDGPU ELF
};

CompileResult compileHip(const CompileRequest &request);

// Identity of this compiler for kernel cache keys: "clang 22.1.8 ...".
std::string compilerIdentity();

} // namespace ds4
