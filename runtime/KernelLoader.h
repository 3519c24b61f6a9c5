// From a plan's kernels to loaded modules: code objects come from the plan, from the user's cache, or from the provider's
// hipRTC, compiled side by side.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cache/KernelCache.h"
#include "runtime/hip/DeviceObjects.h"
#include "runtime/hip/RtcPool.h"
#include "runtime/plan/Plan.h"

namespace ds4 {

struct KernelLoadOptions {
  hip::RtcPoolOptions compiler;
  CacheOptions cache;
};

struct KernelLoadReport {
  int bundled = 0; // code objects of the plan
  int cached = 0;  // found in the cache
  int compiled = 0;
  double seconds = 0;
  std::string cacheFolder; // "" when nothing was looked up

  KernelLoadReport &operator+=(const KernelLoadReport &other);
};

class KernelLoader {
public:
  using Progress = std::function<void(std::string_view what, double share)>;

  // Both must outlive the loader.
  KernelLoader(const hip::Provider &provider, const Plan &plan, KernelLoadOptions options);

  // One module a kernel, in the plan's order. Throws ds4::Error: Environment when the helper, the device or a read-only
  // cache lacks something, Internal when a kernel does not compile.
  std::vector<hip::Module> load(const Progress &progress);
  const KernelLoadReport &report() const { return report_; }

private:
  struct Missing {
    size_t kernel;
    KernelKey key;
  };

  std::vector<Missing> keysOfMissing();
  void compile(const std::vector<Missing> &missing);
  hip::RtcJob job(const PlanKernel &kernel) const;
  void loadModule(size_t kernel, std::span<const std::byte> code);

  const hip::Provider &provider_;
  const Plan &plan_;
  KernelCache cache_;
  hip::RtcPool pool_;
  KernelLoadReport report_;
  std::vector<std::pair<std::string, std::string>> headers_;
  std::vector<hip::Module> modules_;
  size_t loaded_ = 0;
  Progress progress_;
};

} // namespace ds4
