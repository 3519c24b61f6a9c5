#include "models/gguf/Header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <unordered_set>

#include "support/Error.h"
#include "support/Printable.h"

static_assert(std::endian::native == std::endian::little, "GGUF files are read in place");

namespace ds4::gguf {

namespace {

// Reads forward through the file with a buffer; every step is checked against the file's end.
class Cursor {
public:
  explicit Cursor(const File &file) : file_(file) {}

  const File &file() const { return file_; }
  uint64_t position() const { return position_; }
  uint64_t remaining() const { return file_.size() - position_; }
  // What is being read: the subject of the message when the file ends there.
  void enter(std::string part) { part_ = std::move(part); }

  [[noreturn]] void endsEarly(uint64_t wanted) const {
    userError("'{}' has {} bytes, but {} wants {} bytes at {}: the file is truncated or damaged, fetch it again", file_.path(),
              file_.size(), part_, wanted, position_);
  }

  void skip(uint64_t count) {
    if (count > remaining())
      endsEarly(count);
    position_ += count;
  }

  template <typename T> T read() {
    T value;
    readInto(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

  std::string readString(uint64_t limit) {
    const uint64_t length = checkedLength(limit);
    std::string text(length, '\0');
    readInto(std::as_writable_bytes(std::span(text)));
    return text;
  }

  void skipString() { skip(checkedLength(kMaxStringBytes)); }

private:
  uint64_t checkedLength(uint64_t limit) {
    const auto length = read<uint64_t>();
    if (length > remaining())
      endsEarly(length);
    if (length > limit)
      userError("'{}': {} is {} bytes long, more than {}: the file is damaged, fetch it again", file_.path(), part_, length, limit);
    return length;
  }

  void readInto(std::span<std::byte> out) {
    if (out.size() > remaining())
      endsEarly(out.size());
    while (!out.empty()) {
      if (position_ < start_ || position_ >= start_ + buffer_.size()) {
        start_ = position_;
        buffer_.resize(std::min<uint64_t>(kBufferBytes, remaining()));
        file_.read(start_, buffer_);
      }
      const size_t from = position_ - start_, count = std::min(out.size(), buffer_.size() - from);
      std::memcpy(out.data(), buffer_.data() + from, count);
      out = out.subspan(count);
      position_ += count;
    }
  }

  static constexpr uint64_t kBufferBytes = 1 << 18;
  const File &file_;
  std::string part_ = "the GGUF header";
  std::vector<std::byte> buffer_;
  uint64_t start_ = 0, position_ = 0;
};

// The name of a key or tensor: what later code and messages may rely on.
std::string readName(Cursor &cursor, std::string_view kind) {
  std::string name = cursor.readString(kMaxNameBytes);
  if (name.empty())
    userError("'{}': a {} before byte {} has an empty name: the file is damaged, fetch it again", cursor.file().path(), kind,
              cursor.position());
  const bool controls = std::ranges::any_of(name, [](char c) { return static_cast<uint8_t>(c) < 0x20 || c == 0x7F; });
  if (controls || !isUtf8(name))
    userError("'{}': the {} name {} is not printable UTF-8: the file is damaged, fetch it again", cursor.file().path(), kind,
              quoteName(name));
  return name;
}

ValueType readType(Cursor &cursor, std::string_view key) {
  const auto type = cursor.read<uint32_t>();
  if (type > static_cast<uint32_t>(ValueType::F64))
    userError("'{}': key {} has the unknown value type {}: the file is damaged or newer than this program", cursor.file().path(),
              quoteName(key), type);
  return static_cast<ValueType>(type);
}

Entry readEntry(Cursor &cursor, uint64_t index) {
  cursor.enter(fmt::format("the name of metadata key {}", index));
  Entry entry;
  entry.key = readName(cursor, "metadata key");
  cursor.enter(fmt::format("the value of key {}", quoteName(entry.key)));
  entry.type = readType(cursor, entry.key);
  if (entry.type == ValueType::Array) {
    entry.elementType = readType(cursor, entry.key);
    entry.count = cursor.read<uint64_t>();
    if (entry.elementType == ValueType::Array)
      userError("'{}': key {} is an array of arrays, which no model file has: the file is damaged", cursor.file().path(),
                quoteName(entry.key));
  }
  entry.offset = cursor.position();
  const ValueType element = entry.type == ValueType::Array ? entry.elementType : entry.type;
  if (const auto width = fixedBytes(element)) {
    if (entry.count > cursor.remaining() / *width)
      userError("'{}': key {} claims {} values, but the file has {} bytes left: the file is truncated or damaged, fetch it again",
                cursor.file().path(), quoteName(entry.key), entry.count, cursor.remaining());
    cursor.skip(entry.count * *width);
  } else {
    if (entry.count > std::min(kMaxElements, cursor.remaining() / sizeof(uint64_t)))
      userError("'{}': key {} claims {} strings: the file is truncated or damaged, fetch it again", cursor.file().path(),
                quoteName(entry.key), entry.count);
    for (uint64_t i = 0; i < entry.count; ++i)
      cursor.skipString();
  }
  entry.bytes = cursor.position() - entry.offset;
  return entry;
}

// The tensor's offset is still relative to the data section.
TensorInfo readTensorInfo(Cursor &cursor, uint64_t index, uint32_t alignment) {
  const std::string &path = cursor.file().path();
  cursor.enter(fmt::format("the name of tensor {}", index));
  TensorInfo tensor;
  tensor.name = readName(cursor, "tensor");
  const std::string name = quoteName(tensor.name);
  cursor.enter(fmt::format("the table entry of tensor {}", name));

  const auto rank = cursor.read<uint32_t>();
  if (rank < 1 || rank > kMaxDimensions)
    userError("'{}': tensor {} has {} dimensions, 1 to {} are possible: the file is damaged", path, name, rank, kMaxDimensions);
  uint64_t weights = 1;
  for (uint32_t i = 0; i < rank; ++i) {
    const auto dim = cursor.read<uint64_t>();
    if (dim == 0 || __builtin_mul_overflow(weights, dim, &weights) || weights > uint64_t{1} << 62)
      userError("'{}': tensor {} has the impossible dimensions {}{}{}: the file is damaged", path, name,
                fmt::join(tensor.dims, " x "), i ? " x " : "", dim);
    tensor.dims.push_back(dim);
  }

  const auto type = cursor.read<uint32_t>();
  tensor.format = findFormatByGgmlType(type);
  if (!tensor.format)
    userError("'{}': tensor {} has the format {}, which is not supported (supported: {}): quantize the model to one of these", path,
              name, unreadTypeName(type), supportedFormatNames());
  if (!tensor.format->holdsRow(tensor.dims[0]))
    userError("'{}': tensor {} has rows of {} weights, {} wants multiples of {}: the file is damaged", path, name, tensor.dims[0],
              tensor.format->name, tensor.format->blockWeights);
  if (__builtin_mul_overflow(weights / tensor.format->blockWeights, uint64_t{tensor.format->blockBytes}, &tensor.bytes))
    userError("'{}': tensor {} is larger than any file: the file is damaged", path, name);

  tensor.offset = cursor.read<uint64_t>();
  if (tensor.offset % alignment)
    userError("'{}': tensor {} starts at {}, not at a multiple of the file's alignment {}: the file is damaged", path, name,
              tensor.offset, alignment);
  return tensor;
}

void readPreamble(Cursor &cursor, Header &header) {
  const std::string &path = cursor.file().path();
  if (cursor.file().size() == 0)
    userError("'{}' is empty: fetch it again", path);
  if (cursor.file().size() < sizeof(uint32_t) || cursor.read<uint32_t>() != kMagic)
    userError("'{}' is not a GGUF file (it does not start with \"GGUF\"): name a .gguf model", path);
  header.version = cursor.read<uint32_t>();
  if (header.version != 2 && header.version != 3) {
    if (const uint32_t swapped = __builtin_bswap32(header.version); swapped >= 1 && swapped <= 3)
      userError("'{}' is a big-endian GGUF file, only little-endian ones are read: convert it for this machine", path);
    userError("'{}' is GGUF version {}, versions 2 and 3 are read: convert the model again", path, header.version);
  }
}

uint32_t readAlignment(const File &file, const Header &header) {
  const Entry *entry = header.find("general.alignment");
  if (!entry)
    return kDefaultAlignment;
  const uint64_t alignment = readUnsigned(file, *entry);
  if (!std::has_single_bit(alignment) || alignment > 1u << 30)
    userError("'{}': key 'general.alignment' is {}, not a power of two: the file is damaged", file.path(), alignment);
  return static_cast<uint32_t>(alignment);
}

template <typename T> void checkUnique(const File &file, const std::vector<T> &items, std::string T::*name, std::string_view kind) {
  std::unordered_set<std::string_view> seen;
  for (const T &item : items)
    if (!seen.insert(item.*name).second)
      userError("'{}': the {} {} occurs twice: the file is damaged", file.path(), kind, quoteName(item.*name));
}

// Turns offsets into the data section into offsets into the file.
void placeTensors(const File &file, std::vector<TensorInfo> &tensors, uint64_t dataStart) {
  std::vector<const TensorInfo *> order;
  for (TensorInfo &tensor : tensors) {
    uint64_t end;
    if (__builtin_add_overflow(tensor.offset, dataStart, &tensor.offset) ||
        __builtin_add_overflow(tensor.offset, tensor.bytes, &end) || end > file.size())
      userError(
          "'{}': tensor {} ({} bytes at {}) lies beyond the file's {} bytes: the file is truncated or damaged, fetch it again",
          file.path(), quoteName(tensor.name), tensor.bytes, tensor.offset, file.size());
    order.push_back(&tensor);
  }
  std::ranges::sort(order, {}, &TensorInfo::offset);
  for (size_t i = 1; i < order.size(); ++i)
    if (order[i - 1]->offset + order[i - 1]->bytes > order[i]->offset)
      userError("'{}': the tensors {} and {} overlap: the file is damaged", file.path(), quoteName(order[i - 1]->name),
                quoteName(order[i]->name));
}

} // namespace

const Entry *Header::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &*found;
}

uint64_t decodeUnsigned(const File &file, const Entry &entry, ValueType type, const std::byte *bytes) {
  const auto width = fixedBytes(type);
  if (!width || type == ValueType::Bool || type == ValueType::F32 || type == ValueType::F64)
    userError("'{}': key {} is of type {}, an integer is wanted", file.path(), quoteName(entry.key), valueTypeName(type));
  uint64_t value = 0;
  std::memcpy(&value, bytes, *width);
  const bool isSigned = type == ValueType::I8 || type == ValueType::I16 || type == ValueType::I32 || type == ValueType::I64;
  if (isSigned && value >> (*width * 8 - 1))
    userError("'{}': key {} is negative, a count is wanted", file.path(), quoteName(entry.key));
  return value;
}

uint64_t readUnsigned(const File &file, const Entry &entry) {
  std::array<std::byte, sizeof(uint64_t)> bytes{};
  if (const auto width = fixedBytes(entry.type))
    file.read(entry.offset, std::span(bytes).first(*width));
  return decodeUnsigned(file, entry, entry.type, bytes.data());
}

Header readHeader(const File &file) {
  Cursor cursor(file);
  Header header;
  readPreamble(cursor, header);
  const auto tensorCount = cursor.read<uint64_t>(), keyCount = cursor.read<uint64_t>();
  if (keyCount > kMaxKeys || tensorCount > kMaxTensors)
    userError("'{}' claims {} tensors and {} metadata keys, more than any model has: the file is damaged, fetch it again",
              file.path(), tensorCount, keyCount);

  for (uint64_t i = 0; i < keyCount; ++i)
    header.entries.push_back(readEntry(cursor, i));
  checkUnique(file, header.entries, &Entry::key, "metadata key");
  header.alignment = readAlignment(file, header);

  for (uint64_t i = 0; i < tensorCount; ++i)
    header.tensors.push_back(readTensorInfo(cursor, i, header.alignment));
  checkUnique(file, header.tensors, &TensorInfo::name, "tensor");
  const uint64_t mask = header.alignment - 1;
  placeTensors(file, header.tensors, (cursor.position() + mask) & ~mask);
  return header;
}

} // namespace ds4::gguf
