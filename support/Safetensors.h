// Reader of .safetensors files: a JSON header of named arrays, then their bytes.
//
// Types F32 and I32, which is what reference values are stored in. Thread-safe after construction.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/File.h"

namespace ds4 {

class Safetensors {
public:
  struct Entry {
    std::string dtype; // as in the file: "F32"
    std::vector<int64_t> shape;
    uint64_t offset = 0, bytes = 0; // within the file
  };

  // Reads and checks the header. Throws ds4::Error (User) when it is malformed or an array does not lie in the file.
  explicit Safetensors(const std::string &path);

  const std::map<std::string, Entry> &entries() const { return entries_; }
  bool contains(const std::string &name) const { return entries_.contains(name); }
  // Throws ds4::Error (User) when the file has no array of that name.
  const Entry &entry(const std::string &name) const;
  // The array's values, row-major. Throws ds4::Error (User) when it is absent or of another type.
  std::vector<float> floats(const std::string &name) const;
  std::vector<int32_t> ints(const std::string &name) const;

private:
  template <typename T> std::vector<T> read(const std::string &name, const char *dtype) const;

  File file_;
  std::map<std::string, Entry> entries_;
};

} // namespace ds4
