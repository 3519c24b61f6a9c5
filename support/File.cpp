#include "support/File.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "support/Error.h"

namespace ds4 {

File::File(std::string path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0)
    userError("cannot open '{}': {}", path_, std::strerror(errno));
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

void File::read(uint64_t offset, std::span<std::byte> out) const {
  size_t done = 0;
  while (done < out.size()) {
    ssize_t got = ::pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      environmentError("cannot read '{}' at byte {}: {}", path_, offset + done, std::strerror(errno));
    if (got == 0)
      userError("'{}' ends at byte {}, {} bytes were wanted at {}: the file is truncated, fetch it again", path_, size_, out.size(),
                offset);
    done += static_cast<size_t>(got);
  }
}

std::vector<std::byte> File::readAll() const {
  std::vector<std::byte> bytes(size_);
  read(0, bytes);
  return bytes;
}

FileWriter::FileWriter(std::string path) : path_(std::move(path)), temporary_(path_ + ".tmp.XXXXXX") {
  descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0)
    environmentError("cannot write '{}' (create): {}", path_, std::strerror(errno));
  ::fchmod(descriptor_, 0644);
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
  if (!committed_)
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
  if (::close(std::exchange(descriptor_, -1)) != 0)
    fail("close");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    fail("rename");
  committed_ = true;
}

void FileWriter::fail(const char *step) {
  const int reason = errno;
  environmentError("cannot write '{}' ({}): {}", path_, step, std::strerror(reason));
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
