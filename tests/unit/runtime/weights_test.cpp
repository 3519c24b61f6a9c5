// Weights as they are read into the device: damaged ones are refused by tensor and block.
#include "runtime/Weights.h"

#include <gmock/gmock.h>

#include "tests/unit/quantize/QuantizeModel.h"

using namespace ds4;
using namespace ds4::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {

class WeightsTest : public testing::Test {
protected:
  void SetUp() override { synthesizeModel(blockSizedDescription(), recipeOf("  - output.weight: rocmfp2\n"), path_); }

  static PlanWeight planned(const gguf::TensorInfo &tensor) {
    return {tensor.name, std::string(tensor.format->name), {}, tensor.shard, tensor.offset, tensor.bytes};
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_ / "m.gguf";
};

} // namespace

TEST_F(WeightsTest, ReadingChecksScales) {
  const gguf::Reader file = gguf::Reader::open(path_);
  const PlanWeight weight = planned(*file.findTensor("output.weight"));
  FileWeights weights(file);
  std::vector<std::byte> bytes(weight.bytes);
  EXPECT_EQ(errorOf([&] { weights.read(weight, 0, bytes); }), "no error");
  {
    std::fstream damaged(path_, std::ios::in | std::ios::out | std::ios::binary);
    damaged.seekp(static_cast<std::streamoff>(weight.offset + 10 * 33 + 8));
    damaged.put(static_cast<char>(0x80));
  }
  EXPECT_THAT(errorOf([&] { weights.read(weight, 0, bytes); }), AllOf(HasSubstr("m.gguf'"), HasSubstr("'output.weight', block 33 of 512")));
}

TEST_F(WeightsTest, OfAPlanAreTensorsOfTheModel) {
  const gguf::Reader file = gguf::Reader::open(path_);
  const FileWeights weights(file);
  Plan plan;
  plan.weights = {planned(*file.findTensor("output.weight"))};
  EXPECT_EQ(errorOf([&] { weights.check(plan); }), "no error");
  plan.weights[0].format = "q8_0";
  EXPECT_THAT(errorOf([&] { weights.check(plan); }), HasSubstr("'output.weight' of the plan is no tensor of the model"));
  plan.weights = {planned(*file.findTensor("output.weight"))};
  plan.weights[0].offset += 10;
  plan.weights[0].bytes -= 10;
  EXPECT_THAT(errorOf([&] { weights.check(plan); }), HasSubstr("'output.weight' of the plan is no tensor of the model"));
}
