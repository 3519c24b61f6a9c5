#include "runtime/hip/Provider.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

#include <unistd.h>

#include "support/Error.h"

namespace ds4::hip {

std::string_view remedyOf(ProviderKind kind) {
  switch (kind) {
  case ProviderKind::Amd:
    return "install ROCm 6.4 or newer, or use --device sim";
  case ProviderKind::Simulator:
    return "libds4sim.so belongs into the folder lib beside the program's bin";
  case ProviderKind::Cuda:
    return "libds4cuda.so belongs into the folder lib beside the program's bin";
  }
  return "";
}

// The "gfx..." name in a device's properties. Its place differs between versions, so the block is searched, behind the
// marketing name, which takes the first 256 bytes and may hold such a word too.
std::string architectureOf(const HipTable &table, int device) {
  std::vector<char> block(kPropertiesBytes, 0);
  const auto properties = table.hipGetDevicePropertiesR0600 ? table.hipGetDevicePropertiesR0600 : table.hipGetDeviceProperties;
  if (properties(block.data(), device) != kSuccess)
    return "";
  constexpr size_t kNameBytes = 256;
  const std::string_view bytes(block.data() + kNameBytes, block.size() - kNameBytes);
  for (size_t at = bytes.find("gfx"); at != bytes.npos; at = bytes.find("gfx", at + 1)) {
    const std::string_view rest = bytes.substr(at + 3);
    const size_t digits = std::min(rest.find_first_not_of("0123456789abcdef"), rest.size());
    if (digits >= 3)
      return std::string(bytes.substr(at, 3 + digits));
  }
  // The CUDA provider names compute capabilities: "sm_90".
  const size_t at = bytes.find("sm_");
  return at == bytes.npos ? "" : std::string(bytes.data() + at, strnlen(bytes.data() + at, 16));
}

std::string deviceNameOf(const HipTable &table, int device) {
  char name[256] = {};
  return table.hipDeviceGetName(name, sizeof name - 1, device) == kSuccess ? name : "";
}

std::string kfdProblem(const std::string &path) {
  if (::access(path.c_str(), F_OK) != 0)
    return fmt::format("{} is not there: load the amdgpu driver, and give containers --device {}", path, path);
  if (::access(path.c_str(), R_OK | W_OK) != 0)
    return fmt::format("{} cannot be opened ({}): add this user to the groups render and video", path, std::strerror(errno));
  return "";
}

namespace {

std::string hint(ProviderKind kind, Result result) {
  switch (result) {
  case kOutOfMemory:
    return "close other programs, or choose a smaller model or context";
  case kNoDevice:
  case kInvalidDevice:
  case kNotInitialized:
    if (kind == ProviderKind::Cuda)
      return "no usable NVIDIA GPU: install its driver, or use --device sim";
    if (const std::string problem = kfdProblem(); !problem.empty())
      return fmt::format("no usable AMD GPU: {}; or use --device sim", problem);
    return "no usable AMD GPU: HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES may hide it, or use --device sim";
  case kInvalidImage:
  case kNoBinaryForGpu:
    return "the code object is damaged or for another architecture: compile the plan anew for this device";
  default:
    return "";
  }
}

bool isOurFault(Result result) {
  switch (result) {
  case kInvalidValue:
  case kInvalidConfiguration:
  case kInvalidMemcpyDirection:
  case kInvalidHandle:
  case kNotFound:
  case kIllegalAddress:
  case kLaunchFailure:
    return true;
  default:
    return false;
  }
}

int chooseOrdinal(const HipTable &table, ProviderKind kind, int count, int wanted) {
  if (wanted >= count)
    environmentError("device {} does not exist: {} has {} device(s)", wanted, table.library, count);
  if (wanted >= 0)
    return wanted;
  if (kind == ProviderKind::Cuda)
    return 0;
  std::string seen;
  for (int device = 0; device < count; ++device) {
    const std::string architecture = architectureOf(table, device);
    if (architecture == kTargetArchitecture)
      return device;
    seen += fmt::format("{}{} ({})", seen.empty() ? "" : ", ", deviceNameOf(table, device), architecture);
  }
  environmentError("no {} among the devices of {}: it has {}; use --device sim", kTargetArchitecture, table.library, seen);
}

std::shared_ptr<Provider> open(ProviderKind kind, std::span<const std::string> candidates, int ordinal) {
  auto provider = std::make_shared<Provider>();
  provider->kind = kind;
  provider->table = loadHip(candidates, remedyOf(kind));
  const HipTable &table = provider->table;
  provider->check(table.hipInit(0), "hipInit");
  int count = 0;
  provider->check(table.hipGetDeviceCount(&count), "hipGetDeviceCount");
  if (count == 0)
    provider->check(kNoDevice, "hipGetDeviceCount");
  provider->device = chooseOrdinal(table, kind, count, ordinal);
  provider->makeCurrent();
  provider->deviceName = deviceNameOf(table, provider->device);
  provider->architecture = architectureOf(table, provider->device);
  if (provider->architecture.empty())
    environmentError("device {} of {} does not tell its architecture: restart the machine's GPU driver, or use --device sim",
                     provider->device, table.library);
  provider->choice = fmt::format("device: {} ({}), device {} of {}", provider->deviceName, provider->architecture, provider->device,
                                 table.library);
  return provider;
}

std::shared_ptr<Provider> openSimulator() { return open(ProviderKind::Simulator, ownProviderCandidates("libds4sim.so"), 0); }

std::shared_ptr<Provider> openAuto() {
  std::string why;
  try {
    return open(ProviderKind::Amd, amdHipCandidates(), -1);
  } catch (const Error &error) {
    why = error.what();
  }
  std::shared_ptr<Provider> provider;
  try {
    provider = openSimulator();
  } catch (const Error &error) {
    environmentError("neither a {} ({}) nor the simulator: {}", kTargetArchitecture, why, error.what());
  }
  provider->choice += fmt::format("; no {} here: {}", kTargetArchitecture, why);
  return provider;
}

} // namespace

void Provider::check(Result result, std::string_view call) const {
  if (result == kSuccess)
    return;
  const char *name = table.hipGetErrorName(result);
  const char *text = table.hipGetErrorString(result);
  std::string message = fmt::format("{}: {}", call, name ? name : "unknown error");
  if (text && name && std::string_view(text) != name)
    message += fmt::format(" ({})", text);
  if (const std::string reason = table.ds4simLastFault ? table.ds4simLastFault() : ""; !reason.empty())
    message += fmt::format(": {}", reason);
  if (const std::string remedy = hint(kind, result); !remedy.empty())
    message += fmt::format(": {}", remedy);
  table.hipGetLastError();
  throw Error(isOurFault(result) ? ExitCode::Internal : ExitCode::Environment, message);
}

MemoryInfo Provider::memory() const {
  MemoryInfo info;
  check(table.hipMemGetInfo(&info.freeBytes, &info.totalBytes), "hipMemGetInfo");
  return info;
}

int Provider::attribute(DeviceAttribute attribute) const {
  int value = 0;
  check(table.hipDeviceGetAttribute(&value, attribute, device), "hipDeviceGetAttribute");
  return value;
}

int Provider::driverVersion() const {
  int version = 0;
  check(table.hipDriverGetVersion(&version), "hipDriverGetVersion");
  return version;
}

int Provider::runtimeVersion() const {
  int version = 0;
  check(table.hipRuntimeGetVersion(&version), "hipRuntimeGetVersion");
  return version;
}

std::shared_ptr<const Provider> openProvider(ProviderKind kind, std::span<const std::string> candidates, int ordinal) {
  return open(kind, candidates, ordinal);
}

std::shared_ptr<const Provider> openProvider(std::string_view device) {
  if (device == "auto")
    return openAuto();
  if (device == "sim")
    return openSimulator();
  if (device == "cuda")
    return open(ProviderKind::Cuda, ownProviderCandidates("libds4cuda.so"), 0);
  if (device == "hip")
    return open(ProviderKind::Amd, amdHipCandidates(), -1);
  if (device.starts_with("hip:")) {
    const std::string_view digits = device.substr(4);
    int ordinal = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
    if (error == std::errc() && end == digits.data() + digits.size() && ordinal >= 0)
      return open(ProviderKind::Amd, amdHipCandidates(), ordinal);
  }
  userError("unknown device \"{}\": use auto, hip, hip:N, sim or cuda", device);
}

} // namespace ds4::hip
