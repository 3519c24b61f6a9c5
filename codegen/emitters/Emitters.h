// From the shape of a primitive op to its kernel: symbol, source, workgroup size, grid, budget.
//
// One plain struct per op holds everything that specialises its kernel; emitKernel() turns it into a KernelSpec whose
// source includes codegen/kernels/<op>.h and instantiates it. Two equal shapes give equal specs, two different shapes
// give different symbols. Widths are in elements; `q`, the number of tokens, is never part of a shape: it is the
// launch's grid y. Arguments of the kernels: docs/ops.md, "Kernel convention".
//
// Formats and elements are the lower-case names of the IR ("f32", "f16", "q8_0"). Emitters throw ds4::Error (User)
// when a format has no device header yet, naming those that have one, and when a shape cannot be run: a row of q8_0
// whose width is no multiple of 32, for example.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "codegen/KernelSpec.h"
#include "support/RopeTable.h"

namespace ds4 {

// --- Token ids to streams, elementwise ops ---
struct EmbedShape {
  std::string format;
  int width = 0, streams = 4;
  bool idsOfStep = true; // else the kernel takes them as an operand
};
struct AddShape {
  int width = 0; // elements a token
};
struct ConcatShape {
  int a = 0, b = 0; // elements a token of each
};
struct ShiftTokensShape {};
struct ToHalfShape {
  int width = 0; // elements a token
};
struct ScaleToHalfShape {
  static constexpr int kMostWidth = 16384;
  int rows = 1, width = 0; // of a token; elements of a row, a multiple of 8
};
struct QuantizeActivationShape {
  std::string scheme; // "fp8", "fp4", "int8"
  int width = 0;      // elements a token, a multiple of block
  int block = 128;    // elements that share a scale: 32, 64 or 128
};

// --- Products. k is the width of a row of weights, n the number of rows. `columns` chooses the kernel: 0, exact, activations
// in single precision; 1, 2 or 4, fast (kernels/product.h), so many tokens share each decoded weight. Tokens' results depend
// on the kernel, not on `columns`. `fine`, here and in other shapes: laid out for devices of more than a hundred multiprocessors
// with the matrix unit of kernels/quad_product.h, where few rows a workgroup suit one token, and many several. Results are the
// same. ---
struct LinearShape {
  std::string format;
  int n = 0, k = 0;
  int columns = 0;
  bool fine = false;
  bool halves = false; // x comes as halves (ToHalfShape; of chunks ScaleToHalfShape, with scales); fast kernels alone
  bool chunk =
      false; // for any number of tokens (kernels/chunk_product.h), where chunkHalves() has a kernel; else as `columns` says
};
struct GroupedLinearShape {
  std::string format;
  int groups = 1, n = 0, k = 0; // n and k of one group
  int columns = 0;
  bool fine = false;
  bool halves = false; // with scales; of chunks alone
  bool chunk = false;
};
struct ExpertLinearShape {
  std::string format;
  int experts = 0, used = 0, n = 0, k = 0;
  bool perSlot = false; // x is [T, U, K] instead of [T, K]
  bool fast = false;    // one token shares a weight
};
// Slots ordered by expert, for chunks; the weight's format is one that chunkHalves() knows.
struct GroupedExpertLinearShape {
  std::string format;
  int experts = 0, used = 0, n = 0, k = 0;
  bool perSlot = false; // x is [T, U, K] instead of [T, K]
  bool halves = false;  // with scales
};
// Halves that an activation has in products of a chunk with rows of k such weights: 1, or 2 where decode products are exact; 0:
// there is no such kernel.
int chunkHalves(std::string_view format, int k);
// The greatest `columns`, at most q, that a fast kernel exists for; 0 when there is none for that format and width. With `waves`,
// in a workgroup of that many.
int fastColumns(std::string_view format, int k, int q, int waves = 0);

// --- Norms and rotation ---
struct RmsNormShape {
  std::string format; // of the weight
  int width = 0;
  float eps = 1e-6f;
};
struct HeadNormShape {
  int heads = 0, width = 0;
  float eps = 1e-6f;
};
struct RopeShape {
  int heads = 1, width = 0;
  RopeParameters rope;
  bool inverse = false;
  float normEps = 0; // not 0: each head is normed first, as by head_norm
};

// --- Hyper-connections, four streams ---
struct HcCoefficientsShape {
  std::string fnFormat, baseFormat = "f32", scaleFormat = "f32";
  int width = 0; // of one stream
  float eps = 1e-6f;
  bool chunk = false; // any number of tokens
};
struct SinkhornShape {
  int iterations = 20;
  float eps = 1e-6f;
};
struct HcReadShape {
  int width = 0;
};
struct StreamMeanShape {
  int width = 0, streams = 4;
};
struct HcWriteShape {
  int width = 0;
};
struct HcHeadShape {
  std::string fnFormat, baseFormat = "f32", scaleFormat = "f32";
  int width = 0;
  float eps = 1e-6f, hcEps = 1e-6f;
};

// Whether a target has clusters of sixteen workgroups: NVIDIA's of compute capability 9.0 to 11.x. Of those before there are none,
// and of later ones so far no larger than eight.
bool hasClusters(std::string_view architecture);

// What lies between two sub-layers, in one launch.
struct HcSiteShape {
  static constexpr int kChannels = 128;                                              // of a workgroup: the width is a multiple
  std::string fnFormat, baseFormat = "f32", scaleFormat = "f32", normFormat = "f32"; // fn: f16 or f32
  int width = 0;                                                                     // of one stream
  bool writes = true; // begins with the write of the previous sub-layer's output
  int iterations = 20;
  float eps = 1e-6f, hcEps = 1e-6f, normEps = 1e-6f;
  bool clusters = false;     // the target has clusters of workgroups: one makes a token's where the width suits
  int deferred = 0, due = 0; // iterations that the new comb lacks, and that the previous one lacks; of clusters alone
  static bool suitsClusters(int width);
};

// --- Attention. `element` is the element of the state: "f16" or "f32" ---
struct WindowAppendShape {
  std::string element;
  int slots = 136, width = 0;
  bool chunk = false; // of several tokens for one slot the last one stays
};
struct WindowCopyShape {
  std::string element;
  int toSlots = 0, fromSlots = 136, window = 128, width = 0;
};
struct WindowReadShape {
  std::string element;
  int slots = 144, width = 0, first = 0, cols = 0;
};
struct CompressShape {
  std::string openElement, rowElement;
  std::string apeFormat, normFormat = "f32";
  int ratio = 4;  // 4 pools two overlapping windows (kv, gate: 2 * width columns), any other ratio one
  int slots = 16; // of the open ring
  int width = 0;  // of a pooled row
  float eps = 1e-6f;
  RopeParameters rope;
  bool chunk = false; // any number of tokens
};
struct IndexScoreShape {
  std::string element;
  int heads = 0, width = 0;
  int ratio = 4;
  int capacity = 0; // rows of the state: the stride of a row of scores
  float scale = 1;
  int halves = 2; // of a query value on the matrix unit, 1 or 2; 0: single precision, as always where the unit does not fit
  bool fine = false;
};
struct SelectTopKShape {
  int k = 0;
  int ratio = 4;
  int capacity = 0;   // rows of the state: the stride of a row of scores
  int rows = 0;       // visible rows at most; 0: the capacity
  int chunk = 32768;  // rows of a workgroup, which keeps them in registers, up to 32768
  bool whole = false; // for any number of tokens: a workgroup takes a token's chunks in turn; no scratch
};
struct AttendShape {
  std::string element, rowElement = "f16"; // of the window, of the compressed rows
  std::string sinkFormat = "f32";
  int heads = 0, width = 0;
  int slots = 136, window = 128;
  int ratio = 0; // 0: no compressed rows
  int picks = 0; // K of the picks operand; 0: every visible compressed row
  float scale = 1;
  bool block = false; // the tokens see each other, and the window before the step
};

// Which rows a token attends to beside those of its window; names of kernels/masked_attention.h.
enum class Visibility {
  DirectVisible, // the picks, all of them; every token of the step must see a full window and at least K rows. Nothing is masked
  Selected,      // the picks, which end in padding where fewer than K rows are visible
  Masked,        // every visible row. Of an op with picks, every token of the step must see at most K rows
};

// attend, then the inverse rope of its result. Window and rows are halves. What follows `rope` is the schedule: results depend on
// `parts` and `halves` alone, bit for bit.
struct MaskedAttentionShape {
  std::string sinkFormat = "f32";
  int heads = 0, width = 0; // width: 128, 256 or 512
  int slots = 136, window = 128;
  int ratio = 0; // 0: no compressed rows
  int picks = 0; // K of the picks operand, a multiple of 32; 0: none
  float scale = 1;
  RopeParameters rope;
  Visibility visibility = Visibility::Selected; // Selected and Masked mean the same without picks
  int parts = 0;                                // workgroups that share the rows of a token and group of heads; 0: partsOf()
  int groupHeads = 16;                          // heads of a workgroup: 16, or 32 with one half and a width above 128
  int halves = 2;        // of a query value and a weight: 1 rounds them to half precision, 2 is exact to 22 bits
  bool whole = false;    // for any number of tokens: one part, which finishes itself; no scratch
  bool clusters = false; // the target has clusters of workgroups: the parts are one where the width suits
  // Parts for so many rows of a token, window included: 32 rows each, from 5 parts on 64, at most 10.
  static int partsOf(int rows);
  // Whether there is a kernel: otherwise attend and rope do it.
  bool hasKernel(std::string_view element, std::string_view rowElement) const;
};

// --- Experts ---
struct RouterShape {
  std::string biasFormat = "f32";
  int experts = 0, k = 0;
  float scale = 1;
};
struct HashRouterShape {
  int experts = 0, used = 0;
  float scale = 1;
  bool idsOfStep = true; // else the kernel takes them as an operand
};
struct GroupSlotsShape {
  int experts = 0, used = 0;
};
struct SwigluShape {
  int width = 0; // elements a token
  float limit = 10;
};
struct CombineShape {
  int used = 0, width = 0;
};

// A layer's experts in three launches. `fast`: each product in half precision where a fast kernel exists for its format and
// width, else exact. `columns`: so many tokens that chose an expert share its weights, and all tokens the shared expert's; 1, or
// what expertColumns() says. Tokens' results do not depend on it.
struct MoeRouteShape {
  std::string routerFormat, biasFormat = "f32", format; // of the router, its bias, the shared expert
  int experts = 0, used = 0, width = 0, hidden = 0;     // hidden: rows of the shared expert's gate and up
  bool hashed = false;                                  // experts by a table of the token, no bias
  float scale = 1, limit = 10;
  bool fast = false, fine = false;
  int columns = 1;
};
struct MoeGateUpShape {
  std::string format;
  int experts = 0, used = 0, n = 0, k = 0;
  float limit = 10;
  bool fast = false, fine = false;
  int columns = 1;
};
struct MoeDownShape {
  std::string format, sharedFormat;
  int experts = 0, used = 0, n = 0, k = 0, sharedK = 0;
  bool fast = false, fine = false;
  int columns = 1;
};

// The greatest `columns` of an expert op, 4 at most; 1 where there is no such kernel. Nor is there one for fine shapes of formats
// that the matrix unit takes: it adds up in another order, and tokens' results must not depend on `columns`.
int expertColumns(const MoeRouteShape &shape);
int expertColumns(const MoeGateUpShape &shape);
int expertColumns(const MoeDownShape &shape);

// --- Next token ---
struct ArgmaxShape {
  int vocabulary = 0;
};
struct SampleShape {
  int vocabulary = 0;
};

KernelSpec emitKernel(const EmbedShape &shape);
KernelSpec emitKernel(const AddShape &shape);
KernelSpec emitKernel(const ConcatShape &shape);
KernelSpec emitKernel(const StreamMeanShape &shape);
KernelSpec emitKernel(const ShiftTokensShape &shape);
KernelSpec emitKernel(const QuantizeActivationShape &shape);
KernelSpec emitKernel(const ToHalfShape &shape);
KernelSpec emitKernel(const ScaleToHalfShape &shape);
KernelSpec emitKernel(const LinearShape &shape);
KernelSpec emitKernel(const GroupedLinearShape &shape);
KernelSpec emitKernel(const ExpertLinearShape &shape);
KernelSpec emitKernel(const GroupedExpertLinearShape &shape);
KernelSpec emitKernel(const RmsNormShape &shape);
KernelSpec emitKernel(const HeadNormShape &shape);
KernelSpec emitKernel(const RopeShape &shape);
KernelSpec emitKernel(const HcCoefficientsShape &shape);
KernelSpec emitKernel(const SinkhornShape &shape);
KernelSpec emitKernel(const HcReadShape &shape);
KernelSpec emitKernel(const HcWriteShape &shape);
KernelSpec emitKernel(const HcHeadShape &shape);
KernelSpec emitKernel(const HcSiteShape &shape);
KernelSpec emitKernel(const WindowAppendShape &shape);
KernelSpec emitKernel(const WindowCopyShape &shape);
KernelSpec emitKernel(const WindowReadShape &shape);
KernelSpec emitKernel(const CompressShape &shape);
KernelSpec emitKernel(const IndexScoreShape &shape);
KernelSpec emitKernel(const SelectTopKShape &shape);
KernelSpec emitKernel(const AttendShape &shape);
KernelSpec emitKernel(const MaskedAttentionShape &shape);
KernelSpec emitKernel(const RouterShape &shape);
KernelSpec emitKernel(const HashRouterShape &shape);
KernelSpec emitKernel(const GroupSlotsShape &shape);
KernelSpec emitKernel(const SwigluShape &shape);
KernelSpec emitKernel(const CombineShape &shape);
KernelSpec emitKernel(const MoeRouteShape &shape);
KernelSpec emitKernel(const MoeGateUpShape &shape);
KernelSpec emitKernel(const MoeDownShape &shape);
KernelSpec emitKernel(const ArgmaxShape &shape);
KernelSpec emitKernel(const SampleShape &shape);

// An expert op's kernel for steps of so many tokens.
template <typename Shape> KernelSpec emitExperts(Shape shape, int tokens) {
  shape.columns = tokens > 1 ? expertColumns(shape) : 1;
  return emitKernel(shape);
}

// The ops that can share a launch with others (SharedLaunch.h), before they are made into a kernel. `waves` of a workgroup are
// the emitter's choice when 0; no result depends on them.
struct KernelSource;
KernelSource kernelSource(const LinearShape &shape, int waves = 0);
KernelSource kernelSource(const ToHalfShape &shape);
KernelSource kernelSource(const RmsNormShape &shape);
KernelSource kernelSource(const HeadNormShape &shape);
KernelSource kernelSource(const RopeShape &shape);
KernelSource kernelSource(const WindowAppendShape &shape);
KernelSource kernelSource(const CompressShape &shape);
KernelSource kernelSource(const IndexScoreShape &shape);
KernelSource kernelSource(const SelectTopKShape &shape, int waves = 0);
KernelSource kernelSource(const HcWriteShape &shape);
KernelSource kernelSource(const HcHeadShape &shape);
KernelSource kernelSource(const ArgmaxShape &shape);
KernelSource kernelSource(const SampleShape &shape);

// The device headers, embedded: what a compile of an emitted source needs, nothing more. Names are as in #include.
struct HeaderText {
  std::string_view name, text;
};
std::span<const HeaderText> kernelHeaders();

} // namespace ds4
