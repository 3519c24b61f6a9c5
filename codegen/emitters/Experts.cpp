// moe_route, moe_gate_up, moe_down: the experts of a layer in three launches.
#include <algorithm>

#include <fmt/format.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/RowProducts.h"
#include "codegen/kernels/scratch.h"
#include "codegen/kernels/step.h"

namespace ds4 {
namespace {

// How rows are laid over waves and workgroups; each wave takes a group or more of either product.
struct Layout {
  int waveRows, waves, blocks;
  Layout(int n, int groupRows, int groups, int mostWaves)
      : waveRows(groupRows * groups), waves(std::min(mostWaves, ceilDiv(n, waveRows))), blocks(ceilDiv(n, waveRows * waves)) {}
};

// Gate and up rows: 4 tiles a wave, as dense products have, so that the conversion of the input is shared by as many rows.
Layout gateUpLayout(const RowProducts &rows, bool fine, int tilesOfWave = 4) {
  constexpr int kFineWaves = 8;
  const int groups = rows.isFast() ? std::max(1, tilesOfWave / rows.tiles) : 1;
  Layout layout(rows.n, rows.groupRows, groups, fine ? std::min(kFineWaves, rows.waves) : rows.waves);
  const int converting = rows.isFast() ? ceilDiv(rows.k, 64 * 32) : 1; // a lane converts 64 activations at most
  layout.waves = std::max(layout.waves, converting);
  layout.blocks = ceilDiv(rows.n, layout.waveRows * layout.waves);
  return layout;
}

// Where there is the matrix unit: as few rows as leave all experts' workgroups room at once, two on each of some 130
// multiprocessors. A second round of few workgroups would take as long as the first.
Layout fineGateUpLayout(const RowProducts &rows, int used) {
  constexpr int kWorkgroups = 264, kMostTiles = 16;
  int tiles = rows.tiles;
  while (tiles < kMostTiles && used * gateUpLayout(rows, true, tiles).blocks > kWorkgroups)
    tiles += rows.tiles;
  return gateUpLayout(rows, true, tiles);
}

std::string gatedLds(const RowProducts &rows, const Layout &layout) {
  return fmt::format("sizeof(ds4::GatedLds<{}, {}, {}>)", rows.type(layout.waves), layout.waveRows, layout.waves);
}

// Rows of several tokens over waves and workgroups; a wave takes four tiles.
struct ColumnLayout {
  static constexpr int kTiles = 4; // of a wave
  int waves, blocks;
  explicit ColumnLayout(const ColumnProducts &rows) {
    const int tiles = ceilDiv(rows.n, rows.tileRows), converting = ceilDiv(rows.columns * rows.k, 64 * 32);
    waves = std::clamp(ceilDiv(tiles, kTiles), std::min(rows.waves, converting), rows.waves);
    blocks = ceilDiv(tiles, kTiles * waves);
  }
};
// Sums of four tokens beside fragments of four tiles.
constexpr int kColumnVgprs = 256;

std::string columnLds(const ColumnProducts &rows, const ColumnLayout &layout, bool chosen) {
  return fmt::format("sizeof(ds4::ColumnLds<{}, {}>)", rows.type(layout.waves, chosen), layout.waves);
}

// Headers and formats of the products, and whether the symbol says that any is fast.
void addProducts(KernelSource &source, std::initializer_list<const RowProducts *> products, bool fine) {
  bool isFast = false;
  for (const RowProducts *rows : products) {
    if (rows->isFast())
      source.fragments.push_back(rows->header);
    else
      source.formats.push_back(rows->format);
    isFast |= rows->isFast();
    source.vgprs = std::max(source.vgprs, rows->vgprs);
  }
  if (isFast)
    source.specialisation += "_fast";
  if (fine)
    source.specialisation += "_fine";
}

// As kernels of several columns have it: which ones a kernel was asked for.
void addColumns(KernelSource &source, std::initializer_list<const ColumnProducts *> products) {
  for (const ColumnProducts *rows : products)
    source.fragments.push_back(rows->header);
  source.specialisation += fmt::format("_fast{}", products.begin()[0]->columns);
  source.vgprs = kColumnVgprs;
}

// The shared expert's part of moe_route.
struct SharedExpert {
  RowProducts rows; // of one token
  ColumnProducts columns;
  std::string type, lds;
  int waves, blocks;

  SharedExpert(std::string_view op, const MoeRouteShape &s) {
    if (s.columns > 1) {
      columns = columnProducts(s.format, s.hidden, s.width, s.fast);
      requireShape(columns.columns == s.columns, op, "no kernel of so many columns");
      const ColumnLayout layout(columns);
      waves = layout.waves, blocks = layout.blocks;
      lds = columnLds(columns, layout, false);
      type = fmt::format("ds4::SharedColumns<{}, {}, {}, {}, {}>", columns.type(waves, false), layout.kTiles, waves, s.hidden,
                         s.width);
      return;
    }
    constexpr int kFineTiles = 2; // of a wave: one expert has few rows
    rows = rowProducts(op, s.format, 1, s.hidden, s.width, s.fast, s.fine ? kFineTiles : kMostGroupRows);
    const Layout layout = gateUpLayout(rows, s.fine, s.fine ? kFineTiles : 4);
    waves = layout.waves, blocks = layout.blocks;
    lds = gatedLds(rows, layout);
    type = fmt::format("ds4::SharedRows<{}, {}, {}, {}, {}>", rows.type(waves), layout.waveRows, waves, s.hidden, s.width);
  }
  void addTo(KernelSource &source, bool fine) const {
    if (columns.columns > 1)
      addColumns(source, {&columns});
    else
      addProducts(source, {&rows}, fine);
  }
};

// The products of moe_down for one token, with as many waves as LDS has room for; where it has none, they are exact.
struct DownProducts {
  RowProducts routed, shared;
  int waves = 8;

  explicit DownProducts(const MoeDownShape &s) {
    if (s.fine && s.fast && takesQuads(s.format) && takesQuads(s.sharedFormat)) {
      constexpr int kFineWaves = 16; // one workgroup a multiprocessor: each converts all inputs
      choose(s, true, true);
      waves = kFineWaves;
      return;
    }
    for (const auto &[fastRouted, fastShared] : {std::pair(s.fast, s.fast), std::pair(s.fast, false), std::pair(false, s.fast)}) {
      choose(s, fastRouted, fastShared);
      for (int wanted : {8, 6, 4})
        if (waves = wanted; ldsBytes(s.used) <= kMostLds)
          return;
    }
    choose(s, false, false);
    waves = 8;
  }
  bool areFast() const { return routed.isFast() && shared.isFast(); }

private:
  static constexpr int kMostLds = 65536;

  void choose(const MoeDownShape &s, bool fastRouted, bool fastShared) {
    constexpr std::string_view op = "moe_down";
    constexpr int kFineRows = 2; // of a wave
    routed = rowProducts(op, s.format, s.used, s.n, s.k, fastRouted, s.fine ? kFineRows : kMostGroupRows);
    shared = rowProducts(op, s.sharedFormat, 1, s.n, s.sharedK, fastShared, routed.groupRows);
  }
  // As DownLds of kernels/moe_down.h.
  int ldsBytes(int used) const {
    const int slots = (waves * used * 4 + 15) / 16 * 16 + (waves * 4 + 15) / 16 * 16;
    const int tables = routed.fragment == shared.fragment ? routed.tableBytes : routed.tableBytes + shared.tableBytes;
    return routed.inputBytes + shared.inputBytes + slots + waves * std::max(routed.stagingBytes, shared.stagingBytes) + tables +
           waves * std::max(routed.groupRows, shared.groupRows) * 4;
  }
};

constexpr int kMostSlots = 256; // of a step, where a slot is a byte: kernels/expert_columns.h

KernelSpec emitGateUpColumns(const MoeGateUpShape &s) {
  const ColumnProducts rows = columnProducts(s.format, s.n, s.k, s.fast);
  requireShape(rows.columns == s.columns, "moe_gate_up", "no kernel of so many columns");
  const ColumnLayout layout(rows);
  KernelSource source{
      .op = "moe_gate_up",
      .specialisation = fmt::format("{}_e{}_u{}_n{}_k{}_limit{}", s.format, s.experts, s.used, s.n, s.k, floatName(s.limit)),
      .parameters = "const float *x, const int *ids, const float *weights, const void *gate, const void *up, float *h",
      .call = fmt::format("ds4::moeGateUpShared<{}, {}, {}, {}, {}, {}, {}>(step, {}, x, ids, weights, gate, up, h)",
                          rows.type(layout.waves, true), layout.kTiles, layout.waves, s.experts, s.used, s.n, s.k,
                          floatLiteral(s.limit)),
      .lds = columnLds(rows, layout, true),
      .threads = 32 * layout.waves,
      .grid = {layout.blocks, StepExpr::q(), s.used},
  };
  addColumns(source, {&rows});
  return source.finish();
}

KernelSpec emitDownColumns(const MoeDownShape &s) {
  constexpr int kMostWaves = 8;
  ColumnProducts routed = columnProducts(s.format, s.n, s.k, s.fast),
                 shared = columnProducts(s.sharedFormat, s.n, s.sharedK, s.fast);
  requireShape(routed.columns == s.columns && shared.columns > 1, "moe_down", "no kernel of so many columns");
  // A wave's rows are whole groups of both; their products wait in LDS, so few.
  const int waveRows = std::max({8, routed.tileRows, shared.tileRows});
  for (ColumnProducts *rows : {&routed, &shared})
    rows->tiles = std::min(rows->tiles, waveRows / rows->tileRows);
  const int waves = std::min({kMostWaves, routed.waves, shared.waves});
  const std::string routedType = routed.type(waves, true), sharedType = shared.type(waves, false);
  KernelSource source{
      .op = "moe_down",
      .specialisation = fmt::format("{}_{}_e{}_u{}_n{}_k{}_s{}", s.format, s.sharedFormat, s.experts, s.used, s.n, s.k, s.sharedK),
      .parameters =
          "const float *h, const int *ids, const float *weights, const void *down, const float *hs, const void *shared, float *y",
      .call = fmt::format("ds4::moeDownShared<{}, {}, {}, {}, {}, {}, {}, {}, {}>(step, h, ids, weights, down, hs, shared, y)",
                          routedType, sharedType, waveRows, waves, s.experts, s.used, s.n, s.k, s.sharedK),
      .lds = fmt::format("sizeof(ds4::DownColumnsLds<{}, {}, {}, {}, {}>)", routedType, sharedType, waveRows, waves, s.used),
      .threads = 32 * waves,
      .grid = {ceilDiv(s.n, waveRows * waves), 1, 1},
  };
  addColumns(source, {&routed, &shared});
  return source.finish();
}

} // namespace

KernelSpec emitKernel(const MoeRouteShape &s) {
  constexpr std::string_view op = "moe_route";
  requireShape(s.used <= 32 && s.used <= s.experts && s.experts <= 1024, op, "chooses at most 32 of at most 1024 experts");
  const DeviceFormat &router = rowFormat(op, s.routerFormat, s.width);
  const SharedExpert shared(op, s);
  const int routerRows = s.fine ? 1 : 2; // of a wave
  const int routerBlocks = ceilDiv(s.experts, routerRows * shared.waves);
  const std::string scale = floatLiteral(s.scale), limit = floatLiteral(s.limit);
  KernelSource source{
      .op = op,
      .specialisation = fmt::format("{}_{}_{}_e{}_u{}_d{}_n{}_scale{}_limit{}", s.routerFormat, s.hashed ? "hashed" : s.biasFormat,
                                    s.format, s.experts, s.used, s.width, s.hidden, floatName(s.scale), floatName(s.limit)),
      .formats = {&router},
      .waits = s.columns == 1, // as SharedRows do
      .threads = 32 * shared.waves,
      .grid = {routerBlocks + shared.blocks, StepExpr::q(), 1},
  };
  if (s.hashed) {
    source.parameters = "const float *x, const void *router, const void *gate, const void *up, const int *table, int *ids, "
                        "float *weights, float *hs, void *scratch";
    source.call = fmt::format(
        "ds4::moeRouteHashed<{}, {}, {}, {}, {}, {}>(step, {}, {}, x, router, gate, up, table, ids, weights, hs, scratch)",
        router.type, s.experts, s.used, s.width, routerRows, shared.type, scale, limit);
  } else {
    const DeviceFormat &bias = vectorFormat(op, s.biasFormat, s.experts);
    source.formats.push_back(&bias);
    source.parameters = "const float *x, const void *router, const void *gate, const void *up, const void *bias, int *ids, "
                        "float *weights, float *hs, void *scratch";
    source.call =
        fmt::format("ds4::moeRoute<{}, {}, {}, {}, {}, {}, {}>(step, {}, {}, x, router, gate, up, bias, ids, weights, hs, scratch)",
                    router.type, bias.type, s.experts, s.used, s.width, routerRows, shared.type, scale, limit);
  }
  source.lds = shared.lds;
  source.paired = s.fine;
  shared.addTo(source, s.fine);
  if (!s.fast) // the router's rows and exact ones of another format together
    source.vgprs = std::max(source.vgprs, 168);
  KernelSpec spec = source.finish();
  spec.scratchBytes = kScratchCounterBytes + kMaxWidth * s.experts * 8; // a score and a key
  return spec;
}

// kernels/expert_columns.h adds up as product.h does, kernels/quad_product.h otherwise: where the one token of a step takes the
// latter, so do the tokens of longer ones, each alone.
int expertColumns(const MoeRouteShape &s) {
  return s.fine && takesQuads(s.format) ? 1 : columnProducts(s.format, s.hidden, s.width, s.fast).columns;
}
int expertColumns(const MoeGateUpShape &s) {
  if (s.fine && takesQuads(s.format))
    return 1;
  return kMaxWidth * s.used <= kMostSlots ? columnProducts(s.format, s.n, s.k, s.fast).columns : 1;
}
int expertColumns(const MoeDownShape &s) {
  constexpr int kMostShared = 2048; // longer rows of four tokens leave LDS too little room for the slots' results
  if (s.sharedK > kMostShared || (s.fine && (takesQuads(s.format) || takesQuads(s.sharedFormat))))
    return 1;
  if (!DownProducts(s).areFast()) // then one token's products are exact, and so must be those of several
    return 1;
  const int shared = columnProducts(s.sharedFormat, s.n, s.sharedK, s.fast).columns;
  return kMaxWidth * s.used <= kMostSlots && shared > 1 ? columnProducts(s.format, s.n, s.k, s.fast).columns : 1;
}

KernelSpec emitKernel(const MoeGateUpShape &s) {
  constexpr std::string_view op = "moe_gate_up";
  if (s.columns > 1)
    return emitGateUpColumns(s);
  const bool byQuads = s.fine && s.fast && takesQuads(s.format);
  constexpr int kFineTiles = 2; // of a wave at a time
  const RowProducts rows = rowProducts(op, s.format, 1, s.n, s.k, s.fast, byQuads ? kFineTiles : kMostGroupRows);
  const Layout layout = byQuads ? fineGateUpLayout(rows, s.used) : gateUpLayout(rows, s.fine);
  KernelSource source{
      .op = op,
      .specialisation = fmt::format("{}_e{}_u{}_n{}_k{}_limit{}", s.format, s.experts, s.used, s.n, s.k, floatName(s.limit)),
      .parameters = "const float *x, const int *ids, const float *weights, const void *gate, const void *up, float *h",
      .call = fmt::format("ds4::moeGateUp<{}, {}, {}, {}, {}, {}, {}>({}, x, ids, weights, gate, up, h)", rows.type(layout.waves),
                          layout.waveRows, layout.waves, s.experts, s.used, s.n, s.k, floatLiteral(s.limit)),
      .threads = 32 * layout.waves,
      .grid = {layout.blocks, StepExpr::q(), s.used},
  };
  source.lds = gatedLds(rows, layout);
  source.paired = s.fine;
  addProducts(source, {&rows}, s.fine);
  return source.finish();
}

KernelSpec emitKernel(const MoeDownShape &s) {
  constexpr std::string_view op = "moe_down";
  if (s.columns > 1)
    return emitDownColumns(s);
  const auto [routed, shared, waves] = DownProducts(s);
  const int groupRows = std::max(routed.groupRows, shared.groupRows); // both powers of two
  Layout layout(s.n, groupRows, 1, waves);
  if (routed.isFast() || shared.isFast())
    layout.waves = waves; // to convert the inputs
  KernelSource source{
      .op = op,
      .specialisation = fmt::format("{}_{}_e{}_u{}_n{}_k{}_s{}", s.format, s.sharedFormat, s.experts, s.used, s.n, s.k, s.sharedK),
      .parameters =
          "const float *h, const int *ids, const float *weights, const void *down, const float *hs, const void *shared, float *y",
      .call = fmt::format("ds4::moeDown<{}, {}, {}, {}, {}, {}, {}, {}, {}>(h, ids, weights, down, hs, shared, y)",
                          routed.type(layout.waves), shared.type(layout.waves), layout.waveRows, layout.waves, s.experts, s.used,
                          s.n, s.k, s.sharedK),
      .waits = true,
      .threads = 32 * layout.waves,
      .grid = {ceilDiv(s.n, layout.waveRows * layout.waves), StepExpr::q(), 1},
  };
  source.lds = fmt::format("sizeof(ds4::DownLds<{}, {}, {}, {}, {}>)", routed.type(layout.waves), shared.type(layout.waves),
                           layout.waveRows, layout.waves, s.used);
  source.paired = s.fine;
  addProducts(source, {&routed, &shared}, s.fine);
  return source.finish();
}

} // namespace ds4
