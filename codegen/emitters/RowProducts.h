// The products that a fused kernel makes: which template of kernels/row_products.h, and how many rows a wave takes at once.
#pragma once

#include <string>
#include <string_view>

#include "codegen/emitters/Source.h"

namespace ds4 {

struct RowProducts {
  const DeviceFormat *format = nullptr; // exact
  std::string_view fragment, header;    // fast
  int groupRows = 1;                    // kGroupRows
  int waves = 1;                        // of a workgroup, at most
  int inputs = 1, n = 0, k = 0, tiles = 0;
  int inputBytes = 0, stagingBytes = 0, tableBytes = 0; // of LDS, for the inputs, for the weights of a wave, and once; fast
  int vgprs = 128;

  bool isFast() const { return !format; }
  // As a template argument; `waves` is what the kernel has.
  std::string type(int waves) const;
};

// Rows of k weights for `inputs` inputs; fast when that is asked for and there is such a kernel. With `atMost`, a group has no
// more rows than that where the format allows.
constexpr int kMostGroupRows = 32; // a lane has one result
RowProducts rowProducts(std::string_view op, std::string_view format, int inputs, int n, int k, bool fast,
                        int atMost = kMostGroupRows);

// Whether kernels/quad_product.h makes the fast products of a format's weights where there is such a matrix unit.
bool takesQuads(std::string_view format);

// The same for up to `columns` inputs at a time, weights decoded once: kernels/expert_columns.h.
struct ColumnProducts {
  std::string_view fragment, header;
  int columns = 0, tiles = 0, tileRows = 1; // of a wave at a time; rows of a tile
  int waves = 1;                            // of a workgroup, at most
  int n = 0, k = 0;

  int groupRows() const { return tiles * tileRows; }
  // As a template argument. `chosen`: the kernel says which inputs.
  std::string type(int waves, bool chosen) const;
};

// Rows of k weights for up to 4 inputs; `columns` is 1 where there is no such kernel.
ColumnProducts columnProducts(std::string_view format, int n, int k, bool fast);

} // namespace ds4
