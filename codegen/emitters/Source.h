// What the emitters share: the text of a kernel's translation unit, and the choices that follow from a shape.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/KernelSpec.h"

namespace ds4 {

// A format that device code can read: the struct of kernels/formats/<name>.h.
struct DeviceFormat {
  std::string_view name;   // "q8_0"
  std::string_view type;   // "ds4::Q8_0"
  std::string_view header; // "formats/q8_0.h"
  int run;                 // weights that a lane reads at once
  int block;               // rows hold a multiple of this many weights; 1 where any width will do
  bool indexed = false;    // its weights can be read one by one
  bool element = false;    // can be the element of a state
  bool levels = false;     // needs a slice's levels, which only products look for
};
// Throw ds4::Error (User) naming `op` and the formats that would do.
const DeviceFormat &rowFormat(std::string_view op, std::string_view name, int width);     // of a matrix with rows of `width`
const DeviceFormat &productFormat(std::string_view op, std::string_view name, int width); // of a product's matrix
const DeviceFormat &vectorFormat(std::string_view op, std::string_view name, int width);  // of weights that are read one by one
const DeviceFormat &elementFormat(std::string_view op, std::string_view name);

// The pieces of one kernel; finish() puts them together.
struct KernelSource {
  std::string_view op;                            // names the header, "<op>.h"
  std::string specialisation;                     // the symbol is "ds4_<op>_<specialisation>"
  std::vector<const DeviceFormat *> formats = {}; // whose headers are included
  std::vector<std::string_view> fragments = {};   // headers of fast products' weights
  std::string prelude = {};                       // before the kernel: tables
  std::string_view parameters;                    // after the step block
  std::string call;                               // the body
  std::string lds = {};                           // C++: bytes of workgroupLds(); empty: not used
  bool movable = false;                           // the call takes a `workgroup`: the op can share a launch (SharedLaunch.h)
  bool waits = false;                             // the call itself waits for the launch before it (awaitPrevious)
  int piece = 0;                                  // of a token's row of results, what a workgroup makes; 0: what grid x says
  int columns = 1;                                // tokens of a workgroup
  int threads = 32;
  std::array<StepExpr, 3> grid{StepExpr(1), StepExpr::q(), StepExpr(1)};
  int vgprs = 128;           // budget
  bool withinBudget = false; // the compiler is told of the budget, too
  bool paired = false;       // two workgroups have to fit one of NVIDIA's multiprocessors
  int cluster = 1;           // workgroups, in x, that run at the same time and share LDS (wave_cuda.h)
  int scratchBytes = 0;      // the last of the parameters
  KernelSpec finish() const;
  std::vector<std::string_view> headers() const; // beside "<op>.h", in alphabetical order
};

// Waves of a workgroup of every op that can share a launch.
constexpr int kSharedWaves = 8;

// A float as a C++ literal of exactly that value, and as part of a symbol.
std::string floatLiteral(float value);
std::string floatName(float value);

// Throws ds4::Error (User) "<op>: <what>" unless `holds`.
void requireShape(bool holds, std::string_view op, std::string_view what);

// How many lanes work on one row of k weights: as many as have 32 weights each, a power of two up to 32.
int lanesOfRow(int k);
// Waves of a workgroup that works on one row of `width` values: 512 values a wave, a power of two up to 8.
int wavesOfRow(int width);
constexpr int ceilDiv(int a, int b) { return (a + b - 1) / b; }

// Elementwise kernels: values that a thread takes at once, threads of a workgroup, workgroups in x.
struct Elementwise {
  int threads, blocks;
};
Elementwise elementwise(int width, int run);
constexpr int quad(int width) { return width % 4 == 0 ? 4 : 1; } // kQuad of kernels/row.h

} // namespace ds4
