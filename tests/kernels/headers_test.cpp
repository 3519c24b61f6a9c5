// Every device header compiles alone; every kernel of both models compiles within its budget, without spills, to
// instructions that the simulator knows.
#include <set>

#include <gtest/gtest.h>

#include "codegen/KernelResources.h"
#include "codegen/clang/Compiler.h"
#include "codegen/emitters/Emitters.h"
#include "runtime/providers/simulator/Fault.h"
#include "runtime/providers/simulator/LoadedObject.h"
#include "tests/kernels/ModelKernels.h"

namespace ds4::test {

static CompileResult compile(const std::string &name, const std::string &source) {
  CompileRequest request{
      .name = name, .source = source, .options = {"-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-parameter"}};
  for (const HeaderText &header : kernelHeaders())
    request.headers.emplace_back(header.name, header.text);
  return compileHip(request);
}

static std::vector<std::string> unknownInstructions(const std::vector<std::byte> &codeObject) {
  sim::LoadedObject object(sim::loadImage(codeObject));
  std::vector<std::string> unknown;
  for (const sim::KernelInfo *info : object.kernels()) {
    const sim::Program &program = object.program(object.kernel(*info), sim::bestIsa());
    for (size_t i = 0; i + 1 < program.size(); ++i) // the last one stands for running off the end
      if (program.begin()[i].run == sim::raiseUnknownInstruction)
        unknown.push_back(program.text(static_cast<uint32_t>(i)));
  }
  return unknown;
}

TEST(Headers, CompileAlone) {
  for (const HeaderText &header : kernelHeaders()) {
    if (header.name.ends_with("_cuda.h")) // for NVRTC
      continue;
    CompileResult result = compile("alone.hip", "#include \"" + std::string(header.name) + "\"\n");
    EXPECT_TRUE(result.ok && result.log.empty()) << header.name << "\n" << result.log;
  }
}

TEST(Headers, OneForEachOpOfAKernel) {
  std::set<std::string_view> names;
  for (const HeaderText &header : kernelHeaders())
    names.insert(header.name);
  for (const KernelSpec &spec : modelKernels(kTiny))
    EXPECT_TRUE(names.contains(spec.op + ".h")) << spec.symbol;
}

class ModelKernels : public testing::TestWithParam<std::pair<const char *, ModelSizes>> {};

TEST_P(ModelKernels, CompileWithinTheirBudgets) {
  std::set<std::string> seen;
  for (const char *element : {"f16", "f32"})
    for (const KernelSpec &spec : modelKernels(GetParam().second, element)) {
      if (!seen.insert(spec.symbol).second)
        continue;
      CompileResult result = compile(spec.symbol, spec.source);
      ASSERT_TRUE(result.ok && result.log.empty()) << spec.source << result.log;
      for (const KernelResources &resources : readKernelResources(result.codeObject)) {
        EXPECT_EQ(resources.name, spec.symbol);
        EXPECT_NO_THROW(checkResources(resources, spec.budget));
      }
      for (const std::string &instruction : unknownInstructions(result.codeObject))
        ADD_FAILURE() << spec.symbol << ": the simulator does not know " << instruction;
    }
}

INSTANTIATE_TEST_SUITE_P(Models, ModelKernels, testing::Values(std::pair{"Tiny", kTiny}, std::pair{"Flash", kFlash}),
                         [](const auto &info) { return std::string(info.param.first); });

} // namespace ds4::test
