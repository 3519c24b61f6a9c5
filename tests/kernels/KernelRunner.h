// Runs one emitted kernel on the device that --device names (sim, hip or cuda; sim by default). --kernel-cache FOLDER keeps what
// was compiled for another run by the same compiler.
//
// launch() compiles the spec's source through the provider's own hipRTC, applies the resource gate, and runs the kernel
// twice: once with all tokens of the step, and once for each token alone. It fails the test when
//  - the code object spills, uses scratch or exceeds its budget (AMD code objects, where the compiler is built),
//  - bytes around an operand change, or an operand that the kernel only reads,
//  - a token's results differ in one bit between the two,
//  - a counter of the scratch is not 0 after the launch.
// With --first-token-alone the first token alone has a launch of its own.
// The simulator runs with its detectors of LDS races and uninitialised reads on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "codegen/KernelSpec.h"
#include "codegen/kernels/step.h"
#include "ir/reference/Tensor.h"
#include "tests/kernels/Data.h"

namespace ds4::test {

// One kernel argument; a kernel's scratch is none, launch() adds it. Inputs and outputs have a leading dimension T and are cut up
// for the runs of single tokens; outputs start as kUntouched, and what a single token leaves so is not compared. States are read
// and written, and go from token to token. Weights are what all tokens read.
struct Operand {
  enum class Role { Weight, Input, State, Output } role;
  std::vector<std::byte> bytes;

  template <typename T> std::vector<T> as() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
};
inline constexpr std::byte kUntouched{0xa5};

Operand weight(const WeightData &data);
Operand weight(const std::vector<int> &table);
Operand input(const std::vector<float> &values);
Operand input(const std::vector<int> &values);
Operand input(const std::vector<uint16_t> &halves); // an even number a token
Operand state(const reference::State &state);
Operand readOnly(const reference::State &state);
Operand output(size_t count); // 4-byte elements of all tokens

// Rows of activations as scale_to_half makes them.
struct ScaledRows {
  std::vector<uint16_t> halves;
  std::vector<float> scales;
  ScaledRows(const std::vector<float> &x, int rows, int width);
};

// The results: operands in their order, outputs and states as the launch of all tokens left them.
std::vector<Operand> launch(const KernelSpec &spec, const Step &step, const std::vector<Operand> &operands);

// The same for kernels whose tokens read each other's values: the run of all tokens only.
std::vector<Operand> launchTogether(const KernelSpec &spec, const Step &step, const std::vector<Operand> &operands);

// Executed wave instructions of the latest launch of all tokens; 0 where the device does not count.
uint64_t lastInstructions();
// What the latest launch of all tokens counted as expert ids that are none.
unsigned lastUnknownExperts();

// Every value within `tolerance` times the largest magnitude of its row in the reference; infinities and NaN alike.
void expectClose(const std::vector<float> &actual, const reference::Tensor &expected, double tolerance);
void expectClose(const reference::State &actual, const reference::State &expected, double tolerance);
// The root mean square error, relative to that of the reference, is at most `limit`.
void expectSmallError(const std::vector<float> &actual, const reference::Tensor &expected, double limit);
void expectEqual(const std::vector<int> &actual, const reference::Tensor &expected);

bool isOnNvidia(); // whether --device is cuda

Step makeStep(int pos, int q);

} // namespace ds4::test
