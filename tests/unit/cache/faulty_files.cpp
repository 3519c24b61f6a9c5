// Preloaded into a process that writes files: its Nth call among those that change files does not happen. DS4_FAULT_AT is
// N, from 1; DS4_FAULT is "kill" (the process dies instead) or a number of errno (the call fails).
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

bool faultNow() {
  static const char *at = std::getenv("DS4_FAULT_AT");
  static const char *fault = std::getenv("DS4_FAULT");
  static int count = 0;
  if (!at || !fault || ++count != std::atoi(at))
    return false;
  if (std::strcmp(fault, "kill") == 0)
    raise(SIGKILL);
  errno = std::atoi(fault);
  return true;
}

template <typename Call> Call *real(const char *name) { return reinterpret_cast<Call *>(dlsym(RTLD_NEXT, name)); }

} // namespace

extern "C" {

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(list, mode_t) : 0;
  va_end(list);
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  return writes && faultNow() ? -1 : real<int(const char *, int, ...)>("open")(path, flags, mode);
}
int mkdir(const char *path, mode_t mode) noexcept { return faultNow() ? -1 : real<int(const char *, mode_t)>("mkdir")(path, mode); }
int fchmod(int file, mode_t mode) noexcept { return faultNow() ? -1 : real<int(int, mode_t)>("fchmod")(file, mode); }
ssize_t pwrite(int file, const void *data, size_t bytes, off_t at) {
  return faultNow() ? -1 : real<ssize_t(int, const void *, size_t, off_t)>("pwrite")(file, data, bytes, at);
}
int ftruncate(int file, off_t bytes) noexcept { return faultNow() ? -1 : real<int(int, off_t)>("ftruncate")(file, bytes); }
int fsync(int file) { return faultNow() ? -1 : real<int(int)>("fsync")(file); }
int linkat(int fromFolder, const char *from, int toFolder, const char *to, int flags) noexcept {
  return faultNow() ? -1 : real<int(int, const char *, int, const char *, int)>("linkat")(fromFolder, from, toFolder, to, flags);
}
int rename(const char *from, const char *to) noexcept {
  return faultNow() ? -1 : real<int(const char *, const char *)>("rename")(from, to);
}

} // extern "C"
