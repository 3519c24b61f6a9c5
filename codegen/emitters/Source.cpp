#include "codegen/emitters/Source.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/Error.h"

namespace ds4 {

static constexpr std::array kFormats{
    DeviceFormat{"f32", "ds4::F32", "formats/f32.h", 1, true},
    DeviceFormat{"f16", "ds4::F16", "formats/f16.h", 1, true},
    DeviceFormat{"q8_0", "ds4::Q8_0", "formats/q8_0.h", 32, false},
};

template <typename Suits> static const DeviceFormat &findFormat(std::string_view op, std::string_view name, Suits suits) {
  std::vector<std::string_view> known;
  for (const DeviceFormat &format : kFormats) {
    if (!suits(format))
      continue;
    if (format.name == name)
      return format;
    known.push_back(format.name);
  }
  userError("{}: format '{}' has no device code here: use {}", op, name, fmt::join(known, ", "));
}

const DeviceFormat &weightFormat(std::string_view op, std::string_view name) {
  return findFormat(op, name, [](const DeviceFormat &) { return true; });
}

const DeviceFormat &rowFormat(std::string_view op, std::string_view name, int width) {
  const DeviceFormat &format = weightFormat(op, name);
  if (width % format.run != 0)
    userError("{}: rows of {} weights do not fit format {}: it wants a multiple of {}", op, width, name, format.run);
  return format;
}

const DeviceFormat &elementFormat(std::string_view op, std::string_view name) {
  return findFormat(op, name, [](const DeviceFormat &format) { return format.element; });
}

KernelSpec KernelSource::finish() const {
  KernelSpec spec;
  spec.op = op;
  spec.symbol = fmt::format("ds4_{}_{}", op, specialisation);
  spec.source = fmt::format("#include \"{}.h\"\n", op);
  std::vector<std::string_view> headers;
  for (const DeviceFormat *format : formats)
    headers.push_back(format->header);
  std::ranges::sort(headers);
  headers.erase(std::ranges::unique(headers).begin(), headers.end());
  for (std::string_view header : headers)
    spec.source += fmt::format("#include \"{}\"\n", header);
  if (!prelude.empty())
    spec.source += "\n" + prelude;
  spec.source +=
      fmt::format("\nDS4_KERNEL({}) {}(const ds4::Step *step, {}) {{\n  {};\n}}\n", threads, spec.symbol, parameters, call);
  spec.block = threads;
  spec.grid = grid;
  spec.budget.vgprs = vgprs;
  return spec;
}

std::string floatLiteral(float value) { return fmt::format("{:#}f", value); }

std::string floatName(float value) {
  std::string name = fmt::format("{}", value);
  std::erase(name, '+');
  std::ranges::replace(name, '-', 'm');
  std::ranges::replace(name, '.', 'p');
  return name;
}

void requireShape(bool holds, std::string_view op, std::string_view what) {
  if (!holds)
    userError("{}: {}", op, what);
}

int lanesOfRow(int k) {
  int lanes = 1;
  while (lanes < 32 && 64 * lanes <= k)
    lanes *= 2;
  return lanes;
}

int wavesOfRow(int width) {
  int waves = 1;
  while (waves < 8 && 1024 * waves <= width)
    waves *= 2;
  return waves;
}

Elementwise elementwise(int width, int run) {
  int waves = std::min(4, ceilDiv(width, 32 * run));
  return {32 * waves, ceilDiv(width, 32 * waves * run)};
}

} // namespace ds4
