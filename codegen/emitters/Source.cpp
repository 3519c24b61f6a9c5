#include "codegen/emitters/Source.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/Error.h"

namespace ds4 {

static constexpr std::array kFormats{
    DeviceFormat{"f32", "ds4::F32", "formats/f32.h", 4, 1, true, true},
    DeviceFormat{"f16", "ds4::F16", "formats/f16.h", 8, 1, true, true},
    DeviceFormat{"bf16", "ds4::BF16", "formats/bf16.h", 8, 1, true},
    DeviceFormat{"q8_0", "ds4::Q8_0", "formats/q8_0.h", 32, 32, true},
    DeviceFormat{"q4_0", "ds4::Q4_0", "formats/q4_0.h", 32, 32},
    DeviceFormat{"q2_k", "ds4::Q2_K", "formats/q2_k.h", 32, 256},
    DeviceFormat{"q3_k", "ds4::Q3_K", "formats/q3_k.h", 32, 256},
    DeviceFormat{"q4_k", "ds4::Q4_K", "formats/q4_k.h", 32, 256},
    DeviceFormat{"q5_k", "ds4::Q5_K", "formats/q5_k.h", 32, 256},
    DeviceFormat{"q6_k", "ds4::Q6_K", "formats/q6_k.h", 32, 256},
    DeviceFormat{"iq2_xxs", "ds4::IQ2_XXS", "formats/iq2_xxs.h", 32, 256},
    DeviceFormat{"iq3_xxs", "ds4::IQ3_XXS", "formats/iq3_xxs.h", 32, 256},
    DeviceFormat{"iq4_xs", "ds4::IQ4_XS", "formats/iq4_xs.h", 32, 256},
    DeviceFormat{"mxfp4", "ds4::MXFP4", "formats/mxfp4.h", 32, 32},
    DeviceFormat{"rocmfp2", "ds4::RocmFp2", "formats/rocmfp2.h", 32, 32},
    DeviceFormat{"rocmfp2_affine", "ds4::RocmFp2Affine", "formats/rocmfp2.h", 32, 32},
    DeviceFormat{"rocmfp2_s40", "ds4::RocmFp2S40", "formats/rocmfp2.h", 32, 32},
    DeviceFormat{"rocmfp3", "ds4::RocmFp3", "formats/rocmfp3.h", 32, 32},
    DeviceFormat{"rocmfp3_mix", "ds4::RocmFp3Mix", "formats/rocmfp3_mix.h", 32, 32, false, false, true},
    DeviceFormat{"rocmfp2_mix", "ds4::RocmFp2Mix", "formats/rocmfp2_mix.h", 32, 32, false, false, true},
    DeviceFormat{"rocmfp4", "ds4::RocmFp4", "formats/rocmfp4.h", 32, 32},
    DeviceFormat{"rocmfp4_fast", "ds4::RocmFp4Fast", "formats/rocmfp4_fast.h", 32, 32},
    DeviceFormat{"rocmfp6", "ds4::RocmFp6", "formats/rocmfp6.h", 32, 32},
    DeviceFormat{"rocmfp8", "ds4::RocmFp8", "formats/rocmfp8.h", 32, 32},
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

static const DeviceFormat &requireWidth(std::string_view op, const DeviceFormat &format, int width) {
  if (width % format.block != 0)
    userError("{}: rows of {} weights do not fit format {}: it wants a multiple of {}", op, width, format.name, format.block);
  return format;
}

const DeviceFormat &rowFormat(std::string_view op, std::string_view name, int width) {
  return requireWidth(op, findFormat(op, name, [](const DeviceFormat &format) { return !format.levels; }), width);
}

const DeviceFormat &productFormat(std::string_view op, std::string_view name, int width) {
  return requireWidth(op, findFormat(op, name, [](const DeviceFormat &) { return true; }), width);
}

const DeviceFormat &vectorFormat(std::string_view op, std::string_view name, int width) {
  return requireWidth(op, findFormat(op, name, [](const DeviceFormat &format) { return format.indexed; }), width);
}

const DeviceFormat &elementFormat(std::string_view op, std::string_view name) {
  return findFormat(op, name, [](const DeviceFormat &format) { return format.element; });
}

std::vector<std::string_view> KernelSource::headers() const {
  std::vector<std::string_view> names;
  for (const DeviceFormat *format : formats)
    names.push_back(format->header);
  names.insert(names.end(), fragments.begin(), fragments.end());
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

KernelSpec KernelSource::finish() const {
  KernelSpec spec;
  spec.op = op;
  spec.symbol = fmt::format("ds4_{}_{}", op, specialisation);
  spec.source = fmt::format("#include \"{}.h\"\n", op);
  for (std::string_view header : headers())
    spec.source += fmt::format("#include \"{}\"\n", header);
  if (!prelude.empty())
    spec.source += "\n" + prelude;
  std::string kernel = withinBudget ? fmt::format("DS4_KERNEL_WITHIN({}, {})", threads, vgprs)
                                    : fmt::format("{}({})", paired ? "DS4_KERNEL_PAIRED" : "DS4_KERNEL", threads);
  const std::string_view wait = waits ? "" : "ds4::awaitPrevious();\n  ";
  std::string_view place = movable ? "const ds4::Workgroup workgroup = ds4::thisWorkgroup();\n  " : "";
  spec.source +=
      fmt::format("\n{} {}(const ds4::Step *step, {}) {{\n  {}{}{};\n}}\n", kernel, spec.symbol, parameters, wait, place, call);
  spec.source += fmt::format("DS4_WAITS({0})\nDS4_CLUSTER_OF({0}, {1})\nDS4_LDS_OF({0}, {2})\n", spec.symbol, cluster,
                             lds.empty() ? "0" : lds);
  spec.block = threads;
  spec.grid = grid;
  spec.budget.vgprs = vgprs;
  spec.scratchBytes = scratchBytes;
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
