#include "codegen/clang/Compiler.h"

#include <cstring>
#include <thread>

#include <gmock/gmock.h>

#include "codegen/KernelResources.h"

namespace ds4 {
namespace {

using testing::HasSubstr;

CompileRequest withSource(std::string source) {
  CompileRequest request;
  request.source = std::move(source);
  return request;
}

constexpr const char *kStore = "extern \"C\" __attribute__((global)) void store(float *out) { out[0] = VALUE; }\n";

TEST(Compiler, MakesAnElfForTheArchitecture) {
  const CompileResult result = compileHip(withSource("#define VALUE 1.0f\n" + std::string(kStore)));
  ASSERT_TRUE(result.ok) << result.log;
  ASSERT_GT(result.codeObject.size(), 64u);
  EXPECT_EQ(std::memcmp(result.codeObject.data(),
                        "\x7f"
                        "ELF",
                        4),
            0);
  uint32_t flags; // e_flags: the low byte is EF_AMDGPU_MACH
  std::memcpy(&flags, result.codeObject.data() + 48, 4);
  EXPECT_EQ(flags & 0xff, 0x4au); // EF_AMDGPU_MACH_AMDGCN_GFX1151
  EXPECT_EQ(result.log, "");
}

TEST(Compiler, TakesDefinitions) {
  CompileRequest request = withSource(kStore);
  request.options = {"-DVALUE=2.0f"};
  EXPECT_TRUE(compileHip(request).ok);
}

TEST(Compiler, LaterLanguageStandardWins) {
  CompileRequest request = withSource("static_assert(__cplusplus == 202002L);");
  request.options = {"-std=c++20"};
  EXPECT_TRUE(compileHip(request).ok);
}

TEST(Compiler, FindsHeadersByNameAndFolder) {
  CompileRequest request = withSource("#include \"kernels/outer.h\"\n#include <flat.h>\n" + std::string(kStore));
  request.headers = {{"kernels/outer.h", "#include \"kernels/inner.h\"\n#include \"beside.h\"\n"},
                     {"kernels/inner.h", "#define INNER 1.0f\n"},
                     {"kernels/beside.h", "#define BESIDE 1.0f\n"},
                     {"flat.h", "#define VALUE (INNER + BESIDE)\n"}};
  const CompileResult result = compileHip(request);
  EXPECT_TRUE(result.ok) << result.log;
}

TEST(Compiler, SeesNoFileOfTheHost) {
  const CompileResult result = compileHip(withSource("#include \"/etc/hostname\"\n"));
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.log, HasSubstr("file not found"));
}

TEST(Compiler, SyntaxErrorGivesNameLineAndColumn) {
  CompileRequest request = withSource("int ok;\nint 1bad;\n");
  request.name = "wrong.hip";
  const CompileResult result = compileHip(request);
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.log, HasSubstr("wrong.hip:2:5: error:"));
  EXPECT_THAT(result.log, HasSubstr("1 error generated"));
  EXPECT_TRUE(result.codeObject.empty());
}

TEST(Compiler, WarningsAreLoggedAndDoNotFail) {
  const CompileResult result = compileHip(withSource("#warning take care\n"));
  EXPECT_TRUE(result.ok);
  EXPECT_THAT(result.log, HasSubstr("take care"));
}

TEST(Compiler, UnknownArchitectureIsAnError) {
  CompileRequest request = withSource("");
  request.architecture = "gfx9999";
  const CompileResult result = compileHip(request);
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.log, HasSubstr("gfx9999"));
}

TEST(Compiler, UnknownOptionIsAnError) {
  CompileRequest request = withSource("");
  request.options = {"--no-such-option"};
  const CompileResult result = compileHip(request);
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.log, HasSubstr("no-such-option"));
}

TEST(Compiler, UndefinedSymbolIsTheLinkersErrorAndTheNextCompileWorks) {
  const CompileResult result =
      compileHip(withSource("extern \"C\" __attribute__((device)) float missing(float);\n"
                            "extern \"C\" __attribute__((global)) void k(float *p) { *p = missing(*p); }\n"));
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.log, HasSubstr("undefined"));
  EXPECT_THAT(result.log, HasSubstr("missing"));
  EXPECT_TRUE(compileHip(withSource("#define VALUE 1.0f\n" + std::string(kStore))).ok);
}

TEST(Compiler, NameThatLooksLikeAnOptionIsNotOne) {
  CompileRequest request = withSource("#define VALUE 1.0f\n" + std::string(kStore));
  request.name = "-version";
  EXPECT_TRUE(compileHip(request).ok);
}

TEST(Compiler, SameSourceGivesTheSameBytes) {
  const CompileRequest request = withSource("#define VALUE 3.0f\n" + std::string(kStore));
  EXPECT_EQ(compileHip(request).codeObject, compileHip(request).codeObject);
}

TEST(Compiler, TwoThreadsCompileSideBySide) {
  constexpr int kCompiles = 20;
  int right[2] = {0, 0};
  const auto work = [&](int thread) {
    for (int i = 0; i < kCompiles; ++i) {
      const std::string name = "k" + std::to_string(thread) + "_" + std::to_string(i);
      const CompileResult result =
          compileHip(withSource("extern \"C\" __attribute__((global)) void " + name + "(float *p) { *p = 1; }\n"));
      if (result.ok && readKernelResources(result.codeObject).at(0).name == name)
        ++right[thread];
    }
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  EXPECT_EQ(right[0], kCompiles);
  EXPECT_EQ(right[1], kCompiles);
}

TEST(Compiler, IdentityNamesClangAndItsVersion) { EXPECT_THAT(compilerIdentity(), HasSubstr("clang version 22.")); }

} // namespace
} // namespace ds4
