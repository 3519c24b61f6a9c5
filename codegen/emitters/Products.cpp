// linear, grouped_linear, expert_linear: a row of weights is shared by lanesOfRow(k) lanes.
#include <algorithm>

#include <fmt/format.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/Source.h"

namespace ds4 {
namespace {

// How the n rows of one matrix are laid over waves and workgroups.
struct RowLayout {
  int lanes, waves, blocks;
  RowLayout(int n, int k)
      : lanes(lanesOfRow(k)), waves(std::min(4, ceilDiv(n, 32 / lanes))), blocks(ceilDiv(n, 32 / lanes * waves)) {}
};

} // namespace

KernelSpec emitKernel(const LinearShape &s) {
  const DeviceFormat &format = rowFormat("linear", s.format, s.k);
  RowLayout rows(s.n, s.k);
  return KernelSource{
      .op = "linear",
      .specialisation = fmt::format("{}_n{}_k{}", s.format, s.n, s.k),
      .formats = {&format},
      .parameters = "const float *x, const void *w, float *y",
      .call = fmt::format("ds4::linear<{}, {}, {}, {}, {}>(x, w, y)", format.type, s.n, s.k, rows.lanes, rows.waves),
      .threads = 32 * rows.waves,
      .grid = {rows.blocks, StepExpr::q(), 1},
  }
      .finish();
}

KernelSpec emitKernel(const GroupedLinearShape &s) {
  const DeviceFormat &format = rowFormat("grouped_linear", s.format, s.k);
  RowLayout rows(s.n, s.k);
  return KernelSource{
      .op = "grouped_linear",
      .specialisation = fmt::format("{}_g{}_n{}_k{}", s.format, s.groups, s.n, s.k),
      .formats = {&format},
      .parameters = "const float *x, const void *w, float *y",
      .call = fmt::format("ds4::groupedLinear<{}, {}, {}, {}, {}, {}>(x, w, y)", format.type, s.groups, s.n, s.k, rows.lanes,
                          rows.waves),
      .threads = 32 * rows.waves,
      .grid = {rows.blocks, StepExpr::q(), s.groups},
  }
      .finish();
}

KernelSpec emitKernel(const ExpertLinearShape &s) {
  const DeviceFormat &format = rowFormat("expert_linear", s.format, s.k);
  RowLayout rows(s.n, s.k);
  return KernelSource{
      .op = "expert_linear",
      .specialisation = fmt::format("{}_e{}_u{}_n{}_k{}{}", s.format, s.experts, s.used, s.n, s.k, s.perSlot ? "_slots" : ""),
      .formats = {&format},
      .parameters = "const float *x, const int *ids, const void *w, float *y",
      .call = fmt::format("ds4::expertLinear<{}, {}, {}, {}, {}, {}, {}, {}>(x, ids, w, y)", format.type, s.experts, s.used, s.n,
                          s.k, rows.lanes, rows.waves, s.perSlot),
      .threads = 32 * rows.waves,
      .grid = {rows.blocks, StepExpr::q(), s.used},
  }
      .finish();
}

} // namespace ds4
