#include "support/File.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "support/Error.h"
#include "support/Outputs.h"

namespace ds4 {

namespace {

// Of the process or the machine, not of the file.
bool lacksResources(int reason) { return reason == EMFILE || reason == ENFILE || reason == ENOMEM; }

std::string folderOf(const std::string &path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// The regular file, or the place for one, that an output's name stands for: a device or pipe would be replaced by a file, and so
// would a link.
std::string placeOf(const std::string &path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    userError("'{}' is not a regular file: choose another output", path);
  return followLinks(path);
}

// A name beside `path`, like it but no longer than names may be.
std::string nameBeside(const std::string &path) {
  constexpr size_t kSuffix = sizeof(".tmp.0123456789abcdef") - 1;
  std::random_device random;
  const std::filesystem::path whole = path;
  return (whole.parent_path() / whole.filename().string().substr(0, NAME_MAX - kSuffix)).string() +
         fmt::format(".tmp.{:08x}{:08x}", random(), random());
}

} // namespace

File::File(std::string path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a FIFO would wait for its writer
  if (descriptor_ < 0)
    throw Error(lacksResources(errno) ? ExitCode::Environment : ExitCode::User,
                fmt::format("cannot open '{}': {}", path_, std::strerror(errno)));
  struct stat status;
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(std::exchange(descriptor_, -1));
    userError("'{}' is not a regular file: name the file itself", path_);
  }
  size_ = static_cast<uint64_t>(status.st_size);
}

File::~File() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

File::File(File &&other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

File &File::operator=(File &&other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

void File::checkRange(uint64_t offset, uint64_t bytes) const {
  if (offset > size_ || bytes > size_ - offset)
    userError("'{}' ends at byte {}, {} bytes were wanted at {}: the file is truncated, fetch it again", path_, size_, bytes,
              offset);
}

void File::read(uint64_t offset, std::span<std::byte> out) const {
  checkRange(offset, out.size());
  size_t done = 0;
  while (done < out.size()) {
    ssize_t got = ::pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      environmentError("cannot read '{}' at byte {}: {}", path_, offset + done, std::strerror(errno));
    if (got == 0)
      userError("'{}' became shorter while it was read", path_);
    done += static_cast<size_t>(got);
  }
}

std::vector<std::byte> File::readAll() const {
  std::vector<std::byte> bytes(size_);
  read(0, bytes);
  return bytes;
}

FileWriter::FileWriter(std::string path) : path_(placeOf(path)) {
  // A name that is too long would show when the file gets it.
  struct stat status;
  for (const std::string &name : {path_, nameBeside(path_)})
    if (::lstat(name.c_str(), &status) != 0 && errno != ENOENT)
      fail("create");
  // What is there keeps its mode; of a new file the umask takes its part.
  const bool there = ::stat(path_.c_str(), &status) == 0;
  const mode_t mode = there ? status.st_mode & 0777 : 0644;
  descriptor_ = ::open(folderOf(path_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) // a file system without nameless files
    do {
      temporary_ = nameBeside(path_);
      descriptor_ = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode);
      named_ = descriptor_ >= 0;
    } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0)
    fail("create");
  if (there)
    ::fchmod(descriptor_, mode);
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
  if (named_)
    ::unlink(temporary_.c_str());
}

void FileWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(position_));
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      fail("write");
    position_ += static_cast<uint64_t>(put);
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
}

void FileWriter::commit() {
  if (::ftruncate(descriptor_, static_cast<off_t>(position_)) != 0)
    fail("extend");
  if (::fsync(descriptor_) != 0 && errno != EINVAL)
    fail("sync");
  giveName();
  if (::close(std::exchange(descriptor_, -1)) != 0)
    fail("close");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    fail("rename");
  named_ = false;
  // The new name is in the folder, which is a file of its own.
  if (const int opened = ::open(folderOf(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); opened >= 0) {
    ::fsync(opened);
    ::close(opened);
  }
}

// rename() wants a name to rename; link() cannot replace a file that is there.
void FileWriter::giveName() {
  while (!named_) {
    temporary_ = nameBeside(path_);
    named_ = ::linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", descriptor_).c_str(), AT_FDCWD, temporary_.c_str(),
                      AT_SYMLINK_FOLLOW) == 0;
    if (!named_ && errno != EEXIST)
      fail("link");
  }
}

void FileWriter::fail(const char *step) {
  const int reason = errno;
  environmentError("cannot write '{}' ({}): {}", path_, step, std::strerror(reason));
}

void refuseToReplace(std::span<const std::string> inputs, const std::string &output) {
  std::error_code absent;
  for (const std::string &input : inputs)
    if (!input.empty() && std::filesystem::equivalent(input, output, absent))
      userError("the output '{}' would replace '{}', which is read: choose another", output, input);
}

void writeFileAtomically(const std::string &path, std::span<const std::byte> bytes) {
  FileWriter writer(path);
  writer.write(bytes);
  writer.commit();
}

void writeFileAtomically(const std::string &path, std::string_view text) {
  writeFileAtomically(path, std::as_bytes(std::span(text)));
}

} // namespace ds4
