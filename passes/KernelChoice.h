// What a pass may choose of a kernel that is made for an op.
#pragma once

#include <string>

namespace ds4 {

// Which products kernels make: all in single precision, or in half precision where a fast kernel exists.
enum class Products { Exact, Fast };

// What an emitter may choose: the products, and of the op's schedules the one with that name and value. Without one, the kernel
// does for all steps.
struct KernelChoice {
  Products products = Products::Fast;
  std::string schedule;
  int value = 0;
  bool fineGrids = false; // for devices of more than a hundred multiprocessors
  bool clusters = false;  // workgroups may share LDS in clusters (kernels/wave_cuda.h)
  bool chunk = false;     // for steps of any number of tokens
};

} // namespace ds4
