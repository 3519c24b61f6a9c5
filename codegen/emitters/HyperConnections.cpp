// hc_coefficients, sinkhorn, hc_read, hc_write, hc_head.
#include <numeric>

#include <fmt/format.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/Source.h"
#include "codegen/kernels/scratch.h"
#include "codegen/kernels/step.h"

namespace ds4 {

KernelSpec emitKernel(const HcCoefficientsShape &s) {
  constexpr std::string_view op = "hc_coefficients";
  constexpr int kCoefficients = 24;
  const int width = 4 * s.width;
  const DeviceFormat &fn = rowFormat(op, s.fnFormat, width), &base = vectorFormat(op, s.baseFormat, kCoefficients);
  const DeviceFormat &scale = vectorFormat(op, s.scaleFormat, 3);
  const std::string types = fmt::format("{}, {}, {}, {}", fn.type, base.type, scale.type, s.width);
  KernelSource kernel{
      .op = op,
      .specialisation = fmt::format("{}_{}_{}_d{}_eps{}{}", s.fnFormat, s.baseFormat, s.scaleFormat, s.width, floatName(s.eps),
                                    s.chunk ? "_chunk" : ""),
      .formats = {&fn, &base, &scale},
  };
  const int waveColumns = 32 * (s.fnFormat == "f16" ? 8 : 4);
  if (!fn.element || width % waveColumns != 0) {
    constexpr int kWaves = 4;
    kernel.parameters = "const float *streams, const void *fn, const void *base, const void *scale, float *c";
    kernel.call =
        fmt::format("ds4::hcCoefficientsByRows<{}, {}>({}, streams, fn, base, scale, c)", types, kWaves, floatLiteral(s.eps));
    kernel.threads = 32 * kWaves;
    kernel.grid = {kCoefficients / kWaves, StepExpr::q(), 1};
    return kernel.finish();
  }
  const int parts = width / waveColumns, waves = std::gcd(parts, 4), workgroups = parts / waves;
  if (s.chunk) {
    constexpr int kTokens = 8; // kHcTokens of kernels/hc_coefficients.h
    kernel.parameters = "const float *streams, const void *fn, const void *base, const void *scale, float *c";
    kernel.call = fmt::format("ds4::hcCoefficientsByTokens<{}, {}>({}, step, streams, fn, base, scale, c)", types, waves,
                              floatLiteral(s.eps));
    kernel.threads = 32 * waves;
    kernel.grid = {(StepExpr::q() + (kTokens - 1)).floorDiv(kTokens), 1, 1};
    kernel.vgprs = 160;
    return kernel.finish();
  }
  kernel.parameters = "const float *streams, const void *fn, const void *base, const void *scale, float *c, void *scratch";
  kernel.call = fmt::format("ds4::hcCoefficientsByColumns<{}, {}>({}, step, streams, fn, base, scale, c, scratch)", types, waves,
                            floatLiteral(s.eps));
  kernel.threads = 32 * waves;
  kernel.grid = {workgroups, 1, 1};
  kernel.vgprs = 144;
  KernelSpec spec = kernel.finish();
  spec.scratchBytes = kScratchCounterBytes + kMaxWidth * workgroups * 32 * 4;
  return spec;
}

KernelSpec emitKernel(const SinkhornShape &s) {
  return KernelSource{
      .op = "sinkhorn",
      .specialisation = fmt::format("i{}_eps{}", s.iterations, floatName(s.eps)),
      .parameters = "const float *c, float *pre, float *post, float *comb",
      .call = fmt::format("ds4::sinkhorn({}, {}, c, pre, post, comb)", s.iterations, floatLiteral(s.eps)),
  }
      .finish();
}

KernelSpec emitKernel(const HcReadShape &s) {
  Elementwise work = elementwise(s.width, quad(s.width));
  return KernelSource{
      .op = "hc_read",
      .specialisation = fmt::format("d{}", s.width),
      .parameters = "const float *streams, const float *pre, float *x",
      .call = fmt::format("ds4::hcRead<{}, {}>(streams, pre, x)", s.width, work.threads),
      .threads = work.threads,
      .grid = {work.blocks, StepExpr::q(), 1},
  }
      .finish();
}

KernelSource kernelSource(const HcWriteShape &s) {
  constexpr int kThreads = 32 * kSharedWaves;
  return KernelSource{
      .op = "hc_write",
      .specialisation = fmt::format("d{}", s.width),
      .parameters = "const float *y, const float *streams, const float *post, const float *comb, float *out",
      .call = fmt::format("ds4::hcWrite<{}, {}>(y, streams, post, comb, out, workgroup)", s.width, kThreads),
      .movable = true,
      .threads = kThreads,
      .grid = {ceilDiv(s.width, kThreads * quad(s.width)), StepExpr::q(), 1},
  };
}

KernelSource kernelSource(const HcHeadShape &s) {
  constexpr std::string_view op = "hc_head";
  const DeviceFormat &fn = rowFormat(op, s.fnFormat, 4 * s.width), &base = vectorFormat(op, s.baseFormat, 4);
  const DeviceFormat &scale = vectorFormat(op, s.scaleFormat, 1);
  return KernelSource{
      .op = op,
      .specialisation = fmt::format("{}_{}_{}_d{}_eps{}_hc{}", s.fnFormat, s.baseFormat, s.scaleFormat, s.width, floatName(s.eps),
                                    floatName(s.hcEps)),
      .formats = {&fn, &base, &scale},
      .parameters = "const float *streams, const void *fn, const void *base, const void *scale, float *x",
      .call = fmt::format("ds4::hcHead<{}, {}, {}, {}, {}>({}, {}, streams, fn, base, scale, x, workgroup)", fn.type, base.type,
                          scale.type, s.width, kSharedWaves, floatLiteral(s.eps), floatLiteral(s.hcEps)),
      .movable = true,
      .threads = 32 * kSharedWaves,
  };
}

KernelSpec emitKernel(const HcWriteShape &shape) { return kernelSource(shape).finish(); }
KernelSpec emitKernel(const HcHeadShape &shape) { return kernelSource(shape).finish(); }

} // namespace ds4
