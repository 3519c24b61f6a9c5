// rms_norm, head_norm, rope, and the table of frequencies that rope and compress include.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/Rotation.h"
#include "codegen/emitters/Source.h"

namespace ds4 {

std::string ropeName(const RopeParameters &rope) {
  std::string name = fmt::format("r{}_base{}", rope.dims, floatName(static_cast<float>(rope.base)));
  if (rope.factor != 1)
    name += fmt::format("_yarn{}_o{}_f{}_s{}", floatName(static_cast<float>(rope.factor)),
                        floatName(static_cast<float>(rope.originalContext)), floatName(static_cast<float>(rope.betaFast)),
                        floatName(static_cast<float>(rope.betaSlow)));
  return name;
}

std::string ropeTable(const RopeParameters &rope) {
  std::vector<std::string> literals;
  for (float frequency : ropeFrequencies(rope))
    literals.push_back(floatLiteral(frequency));
  return fmt::format("DS4_CONSTANT float kFrequencies[] = {{{}}};\n", fmt::join(literals, ", "));
}

KernelSource kernelSource(const RmsNormShape &s) {
  const DeviceFormat &format = vectorFormat("rms_norm", s.format, s.width);
  return KernelSource{
      .op = "rms_norm",
      .specialisation = fmt::format("{}_d{}_eps{}", s.format, s.width, floatName(s.eps)),
      .formats = {&format},
      .parameters = "const float *x, const void *weight, float *y",
      .call = fmt::format("ds4::rmsNorm<{}, {}, {}>({}, x, weight, y, workgroup)", format.type, s.width, kSharedWaves,
                          floatLiteral(s.eps)),
      .movable = true,
      .threads = 32 * kSharedWaves,
  };
}

KernelSource kernelSource(const HeadNormShape &s) {
  return KernelSource{
      .op = "head_norm",
      .specialisation = fmt::format("h{}_d{}_eps{}", s.heads, s.width, floatName(s.eps)),
      .parameters = "const float *x, float *y",
      .call = fmt::format("ds4::headNorm<{}, {}, {}>({}, x, y, workgroup)", s.heads, s.width, kSharedWaves, floatLiteral(s.eps)),
      .movable = true,
      .piece = kSharedWaves * s.width,
      .threads = 32 * kSharedWaves,
      .grid = {ceilDiv(s.heads, kSharedWaves), StepExpr::q(), 1},
  };
}

KernelSource kernelSource(const RopeShape &s) {
  requireShape(s.width % 2 == 0 && s.rope.dims % 2 == 0 && s.rope.dims <= s.width, "rope", "channels turn in pairs");
  int run = s.width % 4 == 0 && s.rope.dims % 4 == 0 ? 4 : 2; // kTurn of kernels/rope.h
  constexpr int kThreads = 32 * kSharedWaves;
  if (s.normEps != 0)
    return KernelSource{
        .op = "rope",
        .specialisation = fmt::format("h{}_d{}_{}{}_norm{}", s.heads, s.width, ropeName(s.rope), s.inverse ? "_inverse" : "",
                                      floatName(s.normEps)),
        .prelude = ropeTable(s.rope),
        .parameters = "const float *x, float *y",
        .call = fmt::format("ds4::normedRope<{}, {}, {}, {}, {}>(step, {}, kFrequencies, x, y, workgroup)", s.heads, s.width,
                            s.rope.dims, kSharedWaves, s.inverse, floatLiteral(s.normEps)),
        .movable = true,
        .piece = kSharedWaves * s.width,
        .threads = kThreads,
        .grid = {ceilDiv(s.heads, kSharedWaves), StepExpr::q(), 1},
    };
  return KernelSource{
      .op = "rope",
      .specialisation = fmt::format("h{}_d{}_{}{}", s.heads, s.width, ropeName(s.rope), s.inverse ? "_inverse" : ""),
      .prelude = ropeTable(s.rope),
      .parameters = "const float *x, float *y",
      .call = fmt::format("ds4::rope<{}, {}, {}, {}, {}>(step, kFrequencies, x, y, workgroup)", s.heads, s.width, s.rope.dims,
                          kThreads, s.inverse),
      .movable = true,
      .piece = kThreads * run,
      .threads = kThreads,
      .grid = {ceilDiv(s.heads * s.width, kThreads * run), StepExpr::q(), 1},
  };
}

KernelSpec emitKernel(const RmsNormShape &shape) { return kernelSource(shape).finish(); }
KernelSpec emitKernel(const HeadNormShape &shape) { return kernelSource(shape).finish(); }
KernelSpec emitKernel(const RopeShape &shape) { return kernelSource(shape).finish(); }

} // namespace ds4
