// ds4c cache: looks after the kernel cache that runs leave behind.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "runtime/cache/CacheEntry.h"
#include "runtime/cache/CacheFolder.h"
#include "runtime/cache/KernelCache.h"
#include "support/Error.h"
#include "tools/CommandLine.h"
#include "tools/ds4c/Commands.h"

namespace ds4 {

namespace {

struct Arguments {
  std::string folder;
  uint64_t maxMegabytes = CacheOptions::kDefaultMaxBytes >> 20;
};

std::string folderOf(const Arguments &arguments) {
  std::string folder = arguments.folder.empty() ? defaultCacheFolder() : arguments.folder;
  if (folder.empty())
    environmentError("no kernel cache: neither HOME nor XDG_CACHE_HOME names a folder; give --folder");
  std::error_code error;
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_directory(folder, error))
    userError("'{}' is no folder: name the folder of a kernel cache", folder);
  return folder;
}

int printPath(const Arguments &arguments) {
  fmt::print("{}\n", folderOf(arguments));
  return 0;
}

int list(const Arguments &arguments) {
  uint64_t entries = 0, bytes = 0;
  for (const CacheFile &file : listCacheFiles(folderOf(arguments))) {
    if (file.digest.empty())
      continue;
    const auto used = std::chrono::time_point_cast<std::chrono::system_clock::duration>(
        file.used - std::filesystem::file_time_type::clock::now() + std::chrono::system_clock::now());
    std::string what = "damaged: `ds4c cache verify` puts it aside";
    try {
      const CacheEntry entry = readEntry(file.path);
      what = fmt::format("{} for {} by {}", fieldOfKey(entry.key, "kernel"), fieldOfKey(entry.key, "architecture"),
                         fieldOfKey(entry.key, "compiler"));
    } catch (const Error &) {
    }
    fmt::print("{} {:>8} {:%F %T} {}\n", file.digest.substr(0, 16), file.bytes,
               fmt::localtime(std::chrono::system_clock::to_time_t(used)), what);
    ++entries;
    bytes += file.bytes;
  }
  fmt::print("{} kernels, {:.1f} MB\n", entries, double(bytes) * 1e-6);
  return 0;
}

int verify(const Arguments &arguments) {
  const VerifyReport report = verifyCache(folderOf(arguments));
  for (const std::string &damaged : report.damaged)
    fmt::print("{}\n", damaged);
  fmt::print("{} kernels, {:.1f} MB are whole; {} damaged{}\n", report.entries, double(report.bytes) * 1e-6, report.damaged.size(),
             report.damaged.empty() ? "" : ", put aside");
  return static_cast<int>(report.damaged.empty() ? ExitCode::Success : ExitCode::OutOfTolerance);
}

int prune(const Arguments &arguments) {
  const uint64_t maxBytes = std::min(arguments.maxMegabytes, UINT64_MAX >> 20) << 20; // a number too large is no limit
  const PruneReport report = pruneCache(folderOf(arguments), maxBytes);
  fmt::print("removed {} files, {:.1f} MB; kept {} kernels, {:.1f} MB\n", report.removed, double(report.removedBytes) * 1e-6,
             report.kept, double(report.keptBytes) * 1e-6);
  return 0;
}

} // namespace

void addCacheCommand(CLI::App &app, CommandBody &body) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("cache", "look after the cache of kernels compiled at load");
  command->require_subcommand(1);
  auto add = [&](const char *name, const char *what, int (*run)(const Arguments &)) {
    CLI::App *sub = command->add_subcommand(name, what);
    sub->add_option("--folder", arguments->folder, "the cache's folder (default: what `ds4c cache path` prints)");
    sub->callback([arguments, run, &body] { body = [arguments, run] { return run(*arguments); }; });
    return sub;
  };
  add("list", "print the kernels: key, bytes, when last used, name, architecture and compiler", list);
  add("verify", "check every entry, put damaged ones aside; exit code 1 when there were any", verify);
  add("prune", "remove what is damaged or left behind, and the kernels used least recently beyond a size", prune)
      ->add_option("--max-size", arguments->maxMegabytes, "megabytes (MiB) to keep")
      ->check(wholeNumber<uint64_t>())
      ->capture_default_str();
  add("path", "print the folder", printPath);
}

} // namespace ds4
