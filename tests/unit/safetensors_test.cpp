#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "support/Error.h"
#include "support/Safetensors.h"

using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// A file of the given header and payload; gone with the test.
struct TemporaryFile {
  TemporaryFile(const std::string &header, const std::string &payload, uint64_t headerBytes) {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char *>(&headerBytes), sizeof(headerBytes));
    out << header << payload;
  }
  TemporaryFile(const std::string &header, const std::string &payload = "") : TemporaryFile(header, payload, header.size()) {}
  ~TemporaryFile() { std::filesystem::remove(path); }

  std::string path = testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + ".safetensors";
};

void expectRefused(const TemporaryFile &file, const std::string &why) {
  try {
    ds4::Safetensors reader(file.path);
    reader.floats("a");
    FAIL() << "accepted";
  } catch (const ds4::Error &error) {
    EXPECT_EQ(error.code(), ds4::ExitCode::User);
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

} // namespace

TEST(Safetensors, ReadsArraysByName) {
  std::string payload(12, '\0');
  float floats[] = {1.5f, -2};
  int32_t id = -7;
  std::memcpy(payload.data(), floats, 8);
  std::memcpy(payload.data() + 8, &id, 4);
  TemporaryFile file(R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                     R"("ids":{"dtype":"I32","shape":[],"data_offsets":[8,12]}})",
                     payload);
  ds4::Safetensors reader(file.path);
  EXPECT_EQ(reader.entries().size(), 2u);
  EXPECT_THAT(reader.entry("a").shape, ElementsAre(2, 1));
  EXPECT_THAT(reader.floats("a"), ElementsAre(1.5f, -2));
  EXPECT_THAT(reader.ints("ids"), ElementsAre(-7));
  EXPECT_FALSE(reader.contains("b"));
}

TEST(Safetensors, RefusesAHeaderBeyondTheFile) { expectRefused(TemporaryFile("{}", "", uint64_t{1} << 60), "header"); }
TEST(Safetensors, RefusesBrokenJson) { expectRefused(TemporaryFile("{\"a\":"), "malformed"); }
TEST(Safetensors, RefusesAnEntryWithoutAType) { expectRefused(TemporaryFile(R"({"a":{"data_offsets":[0,0]}})"), "malformed"); }
TEST(Safetensors, NamesAMissingArray) { expectRefused(TemporaryFile("{}"), "no array \"a\""); }

TEST(Safetensors, RefusesAnArrayOutsideTheFile) {
  expectRefused(TemporaryFile(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "1234"), "outside");
}

TEST(Safetensors, RefusesASizeThatIsNotTheShapes) {
  expectRefused(TemporaryFile(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", "12345678"), "3 values");
}

TEST(Safetensors, RefusesAnotherType) {
  expectRefused(TemporaryFile(R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})", "1234"), "F16");
}
