// linear, grouped_linear, expert_linear: a row of weights is shared by lanesOfRow(k) lanes.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/RowProducts.h"
#include "codegen/emitters/Source.h"
#include "models/formats/Format.h"
#include "support/Error.h"

namespace ds4 {
namespace {

// How the n rows of one matrix are laid over waves and workgroups.
struct RowLayout {
  int lanes, waves, rows, blocks; // rows of a wave
  // As many waves as the rows want, four at most, or those asked for. Fine: long rows are two a wave, so that all workgroups of a
  // shared launch begin at once.
  RowLayout(int n, int k, int wanted = 0, bool fine = false)
      : lanes(lanesOfRow(k)), waves(wanted ? wanted : std::min(4, ceilDiv(n, 32 / lanes))),
        rows(fine && lanes == 32 && n % 2 == 0 ? 2 : 32 / lanes), blocks(ceilDiv(n, rows * waves)) {}
};

// Several runs of 32 weights under way; those of super-blocks hold more beside the weights.
int exactVgprs(const DeviceFormat &format) { return format.block == 256 ? 256 : 128; }

// A fast product's weights, and how its rows are laid out at one column and at more.
struct FastFormat {
  std::string_view name, fragment, header;
  int fragmentWeights;
  int rows, wideRows, waves, wideWaves; // tiles of a wave at a time, waves of a workgroup
  int corrections = 0;                  // values in LDS that a block of activations has beside it
  int tables = 0;                       // bytes of LDS
  int widest = 16384;                   // rows: the activations have room in LDS beside the weights
  int vgprs = 96;                       // at one column
  int fragments = 4;                    // of a row at least: rows begin at multiples of 16 bytes
  int activations = 16384;              // of all columns, fewer than eight
};
constexpr FastFormat kFastFormats[] = {
    {"rocmfp4_fast", "ds4::RocmFp4FastFragment", "fragments/fp4.h", 128, 4, 4, 8, 8},
    {"rocmfp4", "ds4::RocmFp4Fragment", "fragments/fp4.h", 128, 4, 4, 8, 8},
    {"q8_0", "ds4::Q8_0Fragment", "fragments/q8_0.h", 64, 2, 4, 8, 8, 1},
    {"rocmfp2", "ds4::RocmFp2Fragment", "fragments/fp2.h", 128, 4, 4, 16, 16, 2},
    {"rocmfp3", "ds4::RocmFp3Fragment", "fragments/fp3.h", 128, 2, 4, 16, 16},
    {"rocmfp2_mix", "ds4::RocmFp2MixFragment", "fragments/mix2.h", 128, 4, 4, 16, 16},
    {"rocmfp3_mix", "ds4::RocmFp3MixFragment", "fragments/mix3.h", 128, 2, 4, 16, 16},
    {"rocmfp8", "ds4::RocmFp8Fragment", "fragments/fp8.h", 128, 1, 2, 8, 6, 1, 0, 8192},
    {"mxfp4", "ds4::MXFP4Fragment", "fragments/mxfp4.h", 128, 4, 4, 8, 8},
    {"q4_0", "ds4::Q4_0Fragment", "fragments/q4_0.h", 128, 2, 4, 8, 8, 1},
    {"q4_k", "ds4::Q4_KFragment", "fragments/q4_k.h", 256, 1, 2, 8, 4, 1, 0, 8192},
    {"q5_k", "ds4::Q5_KFragment", "fragments/q5_k.h", 256, 1, 2, 8, 4, 1, 0, 8192},
    {"q6_k", "ds4::Q6_KFragment", "fragments/q6_k.h", 256, 1, 1, 6, 4, 2, 0, 8192, 144, 8, 8192},
    {"rocmfp6", "ds4::RocmFp6Fragment", "fragments/fp6.h", 128, 2, 4, 8, 8, 0, 0, 16384, 104},
    {"q3_k", "ds4::Q3_KFragment", "fragments/q3_k.h", 256, 1, 2, 8, 6, 2, 0, 8192, 96, 8},
    {"iq2_xxs", "ds4::IQ2_XXSFragment", "fragments/iq2_xxs.h", 256, 2, 4, 8, 8, 0, 6144, 16384, 96, 8},
    {"iq3_xxs", "ds4::IQ3_XXSFragment", "fragments/iq3_xxs.h", 256, 2, 4, 8, 6, 0, 4096, 16384, 96, 8},
    {"iq4_xs", "ds4::IQ4_XSFragment", "fragments/iq4_xs.h", 256, 1, 2, 8, 4, 1, 0, 8192},
    {"q2_k", "ds4::Q2_KFragment", "fragments/q2_k.h", 256, 1, 2, 16, 8, 2},
};

// Of these, two workgroups of four tokens cost less than one of eight: decoding is a small part of them (docs/kernels.md).
constexpr std::string_view kAtMostFour[] = {"rocmfp2", "q4_k", "q2_k", "iq2_xxs"};

// Those that kernels/quad_product.h takes where there is such a matrix unit.
constexpr std::string_view kQuadFormats[] = {"rocmfp4_fast", "rocmfp4",     "q8_0",  "rocmfp2", "rocmfp3",
                                             "rocmfp2_mix",  "rocmfp3_mix", "mxfp4", "q4_0"};

const FastFormat *findFastFormat(std::string_view name) {
  const auto *found = std::ranges::find(kFastFormats, name, &FastFormat::name);
  return found == std::end(kFastFormats) ? nullptr : found;
}

constexpr int kFineWaves = 8, kFineBlocks = 256;

// A wave works on four tiles, `rows` at a time; with eight columns on two of them, of super-blocks one.
struct TileLayout {
  const FastFormat &format;
  int columns, rows, waves, blocks, tilesOfWave;
  bool fine;
  TileLayout(std::string_view op, std::string_view name, int n, int k, int columns, bool wantsFine, int wanted = 0, int groups = 1)
      : format(*findFastFormat(requireFast(op, name, k, columns))), columns(columns), rows(format.wideRows), tilesOfWave(4),
        fine(wantsFine && takesQuads(name)) {
    if (fine) { // two workgroups for each of some 128 multiprocessors, of 16 rows at least: the more rows, the fewer conversions
      const int tileRows = std::max(1, 32 * format.fragmentWeights / k), tiles = ceilDiv(n, tileRows);
      const bool isLong = columns == 8 || k > 4096; // the fewer workgroups convert, the better
      waves = wanted ? wanted : isLong ? 2 * kFineWaves : kFineWaves;
      rows = 1;
      constexpr int kLeastWeights = 65536;                             // of a workgroup: it reads and converts all activations
      const int most = columns == 8 && format.name == "q8_0" ? 8 : 16; // of the widest format, eight columns leave LDS for few rows
      const int least = std::max(1, ceilDiv(std::max(16, kLeastWeights / k), tileRows * waves));
      const int wantedWaves = kFineBlocks * kFineWaves; // of all workgroups
      tilesOfWave = std::clamp(static_cast<int>(std::bit_floor(static_cast<unsigned>(tiles * groups / wantedWaves))), least, most);
      blocks = ceilDiv(tiles, tilesOfWave * waves);
      return;
    }
    if (columns == 8)
      rows = tilesOfWave = format.fragmentWeights == 256 ? 1 : 2;
    int tileRows = std::max(1, 32 * format.fragmentWeights / k), tiles = ceilDiv(n, tileRows);
    const int most = columns == 1 ? format.waves : columns == 8 ? 16 : format.wideWaves;
    int least = std::min(most, ceilDiv(columns * k, 64 * 32)); // a lane converts 64 activations, 128 where waves are few
    waves = wanted ? wanted : std::clamp(ceilDiv(tiles, tilesOfWave), least, most);
    if (columns == 8)
      waves = static_cast<int>(std::bit_ceil(static_cast<unsigned>(waves))); // they share the columns' conversion evenly
    if (columns == 1) // four tiles at a time fit 96 registers in rows of one tile, where many waves share the conversion
      rows = waves == format.waves && k == 4096 ? format.rows : std::min(2, format.rows);
    blocks = ceilDiv(tiles, tilesOfWave * waves);
  }
  std::string arguments() const {
    return fmt::format("{}, {}, {}, {}, {}", format.fragment, columns, rows, tilesOfWave / rows, waves);
  }
  std::string lds(int n, int k) const {
    return fmt::format("ds4::kTilesLds<{}, {}, {}, {}, {}, {}, {}>", format.fragment, columns, rows, tilesOfWave / rows, waves, n,
                       k);
  }
  int rowsOfWorkgroup(int k) const { return std::max(1, 32 * format.fragmentWeights / k) * tilesOfWave * waves; }
  int vgprs() const { return columns == 1 ? format.vgprs : 192; }
  StepExpr columnBlocks() const { return (StepExpr::q() + (columns - 1)).floorDiv(columns); }

private:
  static std::string_view requireFast(std::string_view op, std::string_view name, int k, int columns) {
    if (fastColumns(name, k, columns) != columns)
      userError("{}: no fast kernel of {} columns for format '{}' and rows of {} weights: use columns = 0", op, columns, name, k);
    return name;
  }
};

} // namespace

bool takesQuads(std::string_view format) { return std::ranges::find(kQuadFormats, format) != std::end(kQuadFormats); }

int fastColumns(std::string_view format, int k, int q, int waves) {
  const FastFormat *fast = findFastFormat(format);
  if (!fast || k > fast->widest)
    return 0;
  int tile = 32 * fast->fragmentWeights;
  if (k % tile != 0 && (tile % k != 0 || k < fast->fragments * fast->fragmentWeights))
    return 0;
  if (q > 4 && k <= 4096 && k >= 8 * fast->fragmentWeights && !waves &&
      std::ranges::find(kAtMostFour, format) == std::end(kAtMostFour))
    return 8;
  int most = std::min({4, q, fast->activations / k});
  if (waves > fast->wideWaves)
    most /= 2; // each wave's weights take their part of LDS
  return most >= 4 ? 4 : most >= 2 ? 2 : 1;
}

// Of one input in LDS: kernels/product.h, kColumnStride.
static int columnBytes(const FastFormat &format, int k) {
  const int lanes = std::min(32, k / format.fragmentWeights), phases = k / lanes / 64;
  return phases * 8 * (lanes * 16 + 16) + phases * 2 * lanes * format.corrections * 4;
}

RowProducts rowProducts(std::string_view op, std::string_view name, int inputs, int n, int k, bool fast, int atMost) {
  constexpr int kMostInputs = 8, kMostActivations = 16384; // of kernels/product.h
  const FastFormat *found = findFastFormat(name);
  if (fast && fastColumns(name, k, 1) && inputs <= kMostInputs && inputs * k <= kMostActivations) {
    const FastFormat &format = *found;
    const int tileRows = std::max(1, 32 * format.fragmentWeights / k), tiles = std::clamp(atMost / tileRows, 1, format.rows);
    return {.fragment = format.fragment,
            .header = format.header,
            .groupRows = tiles * tileRows,
            .waves = format.waves,
            .inputs = inputs,
            .n = n,
            .k = k,
            .tiles = tiles,
            .inputBytes = inputs * columnBytes(format, k),
            .stagingBytes = 32 * static_cast<int>(findFormatByName(name)->rowBytes(static_cast<uint64_t>(format.fragmentWeights))),
            .tableBytes = format.tables,
            .vgprs =
                format.fragmentWeights == 256 ? 256 : std::max(128, format.vgprs)}; // super-blocks hold more beside the weights
  }
  const DeviceFormat &format = productFormat(op, name, k);
  return {.format = &format,
          .groupRows = 32 / lanesOfRow(k),
          .waves = 8,
          .inputs = inputs,
          .n = n,
          .k = k,
          .vgprs = exactVgprs(format)};
}

std::string RowProducts::type(int workgroupWaves) const {
  if (isFast())
    return fmt::format("ds4::FastRows<{}, {}, {}, {}, {}, {}>", fragment, inputs, tiles, workgroupWaves, n, k);
  return fmt::format("ds4::ExactRows<{}, {}, {}, {}, {}>", format->type, inputs, n, k, lanesOfRow(k));
}

// A product of many tokens: its source but for the op's own.
static constexpr int kChunkRows = 128; // of a workgroup, kernels/chunk_product.h
static int chunkTokens(int halves) { return halves == 1 ? 128 : 64; }

int chunkHalves(std::string_view format, int k) {
  if (format == "f32" || format == "bf16" || k % 32 != 0)
    return 0;
  return format == "f16" ? 2 : 1;
}

// `scaled`: the activations come as halves with scales.
static KernelSource chunkSource(std::string_view op, const DeviceFormat &format, int n, int halves, bool scaled) {
  requireShape(!scaled || halves == 1, op,
               fmt::format("activations to 22 bits, as weights of format {} want, are no halves", format.name));
  return KernelSource{
      .op = op,
      .formats = {&format},
      .parameters =
          scaled ? "const ds4::U16 *x, const void *w, const float *scales, float *y" : "const float *x, const void *w, float *y",
      .lds = fmt::format("sizeof(ds4::ChunkMemory<{}, {}>)", halves, scaled ? "ds4::U16" : "float"),
      .threads = 256,
      .grid = {ceilDiv(n, kChunkRows), (StepExpr::q() + (chunkTokens(halves) - 1)).floorDiv(chunkTokens(halves)), 1},
      .vgprs = 256,
      .paired = scaled,
  };
}

ColumnProducts columnProducts(std::string_view name, int n, int k, bool fast) {
  constexpr int kMostColumns = 4;
  const int columns = fast ? fastColumns(name, k, kMostColumns) : 0;
  if (columns < 2)
    return {.columns = 1};
  const FastFormat &format = *findFastFormat(name);
  return {.fragment = format.fragment,
          .header = format.header,
          .columns = columns,
          .tiles = format.wideRows,
          .tileRows = std::max(1, 32 * format.fragmentWeights / k),
          .waves = format.wideWaves,
          .n = n,
          .k = k};
}

std::string ColumnProducts::type(int workgroupWaves, bool chosen) const {
  return fmt::format("ds4::ColumnRows<{}, {}, {}, {}, {}, {}, {}>", fragment, columns, tiles, workgroupWaves, n, k, chosen);
}

KernelSource kernelSource(const LinearShape &s, int waves) {
  if (const int halves = s.chunk ? chunkHalves(s.format, s.k) : 0) {
    const DeviceFormat &format = productFormat("linear", s.format, s.k);
    KernelSource source = chunkSource("linear", format, s.n, halves, s.halves);
    source.fragments = {"chunk_linear.h"};
    source.specialisation = fmt::format("{}_n{}_k{}_chunk{}", s.format, s.n, s.k, s.halves ? "_halves" : "");
    source.call =
        fmt::format("ds4::linearChunk<{}, {}, {}, {}>(step, x, w, y{})", format.type, halves, s.n, s.k, s.halves ? ", scales" : "");
    return source;
  }
  if (s.columns) {
    TileLayout tiles("linear", s.format, s.n, s.k, s.columns, s.fine, waves);
    return KernelSource{
        .op = "linear",
        .specialisation = fmt::format("{}_n{}_k{}_fast{}{}{}", s.format, s.n, s.k, s.columns, s.halves ? "_halves" : "",
                                      tiles.fine ? "_fine" : ""),
        .fragments = {tiles.format.header},
        .parameters = s.halves ? "const ds4::U16 *x, const void *w, float *y" : "const float *x, const void *w, float *y",
        .call = fmt::format("ds4::linearFast<{}, {}, {}>(step, x, w, y, workgroup)", tiles.arguments(), s.n, s.k),
        .lds = tiles.lds(s.n, s.k),
        .movable = true,
        .waits = true,
        .piece = tiles.rowsOfWorkgroup(s.k),
        .columns = s.columns,
        .threads = 32 * tiles.waves,
        .grid = {tiles.blocks, tiles.columnBlocks(), 1},
        .vgprs = tiles.vgprs(),
        .withinBudget = s.columns == 1 || s.columns == 8,
        .paired = tiles.fine,
    };
  }
  requireShape(!s.halves, "linear", "an exact product reads no halves");
  const DeviceFormat &format = productFormat("linear", s.format, s.k);
  RowLayout rows(s.n, s.k, waves, s.fine && waves);
  const bool several = rows.rows * rows.lanes > 32;
  return KernelSource{
      .op = "linear",
      .specialisation = fmt::format("{}_n{}_k{}", s.format, s.n, s.k),
      .formats = {&format},
      .parameters = "const float *x, const void *w, float *y",
      .call = fmt::format("ds4::{}<{}, {}, {}, {}, {}>(x, w, y, workgroup)", several ? "linearRows" : "linear", format.type, s.n,
                          s.k, several ? rows.rows : rows.lanes, rows.waves),
      .movable = true,
      .waits = true,
      .piece = rows.rows * rows.waves,
      .threads = 32 * rows.waves,
      .grid = {rows.blocks, StepExpr::q(), 1},
      .vgprs = exactVgprs(format),
  };
}

KernelSpec emitKernel(const LinearShape &shape) { return kernelSource(shape).finish(); }

KernelSpec emitKernel(const GroupedLinearShape &s) {
  if (const int halves = s.chunk ? chunkHalves(s.format, s.k) : 0) {
    const DeviceFormat &format = productFormat("grouped_linear", s.format, s.k);
    KernelSource source = chunkSource("grouped_linear", format, s.n, halves, s.halves);
    source.fragments = {"chunk_linear.h"};
    source.specialisation = fmt::format("{}_g{}_n{}_k{}_chunk{}", s.format, s.groups, s.n, s.k, s.halves ? "_halves" : "");
    source.call = fmt::format("ds4::groupedLinearChunk<{}, {}, {}, {}, {}>(step, x, w, y{})", format.type, halves, s.groups, s.n,
                              s.k, s.halves ? ", scales" : "");
    source.grid[2] = s.groups;
    return source.finish();
  }
  requireShape(!s.halves, "grouped_linear", "products of single steps read no halves");
  if (s.columns) {
    TileLayout tiles("grouped_linear", s.format, s.n, s.k, s.columns, s.fine, 0, s.groups);
    return KernelSource{
        .op = "grouped_linear",
        .specialisation =
            fmt::format("{}_g{}_n{}_k{}_fast{}{}", s.format, s.groups, s.n, s.k, s.columns, tiles.fine ? "_fine" : ""),
        .fragments = {tiles.format.header},
        .parameters = "const float *x, const void *w, float *y",
        .call = fmt::format("ds4::groupedLinearFast<{}, {}, {}, {}>(step, x, w, y)", tiles.arguments(), s.groups, s.n, s.k),
        .lds = tiles.lds(s.n, s.k),
        .waits = true,
        .threads = 32 * tiles.waves,
        .grid = {tiles.blocks, tiles.columnBlocks(), s.groups},
        .vgprs = tiles.vgprs(),
        .withinBudget = s.columns == 1 || s.columns == 8,
        .paired = tiles.fine,
    }
        .finish();
  }
  const DeviceFormat &format = productFormat("grouped_linear", s.format, s.k);
  RowLayout rows(s.n, s.k);
  return KernelSource{
      .op = "grouped_linear",
      .specialisation = fmt::format("{}_g{}_n{}_k{}", s.format, s.groups, s.n, s.k),
      .formats = {&format},
      .parameters = "const float *x, const void *w, float *y",
      .call = fmt::format("ds4::groupedLinear<{}, {}, {}, {}, {}, {}>(x, w, y)", format.type, s.groups, s.n, s.k, rows.lanes,
                          rows.waves),
      .waits = true,
      .threads = 32 * rows.waves,
      .grid = {rows.blocks, StepExpr::q(), s.groups},
      .vgprs = exactVgprs(format),
  }
      .finish();
}

// Tiles of slots at most: each expert's last one may be filled in part, and so may that of slots of no expert.
KernelSpec emitKernel(const GroupedExpertLinearShape &s) {
  constexpr std::string_view op = "grouped_expert_linear";
  const int halves = chunkHalves(s.format, s.k);
  requireShape(halves != 0, op, fmt::format("no kernel for format '{}' and rows of {} weights: use expert_linear", s.format, s.k));
  const DeviceFormat &format = productFormat(op, s.format, s.k);
  KernelSource source = chunkSource(op, format, s.n, halves, s.halves);
  source.specialisation = fmt::format("{}_e{}_u{}_n{}_k{}{}{}", s.format, s.experts, s.used, s.n, s.k, s.perSlot ? "_slots" : "",
                                      s.halves ? "_halves" : "");
  source.parameters = s.halves
                          ? "const ds4::U16 *x, const int *order, const int *starts, const void *w, const float *scales, float *y"
                          : "const float *x, const int *order, const int *starts, const void *w, float *y";
  source.call = fmt::format("ds4::groupedExpertLinear<{}, {}, {}, {}, {}, {}, {}>(step, x, order, starts, w, y{})", format.type,
                            halves, s.experts, s.used, s.n, s.k, s.perSlot, s.halves ? ", scales" : "");
  source.grid[1] = (StepExpr::q() * s.used).floorDiv(chunkTokens(halves)) + (s.experts + 1);
  return source.finish();
}

KernelSpec emitKernel(const ExpertLinearShape &s) {
  if (s.fast) {
    TileLayout tiles("expert_linear", s.format, s.n, s.k, 1, false);
    return KernelSource{
        .op = "expert_linear",
        .specialisation =
            fmt::format("{}_e{}_u{}_n{}_k{}{}_fast", s.format, s.experts, s.used, s.n, s.k, s.perSlot ? "_slots" : ""),
        .fragments = {tiles.format.header},
        .parameters = "const float *x, const int *ids, const void *w, float *y",
        .call = fmt::format("ds4::expertLinearFast<{}, {}, {}, {}, {}, {}, {}, {}, {}>(x, ids, w, y)", tiles.format.fragment,
                            tiles.rows, 4 / tiles.rows, tiles.waves, s.experts, s.used, s.n, s.k, s.perSlot),
        .lds = tiles.lds(s.n, s.k),
        .threads = 32 * tiles.waves,
        .grid = {tiles.blocks, StepExpr::q(), s.used},
        .vgprs = tiles.vgprs(),
        .withinBudget = true,
    }
        .finish();
  }
  const DeviceFormat &format = productFormat("expert_linear", s.format, s.k);
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
      .vgprs = exactVgprs(format),
  }
      .finish();
}

} // namespace ds4
