// embed, add, concat, stream_mean, shift_tokens, swiglu, combine, quantize_activation.
#include <algorithm>

#include <fmt/format.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/Source.h"
#include "support/Error.h"

namespace ds4 {

KernelSpec emitKernel(const EmbedShape &s) {
  const DeviceFormat &format = rowFormat("embed", s.format, s.width);
  Elementwise work = elementwise(s.width, s.width % format.run == 0 ? format.run : 1);
  return KernelSource{
      .op = "embed",
      .specialisation = fmt::format("{}_d{}_s{}{}", s.format, s.width, s.streams, s.idsOfStep ? "" : "_ids"),
      .formats = {&format},
      .parameters = s.idsOfStep ? "const void *table, float *y" : "const int *ids, const void *table, float *y",
      .call = fmt::format("ds4::embed<{}, {}, {}, {}>({}, table, y)", format.type, s.width, s.streams, work.threads,
                          s.idsOfStep ? "step->token" : "ids"),
      .threads = work.threads,
      .grid = {work.blocks, StepExpr::q(), 1},
  }
      .finish();
}

KernelSpec emitKernel(const AddShape &s) {
  Elementwise work = elementwise(s.width, quad(s.width));
  return KernelSource{
      .op = "add",
      .specialisation = fmt::format("n{}", s.width),
      .parameters = "const float *a, const float *b, float *y",
      .call = fmt::format("ds4::add<{}, {}>(a, b, y)", s.width, work.threads),
      .threads = work.threads,
      .grid = {work.blocks, StepExpr::q(), 1},
  }
      .finish();
}

KernelSpec emitKernel(const ConcatShape &s) {
  Elementwise work = elementwise(s.a + s.b, std::min(quad(s.a), quad(s.b)));
  return KernelSource{
      .op = "concat",
      .specialisation = fmt::format("a{}_b{}", s.a, s.b),
      .parameters = "const float *a, const float *b, float *y",
      .call = fmt::format("ds4::concat<{}, {}, {}>(a, b, y)", s.a, s.b, work.threads),
      .threads = work.threads,
      .grid = {work.blocks, StepExpr::q(), 1},
  }
      .finish();
}

KernelSpec emitKernel(const StreamMeanShape &s) {
  Elementwise work = elementwise(s.width, quad(s.width));
  return KernelSource{
      .op = "stream_mean",
      .specialisation = fmt::format("d{}_s{}", s.width, s.streams),
      .parameters = "const float *streams, float *y",
      .call = fmt::format("ds4::streamMean<{}, {}, {}>(streams, y)", s.width, s.streams, work.threads),
      .threads = work.threads,
      .grid = {work.blocks, StepExpr::q(), 1},
  }
      .finish();
}

KernelSpec emitKernel(const ShiftTokensShape &) {
  return KernelSource{
      .op = "shift_tokens",
      .specialisation = "i32",
      .parameters = "const int *next, int *ids",
      .call = "ds4::shiftTokens(step, next, ids)",
  }
      .finish();
}

KernelSpec emitKernel(const SwigluShape &s) {
  Elementwise work = elementwise(s.width, quad(s.width));
  return KernelSource{
      .op = "swiglu",
      .specialisation = fmt::format("n{}_limit{}", s.width, floatName(s.limit)),
      .parameters = "const float *gate, const float *up, float *y",
      .call = fmt::format("ds4::swiglu<{}, {}>({}, gate, up, y)", s.width, work.threads, floatLiteral(s.limit)),
      .threads = work.threads,
      .grid = {work.blocks, StepExpr::q(), 1},
  }
      .finish();
}

KernelSpec emitKernel(const CombineShape &s) {
  Elementwise work = elementwise(s.width, quad(s.width));
  return KernelSource{
      .op = "combine",
      .specialisation = fmt::format("u{}_d{}", s.used, s.width),
      .parameters = "const float *y, const float *weights, float *out",
      .call = fmt::format("ds4::combine<{}, {}, {}>(y, weights, out)", s.used, s.width, work.threads),
      .threads = work.threads,
      .grid = {work.blocks, StepExpr::q(), 1},
  }
      .finish();
}

KernelSource kernelSource(const ToHalfShape &s) {
  return KernelSource{
      .op = "to_half",
      .specialisation = fmt::format("n{}", s.width),
      .parameters = "const float *x, ds4::U16 *y",
      .call = fmt::format("ds4::toHalf<{}, {}>(x, y, workgroup)", s.width, kSharedWaves),
      .movable = true,
      .threads = 32 * kSharedWaves,
  };
}
KernelSpec emitKernel(const ToHalfShape &shape) { return kernelSource(shape).finish(); }

KernelSpec emitKernel(const ScaleToHalfShape &s) {
  constexpr std::string_view op = "scale_to_half";
  requireShape(s.width > 0 && s.width % 8 == 0 && s.width <= ScaleToHalfShape::kMostWidth, op,
               fmt::format("a row of {} values is no multiple of 8 up to {}", s.width, ScaleToHalfShape::kMostWidth));
  const int waves = wavesOfRow(s.width);
  return KernelSource{
      .op = op,
      .specialisation = fmt::format("r{}_n{}", s.rows, s.width),
      .parameters = "const float *x, ds4::U16 *halves, float *scales",
      .call = fmt::format("ds4::scaleToHalf<{}, {}, {}>(x, halves, scales)", s.rows, s.width, waves),
      .threads = 32 * waves,
      .grid = {s.rows, StepExpr::q(), 1},
  }
      .finish();
}

KernelSpec emitKernel(const QuantizeActivationShape &s) {
  constexpr std::string_view op = "quantize_activation";
  requireShape(s.block == 32 || s.block == 64 || s.block == 128, op, "a block has 32, 64 or 128 values");
  requireShape(s.width % s.block == 0, op, "a row has whole blocks");
  std::string_view scheme = s.scheme == "fp8" ? "Fp8" : s.scheme == "fp4" ? "Fp4" : s.scheme == "int8" ? "Int8" : "";
  if (scheme.empty())
    userError("{}: unknown scheme '{}': use fp8, fp4 or int8", op, s.scheme);
  Elementwise work = elementwise(s.width, 4);
  return KernelSource{
      .op = op,
      .specialisation = fmt::format("{}_n{}_b{}", s.scheme, s.width, s.block),
      .parameters = "const float *x, float *y",
      .call = fmt::format("ds4::quantizeActivation<ds4::Scheme::{}, {}, {}, {}>(x, y)", scheme, s.width, s.block, work.threads),
      .threads = work.threads,
      .grid = {work.blocks, StepExpr::q(), 1},
  }
      .finish();
}

} // namespace ds4
