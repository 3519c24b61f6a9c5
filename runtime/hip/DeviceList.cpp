#include "runtime/hip/DeviceList.h"

#include "support/Error.h"

namespace ds4::hip {

namespace {

ListedDevice listed(const HipTable &table, ProviderKind kind, int device) {
  ListedDevice entry;
  entry.choice = kind == ProviderKind::Amd ? fmt::format("hip:{}", device) : kind == ProviderKind::Simulator ? "sim" : "cuda";
  entry.name = deviceNameOf(table, device);
  entry.architecture = architectureOf(table, device);
  table.hipDeviceGetAttribute(&entry.computeUnits, AttributeMultiprocessorCount, device);
  size_t total = 0;
  if (table.hipDeviceTotalMem && table.hipDeviceTotalMem(&total, device) == kSuccess)
    entry.totalBytes = total;
  entry.counters = memoryCounters(table, device);
  if (kind == ProviderKind::Cuda)
    entry.refusal = device == 0 ? "" : "--device cuda takes the first";
  else if (entry.architecture != kTargetArchitecture)
    entry.refusal = fmt::format("kernels are for {}", kTargetArchitecture);
  return entry;
}

} // namespace

ListedProvider listProvider(ProviderKind kind, std::span<const std::string> candidates) {
  ListedProvider list;
  list.title = kind == ProviderKind::Amd ? "AMD" : kind == ProviderKind::Simulator ? "simulator" : "CUDA";
  try {
    Provider provider;
    provider.kind = kind;
    provider.table = loadHip(candidates, remedyOf(kind));
    const HipTable &table = provider.table;
    list.library = table.library;
    provider.check(table.hipInit(0), "hipInit");
    list.driverVersion = provider.driverVersion();
    list.runtimeVersion = provider.runtimeVersion();
    int count = 0;
    provider.check(table.hipGetDeviceCount(&count), "hipGetDeviceCount");
    if (count == 0)
      provider.check(kNoDevice, "hipGetDeviceCount");
    for (int device = 0; device < count; ++device)
      list.devices.push_back(listed(table, kind, device));
  } catch (const Error &error) {
    list.failure = error.what();
  }
  return list;
}

std::vector<ListedProvider> listProviders() {
  std::vector<ListedProvider> lists;
  lists.push_back(listProvider(ProviderKind::Amd, amdHipCandidates()));
  lists.push_back(listProvider(ProviderKind::Simulator, ownProviderCandidates("libds4sim.so")));
  lists.push_back(listProvider(ProviderKind::Cuda, ownProviderCandidates("libds4cuda.so")));
  return lists;
}

} // namespace ds4::hip
