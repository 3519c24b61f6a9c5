#include "runtime/KernelLoader.h"

#include <algorithm>
#include <chrono>

#include "runtime/PlanKernelKey.h"
#include "support/Error.h"

namespace ds4 {

namespace {

bool allBundled(const Plan &plan) {
  return std::ranges::none_of(plan.kernels, [](const PlanKernel &kernel) { return kernel.codeObject.empty(); });
}

// A plan that holds all its code objects makes no cache folder, and does not warn of one that cannot be had.
CacheOptions cacheOptions(const KernelLoadOptions &options, const Plan &plan) {
  CacheOptions cache = options.cache;
  if (allBundled(plan))
    cache.policy = CachePolicy::Off;
  return cache;
}

hip::RtcPoolOptions poolOptions(const KernelLoadOptions &options, const KernelCache &cache) {
  hip::RtcPoolOptions pool = options.compiler;
  if (pool.logFolder.empty() && !cache.folder().empty() && cache.policy() != CachePolicy::ReadOnly)
    pool.logFolder = cache.folder() + "/failed";
  return pool;
}

} // namespace

KernelLoadReport &KernelLoadReport::operator+=(const KernelLoadReport &other) {
  bundled += other.bundled;
  cached += other.cached;
  compiled += other.compiled;
  seconds += other.seconds;
  if (cacheFolder.empty())
    cacheFolder = other.cacheFolder;
  return *this;
}

KernelLoader::KernelLoader(const hip::Provider &provider, const Plan &plan, KernelLoadOptions options)
    : provider_(provider), plan_(plan), cache_(cacheOptions(options, plan)),
      pool_(provider.table.library, poolOptions(options, cache_)) {
  for (const PlanHeader &header : plan.headers)
    headers_.emplace_back(header.name, header.text);
}

std::vector<hip::Module> KernelLoader::load(const Progress &progress) {
  const auto start = std::chrono::steady_clock::now();
  progress_ = progress;
  modules_.resize(plan_.kernels.size());
  for (size_t i = 0; i < plan_.kernels.size(); ++i)
    if (const std::vector<std::byte> &code = plan_.kernels[i].codeObject; !code.empty()) {
      loadModule(i, code);
      ++report_.bundled;
    }

  std::vector<Missing> missing;
  for (Missing &wanted : keysOfMissing()) {
    std::optional<std::vector<std::byte>> code = cache_.find(wanted.key);
    if (code) {
      try {
        loadModule(wanted.kernel, *code);
        ++report_.cached;
        continue;
      } catch (const Error &error) {
        if (cache_.policy() == CachePolicy::ReadOnly)
          environmentError("cached kernel {} cannot be used, and the cache is read only: {}", wanted.key.kernel, error.what());
        cache_.reject(wanted.key, error.what());
      }
    }
    missing.push_back(std::move(wanted));
  }
  if (!missing.empty())
    compile(missing);
  report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::move(modules_);
}

std::vector<KernelLoader::Missing> KernelLoader::keysOfMissing() {
  std::vector<Missing> missing;
  KernelKey common;
  for (size_t i = 0; i < plan_.kernels.size(); ++i) {
    const PlanKernel &kernel = plan_.kernels[i];
    if (!kernel.codeObject.empty())
      continue;
    if (missing.empty() && cache_.policy() != CachePolicy::Off) {
      common.compiler = pool_.identity();
      common.headers = KernelKey::digestOf(headers_);
      common.environment = KernelKey::affectingEnvironment();
      report_.cacheFolder = cache_.folder();
    }
    missing.push_back({i, planKernelKey(common, plan_, kernel)});
  }
  return missing;
}

void KernelLoader::compile(const std::vector<Missing> &missing) {
  std::vector<std::vector<std::byte>> codes(missing.size());
  const auto jobOf = [&](size_t i) { return job(plan_.kernels[missing[i].kernel]); };
  pool_.compile(missing.size(), jobOf, [&](size_t i, std::vector<std::byte> code) {
    cache_.store(missing[i].key, code);
    codes[i] = std::move(code);
    ++report_.compiled;
    if (progress_)
      progress_("kernels", double(loaded_ + static_cast<size_t>(report_.compiled)) / double(plan_.kernels.size()));
  });
  // Modules belong to the thread that has the device current.
  for (size_t i = 0; i < missing.size(); ++i)
    loadModule(missing[i].kernel, codes[i]);
  cache_.trim();
}

hip::RtcJob KernelLoader::job(const PlanKernel &kernel) const {
  return {.kernel = kernel.symbol,
          .architecture = plan_.target,
          .source = kernel.source,
          .headers = headers_,
          .options = plan_.options};
}

void KernelLoader::loadModule(size_t kernel, std::span<const std::byte> code) {
  const std::string &symbol = plan_.kernels[kernel].symbol;
  modules_[kernel] = hip::Module(provider_, code, symbol);
  modules_[kernel].function(symbol); // code of something else would be found here again and again
  ++loaded_;
  if (progress_ && report_.compiled == 0)
    progress_("kernels", double(loaded_) / double(plan_.kernels.size()));
}

} // namespace ds4
