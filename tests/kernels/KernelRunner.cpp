#include "tests/kernels/KernelRunner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <gtest/gtest.h>

#ifdef DS4_RESOURCE_GATE
#include "codegen/KernelResources.h"
#endif
#include "codegen/emitters/Emitters.h"
#include "codegen/kernels/scratch.h"
#include "ir/reference/Reference.h"
#include "runtime/cache/KernelCache.h"
#include "runtime/hip/DeviceObjects.h"
#include "support/Half.h"

namespace ds4::test {
namespace {

std::string deviceName = "sim";
std::string cacheFolder;      // of compiled kernels, for runs of the same tests by several tools; "": none
bool firstTokenAlone = false; // of the tokens' own launches that of the first, for tools that make launches slow
uint64_t instructions = 0;
unsigned unknownExperts = 0, unknownExpertsOfAll = 0; // counted by the latest launch, and by that of all tokens

constexpr size_t kGuard = 256; // bytes before and after each operand
constexpr std::byte kGuardByte{0x5a};

struct LoadedKernel {
  hip::Module module;
  hip::FunctionHandle function;
};

class Device {
public:
  static Device &instance() {
    static Device device;
    return device;
  }
  const LoadedKernel &kernel(const KernelSpec &spec);
  const hip::Provider &provider() const { return *provider_; }

private:
  Device() : provider_(hip::openProvider(deviceName)), rtc_(hip::loadRtc(hip::rtcCandidates(provider_->table.library))) {
    if (!cacheFolder.empty())
      cache_.emplace(CacheOptions{.folder = cacheFolder});
    if (!provider_->table.ds4simSetOption)
      return;
    for (const char *detector : {"detect-races", "detect-uninitialised"})
      if (provider_->table.ds4simSetOption(detector, "1") != 0)
        throw std::runtime_error(fmt::format("the simulator has no option {}", detector));
  }
  std::vector<std::byte> compile(const KernelSpec &spec) const;
  std::vector<std::byte> findOrCompile(const KernelSpec &spec);

  std::shared_ptr<const hip::Provider> provider_;
  hip::RtcTable rtc_;
  std::optional<KernelCache> cache_;
  std::map<std::string, LoadedKernel> kernels_;
};

std::vector<std::byte> Device::compile(const KernelSpec &spec) const {
  std::vector<std::string> texts, names;
  std::vector<const char *> headers, includes;
  for (const HeaderText &header : kernelHeaders()) {
    texts.emplace_back(header.text);
    names.emplace_back(header.name);
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    headers.push_back(texts[i].c_str());
    includes.push_back(names[i].c_str());
  }
  hip::ProgramHandle program = nullptr;
  EXPECT_EQ(rtc_.hiprtcCreateProgram(&program, spec.source.c_str(), (spec.symbol + ".hip").c_str(),
                                     static_cast<int>(headers.size()), headers.data(), includes.data()),
            hip::kRtcSuccess);
  const std::string architecture = "--offload-arch=" + provider_->architecture;
  const char *options[] = {architecture.c_str(), "-O3", "-std=c++17"};
  hip::RtcResult result = rtc_.hiprtcCompileProgram(program, 3, options);
  size_t bytes = 0;
  rtc_.hiprtcGetProgramLogSize(program, &bytes);
  std::string log(bytes, '\0');
  rtc_.hiprtcGetProgramLog(program, log.data());
  if (result != hip::kRtcSuccess)
    throw std::runtime_error(spec.source + log);
  rtc_.hiprtcGetCodeSize(program, &bytes);
  std::vector<std::byte> code(bytes);
  rtc_.hiprtcGetCode(program, reinterpret_cast<char *>(code.data()));
  rtc_.hiprtcDestroyProgram(&program);
  return code;
}

std::vector<std::byte> Device::findOrCompile(const KernelSpec &spec) {
  if (!cache_)
    return compile(spec);
  std::vector<std::pair<std::string, std::string>> headers;
  for (const HeaderText &header : kernelHeaders())
    headers.emplace_back(header.name, header.text);
  const KernelKey key{.kernel = spec.symbol,
                      .architecture = provider_->architecture,
                      .generator = "kernels_test",
                      .source = spec.source,
                      .headers = KernelKey::digestOf(headers)};
  if (std::optional<std::vector<std::byte>> code = cache_->find(key))
    return *code;
  std::vector<std::byte> code = compile(spec);
  cache_->store(key, code);
  return code;
}

const LoadedKernel &Device::kernel(const KernelSpec &spec) {
  auto found = kernels_.find(spec.symbol);
  if (found != kernels_.end())
    return found->second;
  std::vector<std::byte> code = findOrCompile(spec);
#ifdef DS4_RESOURCE_GATE
  if (provider_->kind != hip::ProviderKind::Cuda)
    for (const KernelResources &resources : readKernelResources(code))
      checkResources(resources, spec.budget);
#endif
  hip::Module module(*provider_, code, spec.symbol);
  hip::FunctionHandle function = module.function(spec.symbol);
  return kernels_.emplace(spec.symbol, LoadedKernel{std::move(module), function}).first->second;
}

// One operand in device memory, between two guards.
hip::DeviceBuffer uploadGuarded(const hip::Provider &provider, const std::vector<std::byte> &bytes) {
  std::vector<std::byte> image(bytes.size() + 2 * kGuard, kGuardByte);
  std::ranges::copy(bytes, image.begin() + kGuard);
  hip::DeviceBuffer buffer(provider, image.size());
  buffer.upload(image);
  return buffer;
}

std::vector<std::byte> downloadGuarded(const hip::DeviceBuffer &buffer, const std::string &what) {
  std::vector<std::byte> image(buffer.size());
  buffer.download(image);
  for (size_t i = 0; i < kGuard; ++i) {
    EXPECT_EQ(image[i], kGuardByte) << what << ": written " << kGuard - i << " bytes before the operand";
    EXPECT_EQ(image[image.size() - 1 - i], kGuardByte) << what << ": written " << kGuard - i << " bytes after the operand";
  }
  return {image.begin() + kGuard, image.end() - kGuard};
}

std::vector<Operand> runOnce(const KernelSpec &spec, const Step &step, const std::vector<Operand> &operands) {
  Device &device = Device::instance();
  const LoadedKernel &kernel = device.kernel(spec);
  const auto *stepBytes = reinterpret_cast<const std::byte *>(&step);
  std::vector<hip::DeviceBuffer> buffers;
  buffers.push_back(uploadGuarded(device.provider(), {stepBytes, stepBytes + sizeof step}));
  for (const Operand &operand : operands)
    buffers.push_back(uploadGuarded(device.provider(), operand.bytes));
  if (spec.scratchBytes) {
    std::vector<std::byte> scratch(spec.scratchBytes, kUntouched);
    std::fill_n(scratch.begin(), kScratchCounterBytes, std::byte(0));
    buffers.push_back(uploadGuarded(device.provider(), scratch));
  }
  std::vector<const std::byte *> arguments;
  for (const hip::DeviceBuffer &buffer : buffers)
    arguments.push_back(buffer.data() + kGuard);

  hip::LaunchShape shape{.block = {static_cast<uint32_t>(spec.block), 1, 1}};
  for (int i = 0; i < 3; ++i)
    shape.grid[i] = static_cast<uint32_t>(spec.grid[i].evaluate(step.pos, step.q));
  hip::Stream stream(device.provider());
  stream.launch(kernel.function, shape, std::as_bytes(std::span(arguments)), spec.symbol);
  stream.synchronize();

  Step after;
  std::memcpy(&after, downloadGuarded(buffers[0], spec.symbol + ", step block").data(), sizeof after);
  EXPECT_EQ(std::memcmp(&after, &step, offsetof(Step, unknownExperts)), 0) << spec.symbol << ": the step block changed";
  unknownExperts = after.unknownExperts;

  std::vector<Operand> results = operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::string what = fmt::format("{}, operand {}", spec.symbol, i);
    results[i].bytes = downloadGuarded(buffers[i + 1], what);
    bool readOnly = operands[i].role == Operand::Role::Weight || operands[i].role == Operand::Role::Input;
    EXPECT_TRUE(!readOnly || results[i].bytes == operands[i].bytes) << what << ": changed, but it is an input";
  }
  if (spec.scratchBytes) {
    std::vector<std::byte> scratch = downloadGuarded(buffers.back(), spec.symbol + ", scratch");
    EXPECT_EQ(std::ranges::count(std::span(scratch).first(kScratchCounterBytes), std::byte(0)), kScratchCounterBytes)
        << spec.symbol << ": a counter is not 0 after the launch";
  }
  return results;
}

bool isPerToken(const Operand &operand) { return operand.role == Operand::Role::Input || operand.role == Operand::Role::Output; }

std::vector<std::byte> tokenBytes(const Operand &operand, int token, int q) {
  size_t size = operand.bytes.size() / q;
  return {operand.bytes.begin() + token * size, operand.bytes.begin() + (token + 1) * size};
}

Operand fromBytes(Operand::Role role, const void *from, size_t bytes) {
  const auto *begin = static_cast<const std::byte *>(from);
  return {role, {begin, begin + bytes}};
}

// Each token in a launch of its own, against the results of the launch of all.
void expectSameAlone(const KernelSpec &spec, const Step &step, const std::vector<Operand> &operands,
                     const std::vector<Operand> &all) {
  std::vector<Operand> own = operands;
  const int tokens = firstTokenAlone ? 1 : step.q;
  for (int token = 0; token < tokens; ++token) {
    Step alone = makeStep(step.pos + token, 1);
    alone.temperature = step.temperature;
    alone.topP = step.topP;
    if (token < kMaxWidth) { // of a chunk ids are an operand
      alone.token[0] = step.token[token];
      alone.random[0] = step.random[token];
    }
    for (size_t i = 0; i < own.size(); ++i)
      if (isPerToken(operands[i]))
        own[i].bytes = tokenBytes(operands[i], token, step.q);
    own = runOnce(spec, alone, own);
    for (size_t i = 0; i < own.size(); ++i) {
      if (operands[i].role != Operand::Role::Output)
        continue;
      std::vector<std::byte> expected = tokenBytes(all[i], token, step.q);
      for (size_t at = 0; at < expected.size(); ++at)
        if (own[i].bytes[at] != kUntouched) {
          ASSERT_EQ(own[i].bytes[at], expected[at])
              << spec.symbol << ", operand " << i << ": token " << token << " of " << step.q << " differs when alone, byte " << at;
        }
    }
  }
  for (size_t i = 0; i < own.size() && tokens == step.q; ++i)
    EXPECT_TRUE(operands[i].role != Operand::Role::State || own[i].bytes == all[i].bytes)
        << spec.symbol << ", operand " << i << ": the state differs after a launch for each token";
}

} // namespace

Operand weight(const WeightData &data) { return {Operand::Role::Weight, data.bytes}; }
Operand weight(const std::vector<int> &table) { return fromBytes(Operand::Role::Weight, table.data(), table.size() * sizeof(int)); }
Operand input(const std::vector<float> &values) {
  return fromBytes(Operand::Role::Input, values.data(), values.size() * sizeof(float));
}
Operand input(const std::vector<int> &values) {
  return fromBytes(Operand::Role::Input, values.data(), values.size() * sizeof(int));
}
Operand input(const std::vector<uint16_t> &halves) {
  return fromBytes(Operand::Role::Input, halves.data(), halves.size() * sizeof(uint16_t));
}
Operand state(const reference::State &state) { return {Operand::Role::State, bytesOf(state)}; }
Operand readOnly(const reference::State &state) { return {Operand::Role::Weight, bytesOf(state)}; }
Operand output(size_t count) { return {Operand::Role::Output, std::vector<std::byte>(count * 4, kUntouched)}; }

std::vector<Operand> launchTogether(const KernelSpec &spec, const Step &step, const std::vector<Operand> &operands) {
  std::vector<Operand> results = runOnce(spec, step, operands);
  unknownExpertsOfAll = unknownExperts;
  const hip::HipTable &table = Device::instance().provider().table;
  if (table.ds4simLastLaunch) {
    Ds4SimCounters counters;
    table.ds4simLastLaunch(&counters);
    instructions = counters.instructions;
  }
  return results;
}

std::vector<Operand> launch(const KernelSpec &spec, const Step &step, const std::vector<Operand> &operands) {
  std::vector<Operand> results = launchTogether(spec, step, operands);
  expectSameAlone(spec, step, operands, results);
  return results;
}

uint64_t lastInstructions() { return instructions; }
unsigned lastUnknownExperts() { return unknownExpertsOfAll; }

static void expectRowsClose(std::span<const double> actual, std::span<const double> expected, double tolerance, int64_t row) {
  double largest = 0;
  for (double value : expected)
    if (std::isfinite(value))
      largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i]))
      ASSERT_TRUE(std::isnan(actual[i])) << "row " << row << ", column " << i << ": " << actual[i];
    else if (std::isinf(expected[i]))
      ASSERT_EQ(actual[i], expected[i]) << "row " << row << ", column " << i;
    else
      ASSERT_NEAR(actual[i], expected[i], tolerance * largest) << "row " << row << ", column " << i;
  }
}

void expectClose(const std::vector<float> &actual, const reference::Tensor &expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.values.size());
  std::vector<double> values(actual.begin(), actual.end());
  for (int64_t row = 0; row < expected.rows(); ++row)
    expectRowsClose(std::span(values).subspan(row * expected.columns(), expected.columns()), expected.row(row), tolerance, row);
}

void expectClose(const reference::State &actual, const reference::State &expected, double tolerance) {
  for (int64_t row = 0; row < expected.rows(); ++row)
    expectRowsClose(actual.row(row), expected.row(row), tolerance, row);
}

void expectSmallError(const std::vector<float> &actual, const reference::Tensor &expected, double limit) {
  ASSERT_EQ(actual.size(), expected.values.size());
  double error = 0, size = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    error += std::pow(actual[i] - expected.values[i], 2);
    size += std::pow(expected.values[i], 2);
  }
  EXPECT_LE(std::sqrt(error), limit * std::sqrt(size));
}

void expectEqual(const std::vector<int> &actual, const reference::Tensor &expected) {
  ASSERT_EQ(actual.size(), expected.values.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_EQ(actual[i], expected.values[i]) << "at " << i;
}

ScaledRows::ScaledRows(const std::vector<float> &x, int rows, int width) {
  const reference::ScaledHalves scaled = reference::scaleToHalf(tensor({rows, width}, x));
  for (double value : scaled.halves.values)
    halves.push_back(floatToHalf(static_cast<float>(value)));
  scales.assign(scaled.scales.values.begin(), scaled.scales.values.end());
}

bool isOnNvidia() { return deviceName == "cuda"; }

Step makeStep(int pos, int q) {
  Step step{.pos = pos, .q = q, .token = {}, .temperature = 1, .topP = 1, .random = {}, .unknownExperts = 0};
  return step;
}

} // namespace ds4::test

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--device" && i + 1 < argc)
      ds4::test::deviceName = argv[++i];
    else if (std::string_view(argv[i]) == "--kernel-cache" && i + 1 < argc)
      ds4::test::cacheFolder = argv[++i];
    else if (std::string_view(argv[i]) == "--first-token-alone")
      ds4::test::firstTokenAlone = true;
  return RUN_ALL_TESTS();
}
