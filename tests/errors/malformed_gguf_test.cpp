// Files that break the rules of GGUF itself, written byte by byte.
#include <cctype>
#include <cstring>

#include "models/gguf/Types.h"
#include "support/File.h"
#include "tests/errors/Refusal.h"
#include "tests/unit/models/SmallModel.h"

using namespace ds4;

namespace {

constexpr uint64_t kAbsurd = uint64_t{1} << 60;
constexpr uint32_t kU32 = 4, kI32 = 5, kString = 8, kArray = 9;

// A GGUF file as it is put together; each case strays from the rules at one place.
class Bytes {
public:
  Bytes &u32(uint32_t value) { return put(&value, sizeof value); }
  Bytes &u64(uint64_t value) { return put(&value, sizeof value); }
  Bytes &text(std::string_view value) { return u64(value.size()).put(value.data(), value.size()); }
  Bytes &raw(std::string_view value) { return put(value.data(), value.size()); }
  Bytes &preamble(uint64_t tensors, uint64_t keys, uint32_t version = 3) { return raw("GGUF").u32(version).u64(tensors).u64(keys); }
  Bytes &tensor(std::string_view name, std::vector<uint64_t> dims, uint32_t type, uint64_t offset) {
    text(name).u32(static_cast<uint32_t>(dims.size()));
    for (uint64_t dim : dims)
      u64(dim);
    return u32(type).u64(offset);
  }
  Bytes &zeros(size_t count) { return raw(std::string(count, '\0')); }
  const std::string &bytes() const { return bytes_; }

private:
  Bytes &put(const void *data, size_t size) {
    bytes_.append(static_cast<const char *>(data), size);
    return *this;
  }

  std::string bytes_;
};

struct Case {
  std::string name;
  Bytes file;
  std::string cause;
};

const Case kCases[] = {
    {"empty", Bytes(), "is empty"},
    {"shorter_than_magic", Bytes().raw("GG"), "is not a GGUF file"},
    {"other_magic", Bytes().raw("PK\x03\x04").zeros(100), "is not a GGUF file"},
    {"version_1", Bytes().preamble(0, 0, 1), "is GGUF version 1, versions 2 and 3 are read"},
    {"version_99", Bytes().preamble(0, 0, 99), "is GGUF version 99"},
    {"big_endian", Bytes().raw("GGUF").u32(0x03000000).zeros(16), "is a big-endian GGUF file"},
    {"ends_after_version", Bytes().raw("GGUF").u32(3), "the GGUF header wants 8 bytes at 8"},
    {"absurd_key_count", Bytes().preamble(0, kAbsurd).zeros(64), "claims 0 tensors and 1152921504606846976 metadata keys"},
    {"absurd_tensor_count", Bytes().preamble(kAbsurd, 0).zeros(64), "claims 1152921504606846976 tensors"},
    {"more_keys_than_bytes", Bytes().preamble(0, 1000), "the name of metadata key 0 wants 8 bytes at 24"},
    {"absurd_key_length", Bytes().preamble(0, 1).u64(kAbsurd).zeros(64), "wants 1152921504606846976 bytes"},
    {"long_key", Bytes().preamble(0, 1).text(std::string(2000, 'k')).u32(kU32).u32(1), "is 2000 bytes long, more than 1024"},
    {"empty_key", Bytes().preamble(0, 1).text("").u32(kU32).u32(1), "has an empty name"},
    {"key_not_utf8", Bytes().preamble(0, 1).text("a\xff\xfe").u32(kU32).u32(1), "name 'a\\xff\\xfe' is not printable UTF-8"},
    {"key_overlong_utf8", Bytes().preamble(0, 1).text("\xc0\xaf").u32(kU32).u32(1), "is not printable UTF-8"},
    {"key_with_line_break", Bytes().preamble(0, 1).text("a\nb").u32(kU32).u32(1), "name 'a\\x0ab' is not printable UTF-8"},
    {"key_twice", Bytes().preamble(0, 2).text("k").u32(kU32).u32(1).text("k").u32(kU32).u32(1),
     "the metadata key 'k' occurs twice"},
    {"unknown_value_type", Bytes().preamble(0, 1).text("k").u32(13).zeros(64), "key 'k' has the unknown value type 13"},
    {"unknown_element_type", Bytes().preamble(0, 1).text("k").u32(kArray).u32(77).u64(1).zeros(64), "unknown value type 77"},
    {"absurd_array", Bytes().preamble(0, 1).text("k").u32(kArray).u32(kU32).u64(kAbsurd).zeros(64),
     "claims 1152921504606846976 values"},
    {"absurd_string_array", Bytes().preamble(0, 1).text("k").u32(kArray).u32(kString).u64(kAbsurd).zeros(64),
     "claims 1152921504606846976 strings"},
    {"array_of_arrays", Bytes().preamble(0, 1).text("k").u32(kArray).u32(kArray).u64(1).zeros(64), "is an array of arrays"},
    {"absurd_string", Bytes().preamble(0, 1).text("k").u32(kString).u64(kAbsurd).zeros(64), "the value of key 'k' wants"},
    {"string_beyond_end", Bytes().preamble(0, 1).text("k").u32(kString).u64(65).zeros(64), "wants 65 bytes"},
    {"alignment_0", Bytes().preamble(0, 1).text("general.alignment").u32(kU32).u32(0),
     "'general.alignment' is 0, not a power of two"},
    {"alignment_48", Bytes().preamble(0, 1).text("general.alignment").u32(kU32).u32(48), "is 48, not a power of two"},
    {"alignment_negative", Bytes().preamble(0, 1).text("general.alignment").u32(kI32).u32(~0u), "'general.alignment' is negative"},
    {"alignment_a_string", Bytes().preamble(0, 1).text("general.alignment").u32(kString).text("32"), "is of type string"},
    {"table_ends_early", Bytes().preamble(2, 0).tensor("a", {32}, 0, 0), "the name of tensor 1 wants 8 bytes"},
    {"tensor_name_empty", Bytes().preamble(1, 0).tensor("", {32}, 0, 0).zeros(256), "a tensor before byte 32 has an empty name"},
    {"tensor_name_not_utf8", Bytes().preamble(1, 0).tensor("\xed\xa0\x80", {32}, 0, 0).zeros(256),
     "the tensor name '\\xed\\xa0\\x80'"},
    {"tensor_twice", Bytes().preamble(2, 0).tensor("a", {32}, 0, 0).tensor("a", {32}, 0, 128).zeros(512),
     "the tensor 'a' occurs twice"},
    {"no_dimensions", Bytes().preamble(1, 0).tensor("a", {}, 0, 0).zeros(256), "tensor 'a' has 0 dimensions"},
    {"five_dimensions", Bytes().preamble(1, 0).tensor("a", {1, 1, 1, 1, 1}, 0, 0).zeros(256), "tensor 'a' has 5 dimensions"},
    {"absurd_rank", Bytes().preamble(1, 0).text("a").u32(~0u).zeros(256), "has 4294967295 dimensions"},
    {"dimension_0", Bytes().preamble(1, 0).tensor("a", {32, 0}, 0, 0).zeros(256), "impossible dimensions 32 x 0"},
    {"dimensions_overflow", Bytes().preamble(1, 0).tensor("a", {kAbsurd, 1024}, 0, 0).zeros(256), "impossible dimensions"},
    {"bytes_overflow", Bytes().preamble(1, 0).tensor("a", {uint64_t{1} << 62}, 0, 0).zeros(256), "larger than any file"},
    {"unsupported_format", Bytes().preamble(1, 0).tensor("a", {256}, 29, 0).zeros(256),
     "tensor 'a' has the format iq1_m (29), which is not supported (supported: f32, f16, bf16, i32, q8_0"},
    {"unknown_format", Bytes().preamble(1, 0).tensor("a", {256}, 7777, 0).zeros(256), "has the format type 7777"},
    {"row_not_whole_blocks", Bytes().preamble(1, 0).tensor("a", {33}, 8, 0).zeros(256),
     "rows of 33 weights, q8_0 wants multiples of 32"},
    {"misaligned", Bytes().preamble(1, 0).tensor("a", {32}, 0, 4).zeros(256), "starts at 4, not at a multiple"},
    {"beyond_end", Bytes().preamble(1, 0).tensor("a", {1000}, 0, 0).zeros(256), "(4000 bytes at 64) lies beyond the file's"},
    {"offset_overflow", Bytes().preamble(1, 0).tensor("a", {32}, 0, ~uint64_t{31}).zeros(256), "lies beyond the file's"},
    {"one_byte_short", Bytes().preamble(1, 0).tensor("a", {32}, 0, 0).zeros(7 + 127), "lies beyond the file's"},
    {"tensors_overlap", Bytes().preamble(2, 0).tensor("a", {32}, 0, 0).tensor("b", {32}, 0, 64).zeros(512),
     "the tensors 'a' and 'b' overlap"},
    {"no_architecture", Bytes().preamble(0, 0), "has no key 'general.architecture'"},
};

class MalformedGguf : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(MalformedGguf, IsRefused) {
  test::TemporaryFolder folder;
  const std::string path = folder / (GetParam().name + ".gguf");
  writeFileAtomically(path, GetParam().file.bytes());
  test::expectRefusal(path, GetParam().cause);
}

INSTANTIATE_TEST_SUITE_P(Cases, MalformedGguf, testing::ValuesIn(kCases), [](const auto &info) { return info.param.name; });

TEST(BadPath, IsNamed) {
  test::TemporaryFolder folder;
  test::expectRefusal(folder / "no such modèle.gguf", "cannot open");
  std::filesystem::create_directory(folder / "folder.gguf");
  test::expectRefusal(folder / "folder.gguf", "is not a regular file");
}
