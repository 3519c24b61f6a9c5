// router, hash_router; and what follows the logits: argmax, sample.
#include <fmt/format.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/Source.h"

namespace ds4 {

KernelSpec emitKernel(const RouterShape &s) {
  const DeviceFormat &bias = vectorFormat("router", s.biasFormat, s.experts);
  requireShape(s.k <= 32 && s.k <= s.experts && s.experts <= 1024, "router", "chooses at most 32 of at most 1024 experts");
  return KernelSource{
      .op = "router",
      .specialisation = fmt::format("{}_e{}_k{}_scale{}", s.biasFormat, s.experts, s.k, floatName(s.scale)),
      .formats = {&bias},
      .parameters = "const float *logits, const void *bias, int *ids, float *weights",
      .call =
          fmt::format("ds4::router<{}, {}, {}>({}, logits, bias, ids, weights)", bias.type, s.experts, s.k, floatLiteral(s.scale)),
  }
      .finish();
}

KernelSpec emitKernel(const HashRouterShape &s) {
  requireShape(s.used <= 32, "hash_router", "a token has at most 32 experts");
  return KernelSource{
      .op = "hash_router",
      .specialisation = fmt::format("e{}_u{}_scale{}{}", s.experts, s.used, floatName(s.scale), s.idsOfStep ? "" : "_ids"),
      .parameters = s.idsOfStep ? "const float *logits, const int *table, int *ids, float *weights"
                                : "const float *logits, const int *tokens, const int *table, int *ids, float *weights",
      .call = fmt::format("ds4::hashRouter<{}, {}>(step, {}{}, logits, table, ids, weights)", s.experts, s.used,
                          s.idsOfStep ? "" : "tokens, ", floatLiteral(s.scale)),
  }
      .finish();
}

KernelSpec emitKernel(const GroupSlotsShape &s) {
  constexpr int kWaves = 8;
  return KernelSource{
      .op = "group_slots",
      .specialisation = fmt::format("e{}_u{}", s.experts, s.used),
      .parameters = "const int *ids, int *order, int *starts",
      .call = fmt::format("ds4::groupSlots<{}, {}, {}>(step, ids, order, starts)", s.experts, s.used, kWaves),
      .threads = 32 * kWaves,
      .grid = {s.experts + 1, 1, 1},
  }
      .finish();
}

static int wavesOfVocabulary(int vocabulary) { return vocabulary <= 16384 ? 8 : 32; }

KernelSource kernelSource(const ArgmaxShape &s) {
  int waves = wavesOfVocabulary(s.vocabulary);
  return KernelSource{
      .op = "argmax",
      .specialisation = fmt::format("v{}", s.vocabulary),
      .parameters = "const float *logits, int *ids",
      .call = fmt::format("ds4::argmax<{}, {}>(logits, ids, workgroup)", s.vocabulary, waves),
      .movable = true,
      .threads = 32 * waves,
  };
}

KernelSource kernelSource(const SampleShape &s) {
  int waves = wavesOfVocabulary(s.vocabulary);
  return KernelSource{
      .op = "sample",
      .specialisation = fmt::format("v{}", s.vocabulary),
      .parameters = "const float *logits, int *ids",
      .call = fmt::format("ds4::sample<{}, {}>(step, logits, ids, workgroup)", s.vocabulary, waves),
      .movable = true,
      .threads = 32 * waves,
  };
}

KernelSpec emitKernel(const ArgmaxShape &shape) { return kernelSource(shape).finish(); }
KernelSpec emitKernel(const SampleShape &shape) { return kernelSource(shape).finish(); }

} // namespace ds4
