// window_append, window_copy, window_read, compress, index_score, select_top_k, attend, masked_attention.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/Rotation.h"
#include "codegen/emitters/Source.h"
#include "codegen/kernels/scratch.h"
#include "codegen/kernels/step.h"

namespace ds4 {

KernelSource kernelSource(const WindowAppendShape &s) {
  constexpr std::string_view op = "window_append";
  const DeviceFormat &element = elementFormat(op, s.element);
  requireShape(s.width % 2 == 0, op, "a row has an even number of channels");
  constexpr int kThreads = 32 * kSharedWaves;
  return KernelSource{
      .op = op,
      .specialisation = fmt::format("{}_s{}_d{}{}", s.element, s.slots, s.width, s.chunk ? "_chunk" : ""),
      .formats = {&element},
      .parameters = "void *state, const float *row",
      .call = fmt::format("ds4::windowAppend<{}, {}, {}, {}{}>(step, state, row, workgroup)", element.type, s.slots, s.width,
                          kThreads, s.chunk ? ", true" : ""),
      .movable = true,
      .piece = kThreads * 2,
      .threads = kThreads,
      .grid = {ceilDiv(s.width, kThreads * 2), StepExpr::q(), 1},
  };
}

KernelSpec emitKernel(const WindowCopyShape &s) {
  constexpr std::string_view op = "window_copy";
  const DeviceFormat &element = elementFormat(op, s.element);
  requireShape(s.width % 2 == 0, op, "a row has an even number of channels");
  constexpr int kThreads = 64;
  return KernelSource{
      .op = op,
      .specialisation = fmt::format("{}_s{}_from{}_w{}_d{}", s.element, s.toSlots, s.fromSlots, s.window, s.width),
      .formats = {&element},
      .parameters = "void *to, const void *from",
      .call = fmt::format("ds4::windowCopy<{}, {}, {}, {}, {}>(step, to, from)", element.type, s.toSlots, s.fromSlots, s.width,
                          kThreads),
      .threads = kThreads,
      .grid = {s.window, 1, 1},
  }
      .finish();
}

KernelSpec emitKernel(const WindowReadShape &s) {
  constexpr std::string_view op = "window_read";
  const DeviceFormat &element = elementFormat(op, s.element);
  requireShape(s.width % 2 == 0 && s.first % 2 == 0 && s.cols % 2 == 0, op, "channels come in pairs");
  requireShape(s.first + s.cols <= s.width, op, "a row has all the channels that are read");
  const Elementwise work = elementwise(s.cols, s.width % 4 == 0 && s.first % 4 == 0 && s.cols % 4 == 0 ? 4 : 2);
  return KernelSource{
      .op = op,
      .specialisation = fmt::format("{}_s{}_d{}_from{}_c{}", s.element, s.slots, s.width, s.first, s.cols),
      .formats = {&element},
      .parameters = "const void *ring, float *y",
      .call = fmt::format("ds4::windowRead<{}, {}, {}, {}, {}, {}>(step, ring, y)", element.type, s.slots, s.width, s.first, s.cols,
                          work.threads),
      .threads = work.threads,
      .grid = {work.blocks, StepExpr::q(), 1},
  }
      .finish();
}

KernelSource kernelSource(const CompressShape &s) {
  constexpr std::string_view op = "compress";
  const DeviceFormat &open = elementFormat(op, s.openElement), &row = elementFormat(op, s.rowElement);
  const DeviceFormat &ape = vectorFormat(op, s.apeFormat, s.ratio == 4 ? 2 * s.width : s.width);
  const DeviceFormat &norm = vectorFormat(op, s.normFormat, s.width);
  requireShape(s.width % 2 == 0 && s.width <= 512, op, "a row has an even number of channels, at most 512");
  requireShape(s.slots >= (s.ratio == 4 ? 2 : 1) * s.ratio + 7, op,
               "the open ring holds the pooled tokens and a step's later ones");
  KernelSource source{
      .op = op,
      .specialisation = fmt::format("{}_{}_{}_{}_m{}_s{}_d{}_eps{}_{}{}", s.openElement, s.rowElement, s.apeFormat, s.normFormat,
                                    s.ratio, s.slots, s.width, floatName(s.eps), ropeName(s.rope), s.chunk ? "_chunk" : ""),
      .formats = {&open, &row, &ape, &norm},
      .prelude = ropeTable(s.rope),
      .parameters = "void *open, void *rows, const float *kv, const float *gate, const void *ape, const void *norm",
      .call = fmt::format(
          "ds4::compress{}<{}, {}, {}, {}, {}, {}, {}, {}, {}>(step, kFrequencies, {}, open, rows, kv, gate, ape, norm{})",
          s.chunk ? "Chunk" : "", open.type, row.type, ape.type, norm.type, s.ratio, s.slots, s.width, s.rope.dims, kSharedWaves,
          floatLiteral(s.eps), s.chunk ? "" : ", workgroup"),
      .movable = !s.chunk,
      .threads = 32 * kSharedWaves,
  };
  if (s.chunk) // a workgroup for each window that the chunk completes, and one that keeps the ring
    source.grid = {(StepExpr::pos() + StepExpr::q()).floorDiv(s.ratio) - StepExpr::pos().floorDiv(s.ratio) + 1, 1, 1};
  return source;
}

KernelSource kernelSource(const IndexScoreShape &s) {
  constexpr std::string_view op = "index_score";
  const DeviceFormat &element = elementFormat(op, s.element);
  requireShape(s.width % 4 == 0 && s.width <= 128, op, "a row has a multiple of 4 channels, at most 128");
  requireShape(s.halves >= 0 && s.halves <= 2, op, "a query value is one half or two");
  const bool tiles = s.halves && s.element == "f16" && s.width >= 16 && std::has_single_bit(static_cast<unsigned>(s.width));
  const int waves = tiles ? 8 : 2, waveRows = tiles && s.fine ? 16 : 32;
  const std::string call =
      tiles ? fmt::format("ds4::indexScoreTiles<{}, {}, {}, {}, {}, {}, {}>", s.heads, s.width, s.ratio, s.capacity, waves,
                          s.halves, waveRows / 16)
            : fmt::format("ds4::indexScore<{}, {}, {}, {}, {}, {}>", element.type, s.heads, s.width, s.ratio, s.capacity, waves);
  StepExpr rows = (StepExpr::pos() + StepExpr::q()).floorDiv(s.ratio);
  return KernelSource{
      .op = op,
      .specialisation = fmt::format("{}_h{}_d{}_m{}_c{}_scale{}{}", s.element, s.heads, s.width, s.ratio, s.capacity,
                                    floatName(s.scale), tiles ? fmt::format("_t{}{}", s.halves, s.fine ? "_fine" : "") : ""),
      .formats = {&element},
      .parameters = "const float *q, const float *weights, const void *rows, float *y",
      .call = fmt::format("{}(step, {}, q, weights, rows, y, workgroup)", call, floatLiteral(s.scale)),
      .lds = tiles && s.fine ? "ds4::kAloneLds" : "",
      .movable = true,
      .threads = 32 * waves,
      .grid = {rows.floorDiv(waveRows * waves) + 1, StepExpr::q(), 1}, // no grid is empty
      .vgprs = tiles ? 256 : 192,
  };
}

KernelSource kernelSource(const SelectTopKShape &s, int wanted) {
  constexpr std::string_view op = "select_top_k";
  constexpr int kRunRows = 128, kMostRows = 32768; // of kernels/top_rows.h: a run of a wave's rows; what 32 waves hold
  const int rows = s.rows ? std::min(s.rows, s.capacity) : s.capacity;
  requireShape(s.k > 0 && rows > 0 && s.chunk > 0 && s.chunk <= kMostRows, op,
               "some of the rows are taken, a chunk has at most 32768");
  const int chunkRows = std::min(rows, s.chunk), waves = wanted ? wanted : std::clamp(ceilDiv(chunkRows, kRunRows), 8, 32);
  const int runs = ceilDiv(chunkRows, waves * kRunRows), chunk = waves * runs * kRunRows, chunks = ceilDiv(rows, chunk);
  if (s.whole && chunks > 1) {
    requireShape(2 * s.k <= chunk, op, "two times the rows that are taken fit one chunk");
    return KernelSource{
        .op = op,
        .specialisation = fmt::format("k{}_m{}_c{}_whole{}", s.k, s.ratio, s.capacity, chunk),
        .parameters = "const float *scores, int *ids",
        .call = fmt::format("ds4::selectTopKInTurn<{}, {}, {}, {}, {}>(step, scores, ids)", s.k, s.ratio, s.capacity, waves, runs),
        .threads = 32 * waves,
    };
  }
  KernelSource source{
      .op = op,
      .specialisation = fmt::format("k{}_m{}_c{}_n{}x{}", s.k, s.ratio, s.capacity, chunks, chunk),
      .parameters = chunks == 1 ? "const float *scores, int *ids" : "const float *scores, int *ids, void *scratch",
      .call = fmt::format("ds4::selectTopK<{}, {}, {}, {}, {}, {}>(step, scores, ids, {}, workgroup)", s.k, s.ratio, s.capacity,
                          waves, runs, chunks, chunks == 1 ? "nullptr" : "scratch"),
      .movable = true,
      .threads = 32 * waves,
      .scratchBytes = chunks == 1 ? 0 : kScratchCounterBytes + kMaxWidth * chunks * s.k * 8,
  };
  if (chunks > 1)
    source.grid[0] = (StepExpr::pos() + StepExpr::q()).floorDiv(s.ratio).floorDiv(chunk) + 1; // the last one may have nothing to do
  return source;
}

KernelSpec emitKernel(const AttendShape &s) {
  constexpr std::string_view op = "attend";
  const DeviceFormat &element = elementFormat(op, s.element), &row = elementFormat(op, s.ratio ? s.rowElement : s.element);
  const DeviceFormat &sink = vectorFormat(op, s.sinkFormat, s.heads);
  requireShape(s.width % 4 == 0 && s.width <= 1024, op, "a head has a multiple of 4 channels, at most 1024");
  requireShape(s.slots >= s.window + (s.block ? kMaxWidth : 0), op, "the ring holds the window, and a block beside it");
  requireShape(!s.block || s.ratio == 0, op, "a block sees no compressed rows");
  int waves = std::min(4, s.heads);
  std::string compressed = s.ratio ? fmt::format("_{}_m{}_k{}", row.name, s.ratio, s.picks) : "";
  std::string_view parameters =
      !s.ratio   ? "const float *q, const void *window, const void *sinks, float *y"
      : !s.picks ? "const float *q, const void *window, const void *sinks, const void *rows, float *y"
                 : "const float *q, const void *window, const void *sinks, const void *rows, const int *picks, float *y";
  return KernelSource{
      .op = op,
      .specialisation = fmt::format("{}_{}_h{}_d{}_s{}_w{}_scale{}{}{}", s.element, s.sinkFormat, s.heads, s.width, s.slots,
                                    s.window, floatName(s.scale), compressed, s.block ? "_block" : ""),
      .formats = {&element, &row, &sink},
      .parameters = parameters,
      .call = fmt::format("ds4::attend<{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}>(step, {}, q, window, sinks, {}, {}, y)",
                          element.type, row.type, sink.type, s.heads, s.width, s.slots, s.window, s.ratio, s.picks, waves, s.block,
                          floatLiteral(s.scale), s.ratio ? "rows" : "nullptr", s.picks ? "picks" : "nullptr"),
      .threads = 32 * waves,
      .grid = {ceilDiv(s.heads, waves), StepExpr::q(), 1},
      .vgprs = 192,
  }
      .finish();
}

int MaskedAttentionShape::partsOf(int rows) {
  const int fewest = std::clamp(ceilDiv(rows, 32), 1, 4); // a block each
  return std::clamp(ceilDiv(rows, 64), fewest, 10);
}

bool MaskedAttentionShape::hasKernel(std::string_view element, std::string_view rowElement) const {
  return element == "f16" && (ratio == 0 || rowElement == "f16") && (width == 128 || width == 256 || width == 512) &&
         picks % 32 == 0 && rope.dims % 4 == 0 && rope.dims <= 128 && slots >= window;
}

// One workgroup for each part, token and group of heads.
KernelSpec emitKernel(const MaskedAttentionShape &s) {
  constexpr std::string_view op = "masked_attention";
  constexpr int kMostParts = 32, kMostGroups = kScratchCounters / kMaxWidth;
  const DeviceFormat &sink = vectorFormat(op, s.sinkFormat, s.heads);
  requireShape(s.hasKernel("f16", "f16"), op,
               "heads have 128, 256 or 512 channels, of which at most 128 are turned, picks come in multiples of 32");
  requireShape(s.visibility != Visibility::DirectVisible || (s.ratio == 0) == (s.picks == 0), op,
               "only picked rows can all be known to be visible");
  requireShape(s.visibility != Visibility::DirectVisible || s.window % 32 == 0, op, "part of a block has to be masked");
  requireShape(s.groupHeads == 16 || (s.groupHeads == 32 && s.halves == 1 && s.width > 128), op,
               "a workgroup has 16 heads, or 32 of more than 128 channels whose queries are rounded");
  requireShape(s.halves == 1 || s.halves == 2, op, "a query value is one half or two");
  const int groups = ceilDiv(s.heads, s.groupHeads);
  requireShape(s.whole || groups <= kMostGroups, op,
               fmt::format("{} groups of heads are too many: {} at most", groups, kMostGroups));
  // Rows that grow with the context are as many as picks usually are.
  requireShape(!s.whole || s.parts <= 1, op, "what one workgroup finishes has one part");
  constexpr int kClusterParts = 12; // of rows that grow with the context: a block each at 32,768 positions of ratio 128
  const int parts = s.whole                             ? 1
                    : s.parts                           ? s.parts
                    : s.clusters && s.ratio && !s.picks ? kClusterParts
                                                        : MaskedAttentionShape::partsOf(s.window + (s.ratio == 0 ? 0
                                                                                                    : s.picks    ? s.picks
                                                                                                                 : 512));
  requireShape(parts > 0 && parts <= kMostParts, op, fmt::format("{} parts are too many: {} at most", parts, kMostParts));
  const bool isDirect = s.visibility == Visibility::DirectVisible, isSelected = s.visibility == Visibility::Selected && s.picks;
  const std::string_view visibility = isDirect ? "DirectVisible" : isSelected ? "Selected" : "Masked";
  const std::string_view shortName = isDirect ? "direct" : isSelected ? "selected" : "masked";
  std::string parameters = "const float *q, const void *window, const void *sinks, ";
  if (s.ratio)
    parameters += "const void *rows, ";
  if (s.picks)
    parameters += "const int *picks, ";
  const bool cluster = s.clusters && !s.whole && s.width == 512 && s.groupHeads == 16 && parts > 1 && parts <= 16;
  const bool handsOver = !s.whole && !cluster;
  parameters += handsOver ? "float *y, void *scratch" : "float *y";
  const std::string plan =
      fmt::format("ds4::AttentionPlan<{}, {}, {}, {}, {}, {}, ds4::Visibility::{}, {}, {}, {}, {}>", s.heads, s.width, s.slots,
                  s.window, s.ratio, s.picks, visibility, parts, s.groupHeads / 16, s.halves, s.rope.dims);
  KernelSource source{
      .op = op,
      .specialisation = fmt::format("{}_h{}_d{}_s{}_w{}_m{}_k{}_scale{}_{}_{}_p{}_g{}_t{}{}{}", s.sinkFormat, s.heads, s.width,
                                    s.slots, s.window, s.ratio, s.picks, floatName(s.scale), ropeName(s.rope), shortName, parts,
                                    s.groupHeads, s.halves, s.whole ? "_whole" : "", cluster ? "_cluster" : ""),
      .formats = {&sink},
      .prelude = ropeTable(s.rope),
      .parameters = parameters,
      .call = fmt::format("ds4::{}<{}, {}>(step, kFrequencies, {}, q, window, sinks, {}, {}, y{})",
                          s.whole   ? "wholeAttention"
                          : cluster ? "clusterAttention"
                                    : "maskedAttention",
                          plan, sink.type, floatLiteral(s.scale), s.ratio ? "rows" : "nullptr", s.picks ? "picks" : "nullptr",
                          handsOver ? ", scratch" : ""),
      .waits = cluster,
      .threads = s.width / 2, // a wave has 64 channels
      .grid = {parts, StepExpr::q(), groups},
      .vgprs = 256,
  };
  if (cluster) {
    source.fragments = {"masked_attention_cuda.h"};
    source.lds = fmt::format("sizeof(ds4::AttentionExchange<{}>)", plan);
    source.cluster = parts;
  }
  KernelSpec spec = source.finish();
  if (handsOver)
    spec.scratchBytes = kScratchCounterBytes + kMaxWidth * groups * parts * s.groupHeads * (s.width + 2) * 4;
  return spec;
}

KernelSpec emitKernel(const IndexScoreShape &shape) { return kernelSource(shape).finish(); }
KernelSpec emitKernel(const SelectTopKShape &shape) { return kernelSource(shape).finish(); }
KernelSpec emitKernel(const WindowAppendShape &shape) { return kernelSource(shape).finish(); }
KernelSpec emitKernel(const CompressShape &shape) { return kernelSource(shape).finish(); }

} // namespace ds4
