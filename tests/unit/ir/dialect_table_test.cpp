// A reader finds an op's parts by its name; so does this test.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Pass/PassRegistry.h>

#include "ir/Ds4Ops.h"
#include "passes/Passes.h"

namespace {

std::vector<std::string> opNames() {
  mlir::MLIRContext context;
  context.loadDialect<ds4::Ds4Dialect>();
  std::vector<std::string> names;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperationsByDialect("ds4"))
    names.push_back(op.stripDialect().str());
  return names;
}

const std::set<std::string> kWithoutKernel{"weight", "reshape", "launch", "kernel", "shared_launch", "yield"};

testing::AssertionResult exists(const std::string &path) {
  if (std::filesystem::is_regular_file(std::string(DS4C_SOURCE_DIR "/") + path))
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << path << " is missing";
}

TEST(DialectTable, NamesTheOpsOfTheDesign) {
  EXPECT_EQ(opNames().size(), 39 + kWithoutKernel.size());
  for (const std::string &name : kWithoutKernel)
    EXPECT_THAT(opNames(), testing::Contains(name));
}

TEST(DialectTable, EveryOpHasALitTest) {
  for (const std::string &name : opNames())
    EXPECT_TRUE(exists("tests/lit/ops/" + name + ".mlir"));
}

TEST(DialectTable, EveryPrimitiveOpHasAReferenceAKernelAndAKernelTest) {
  for (const std::string &name : opNames()) {
    if (kWithoutKernel.count(name))
      continue;
    EXPECT_TRUE(exists("ir/reference/" + name + ".cpp"));
    EXPECT_TRUE(exists("codegen/kernels/" + name + ".h"));
    EXPECT_TRUE(exists("tests/kernels/" + name + "_test.cpp"));
  }
}

TEST(DialectTable, EveryPrimitiveOpAndNoOtherHasASignature) {
  mlir::MLIRContext context;
  context.loadDialect<ds4::Ds4Dialect>();
  for (mlir::RegisteredOperationName op : context.getRegisteredOperationsByDialect("ds4"))
    EXPECT_NE(op.hasInterface<ds4::PrimitiveOpInterface>(), kWithoutKernel.count(op.stripDialect().str()) == 1)
        << op.getStringRef().str();
}

// The passes of Passes.td: flag and name of the class.
std::vector<std::pair<std::string, std::string>> definedPasses() {
  std::ifstream file(DS4C_SOURCE_DIR "/passes/Passes.td");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::regex definition("def (\\w+) : Pass<\"([^\"]+)\"");
  std::vector<std::pair<std::string, std::string>> passes;
  for (std::sregex_iterator match(text.begin(), text.end(), definition), end; match != end; ++match)
    passes.emplace_back((*match)[2], (*match)[1]);
  return passes;
}

TEST(DialectTable, EveryPassIsRegisteredAndHasASourceAndALitTest) {
  ds4::registerDs4Passes();
  EXPECT_GE(definedPasses().size(), 4u);
  for (const auto &[flag, name] : definedPasses()) {
    EXPECT_NE(mlir::PassInfo::lookup(flag), nullptr) << flag;
    EXPECT_TRUE(exists("passes/" + name + ".cpp"));
    EXPECT_TRUE(exists("tests/lit/passes/" + flag + ".mlir"));
  }
}

} // namespace
