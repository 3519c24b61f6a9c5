// Files, read by position and written whole. Errors name the path and the system's reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ds4 {

// An open file for reading. Owns the descriptor; safe to read from several threads at once (pread).
class File {
public:
  // Throws ds4::Error (User) when the path cannot be opened or is no regular file.
  explicit File(std::string path);
  ~File();
  File(File &&other) noexcept;
  File &operator=(File &&other) noexcept;
  File(const File &) = delete;

  const std::string &path() const { return path_; }
  uint64_t size() const { return size_; }
  // Throws ds4::Error (User) when the file ends before `offset` + `bytes`.
  void checkRange(uint64_t offset, uint64_t bytes) const;
  // Reads exactly out.size() bytes at `offset`, which is checked as above.
  void read(uint64_t offset, std::span<std::byte> out) const;
  std::vector<std::byte> readAll() const;

private:
  std::string path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

// Writes a file in order, nameless until commit() syncs it and renames it to `path`: readers see the old file or the whole
// new one, and nothing is left without commit(), not even of a killed process (but on file systems without nameless files,
// where it is a temporary beside `path`). Throws ds4::Error: Environment when the disk is full or the folder is not
// writable, User when `path` is there and no regular file.
class FileWriter {
public:
  explicit FileWriter(std::string path);
  ~FileWriter();
  FileWriter(const FileWriter &) = delete;
  FileWriter &operator=(const FileWriter &) = delete;

  uint64_t position() const { return position_; }
  void write(std::span<const std::byte> bytes);
  // Leaves `count` zero bytes, as a hole where the file system has them.
  void skip(uint64_t count) { position_ += count; }
  void commit();

private:
  [[noreturn]] void fail(const char *step);
  void giveName();

  std::string path_, temporary_;
  int descriptor_ = -1;
  uint64_t position_ = 0;
  bool named_ = false; // `temporary_` is there
};

// Throws ds4::Error (User) when `output` is, by whatever name, one of the files that are read. Empty names are none.
void refuseToReplace(std::span<const std::string> inputs, const std::string &output);

// Writes a whole file, as FileWriter does.
void writeFileAtomically(const std::string &path, std::span<const std::byte> bytes);
void writeFileAtomically(const std::string &path, std::string_view text);

} // namespace ds4
