#include "codegen/clang/Linker.h"

#include <cstdlib>
#include <mutex>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

namespace ds4 {
namespace {

// The object as a file that exists in memory alone; lld opens it through /proc.
class MemoryFile {
public:
  explicit MemoryFile(std::span<const std::byte> bytes) : descriptor_(memfd_create("ds4-object", MFD_CLOEXEC)) {
    if (descriptor_ < 0)
      return;
    llvm::raw_fd_ostream out(descriptor_, /*shouldClose=*/false);
    out.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    out.flush();
    ok_ = !out.has_error();
    out.clear_error();
  }
  ~MemoryFile() {
    if (descriptor_ >= 0)
      close(descriptor_);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  bool ok() const { return ok_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
  int descriptor_;
  bool ok_ = false;
};

// lld writes beside its output and renames, so the output must be a path: one in shared memory where that exists.
class TemporaryPath {
public:
  TemporaryPath() {
    for (const char *folder : {"/dev/shm", "/tmp"}) {
      path_ = std::string(folder) + "/ds4-link-XXXXXX";
      if (int descriptor = mkstemp(path_.data()); descriptor >= 0) {
        close(descriptor);
        return;
      }
    }
    path_.clear();
  }
  ~TemporaryPath() {
    if (!path_.empty())
      unlink(path_.c_str());
  }
  TemporaryPath(const TemporaryPath &) = delete;
  TemporaryPath &operator=(const TemporaryPath &) = delete;

  const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace

bool linkCodeObject(std::span<const std::byte> object, std::vector<std::byte> &codeObject, llvm::raw_ostream &log) {
  static std::mutex mutex;
  static bool usable = true;

  const MemoryFile input(object);
  const TemporaryPath output;
  if (!input.ok() || output.path().empty()) {
    log << "error: no room for the linker's temporary file in memory, /dev/shm or /tmp\n";
    return false;
  }
  const std::string inputPath = input.path();
  {
    std::lock_guard lock(mutex);
    if (!usable) {
      log << "error: the linker crashed before in this process; start it anew\n";
      return false;
    }
    const lld::Result result = lld::lldMain({"ld.lld", "-m", "elf64_amdgpu", "--no-undefined", "-shared", "--threads=1", "-o",
                                             output.path().c_str(), inputPath.c_str()},
                                            log, log, {{lld::Gnu, &lld::elf::link}});
    usable = result.canRunAgain;
    if (result.retCode != 0)
      return false;
  }
  auto linked = llvm::MemoryBuffer::getFile(output.path(), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!linked) {
    log << "error: cannot read back " << output.path() << ": " << linked.getError().message() << '\n';
    return false;
  }
  const auto bytes = std::as_bytes(std::span((*linked)->getBufferStart(), (*linked)->getBufferSize()));
  codeObject.assign(bytes.begin(), bytes.end());
  return true;
}

} // namespace ds4
