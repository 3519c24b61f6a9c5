#include "models/StepTraffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/DescriptionFile.h"
#include "tests/unit/Failure.h"
#include "tests/unit/models/SmallModel.h"

using namespace ds4;
using testing::HasSubstr;

// Every weight of f16, 2 bytes an element.
TEST(StepTraffic, OfASmallModelCountedByHand) {
  const test::TemporaryFolder folder;
  test::SmallModel{}.write(folder / "m.gguf");
  const Model model = Model::open(folder / "m.gguf");
  const StepTraffic traffic = stepTraffic(model, 199); // 200 tokens are visible
  // Queries 32 x 64 and 4 * 32 x 32, row 32 x 64, output 2 * 16 x 64 and 64 x 2 * 16, sinks 4.
  EXPECT_EQ(traffic.of(TrafficPart::Attention), 3u * 2 * (32 * 64 + 128 * 32 + 32 * 64 + 32 * 64 + 64 * 32 + 4));
  // Ratio 4: twice as wide, windows of 4; ratio 128.
  EXPECT_EQ(traffic.of(TrafficPart::Compressors), 2u * (2 * 64 * 64 + 4 * 64 + 2 * 32 * 64 + 128 * 32));
  EXPECT_EQ(traffic.of(TrafficPart::Indexer), 2u * (2 * 64 + 2 * 32 * 32 + 2 * 64 * 64 + 4 * 64));
  EXPECT_EQ(traffic.of(TrafficPart::HyperConnections), 2u * (3 * 2 * (24 * 256 + 24 + 3) + 4 * 256 + 4 + 1));
  // Two blocks read a row of two i32 expert ids, the third a bias of 8.
  EXPECT_EQ(traffic.of(TrafficPart::Router), 3u * 8 * 64 * 2 + 2 * 2 * 4 + 8 * 2);
  EXPECT_EQ(traffic.of(TrafficPart::SharedExpert), 3u * 3 * 32 * 64 * 2);
  EXPECT_EQ(traffic.of(TrafficPart::RoutedExperts), 3u * 2 * 3 * 32 * 64 * 2); // two of eight
  EXPECT_EQ(traffic.of(TrafficPart::Head), 64u * 64 * 2);
  EXPECT_EQ(traffic.of(TrafficPart::Rest), 2u * (64 + 64 + 3 * (2 * 64 + 32 + 32) + 2 * 32 + 32));
  // Three windows of 128, 16 selected of 50 rows, one row of ratio 128.
  EXPECT_EQ(traffic.of(TrafficPart::Rows), (3u * 128 + 16 + 1) * 32 * 2);
  EXPECT_EQ(traffic.of(TrafficPart::IndexerKeys), 50u * 32 * 2);
  EXPECT_EQ(stepTraffic(model, 0).of(TrafficPart::Rows), 3u * 32 * 2);
  EXPECT_EQ(stepTraffic(model, 3).of(TrafficPart::IndexerKeys), 32u * 2);
  EXPECT_DOUBLE_EQ(traffic.tokensPerSecond(2.0 * static_cast<double>(traffic.total())), 2);
}

static std::string_view formatOfFlash(const ExpectedTensor &tensor) { // of the two-bit mix
  const std::string_view name = tensor.name;
  if (tensor.role == WeightRole::Table)
    return "i32";
  if (tensor.role == WeightRole::ExpertMatrix)
    return name.ends_with("down_exps.weight") ? "q2_k" : "iq2_xxs";
  const bool isSmall = name.find("compressor") != name.npos || name.find("indexer") != name.npos || name.find("hc_") != name.npos ||
                       name.find("gate_inp") != name.npos || name.starts_with("token_embd");
  return tensor.role != WeightRole::Matrix ? "f32" : isSmall ? "f16" : "q8_0";
}

// The published arithmetic of gigabytes a token for that model and mix, by part.
TEST(StepTraffic, OfTheRealModelAgreesWithPublishedArithmetic) {
  const ModelDescription &flash = builtInDescriptions()[0].model;
  ASSERT_EQ(flash.name, "ds4-flash");
  const std::vector<ExpectedTensor> tensors = flash.tensors();
  std::vector<TrafficWeight> weights;
  for (const ExpectedTensor &tensor : tensors) {
    uint64_t count = 1;
    for (const int64_t size : tensor.shape)
      count *= static_cast<uint64_t>(size);
    weights.push_back({tensor.name, tensor.shape, findFormatByName(formatOfFlash(tensor))->rowBytes(count)});
  }
  const StepTraffic traffic = stepTraffic(weights,
                                          {.expertsUsed = flash.expertsUsed,
                                           .window = flash.window,
                                           .indexerTopK = flash.indexerTopK,
                                           .headWidth = flash.headWidth,
                                           .indexerWidth = flash.indexerWidth,
                                           .ratios = flash.ratios},
                                          32767);
  const auto gigabytes = [&](TrafficPart part) { return static_cast<double>(traffic.of(part)) * 1e-9; };
  EXPECT_NEAR(gigabytes(TrafficPart::Attention), 4.886, 1e-3);
  EXPECT_NEAR(gigabytes(TrafficPart::SharedExpert), 1.150, 1e-3);
  EXPECT_NEAR(gigabytes(TrafficPart::Head), 0.563, 1e-3);
  EXPECT_NEAR(gigabytes(TrafficPart::Compressors), 0.520, 6e-3); // biases of positions are not in the published figure
  EXPECT_NEAR(gigabytes(TrafficPart::Indexer), 0.451, 2e-3);
  EXPECT_NEAR(gigabytes(TrafficPart::HyperConnections), 0.068, 1e-3);
  EXPECT_NEAR(gigabytes(TrafficPart::Router), 0.090, 1e-3);
  EXPECT_NEAR(gigabytes(TrafficPart::RoutedExperts), 1.116 + 0.710, 1e-3);
  EXPECT_NEAR(gigabytes(TrafficPart::Rows) + gigabytes(TrafficPart::IndexerKeys), 0.066, 1e-3);
  EXPECT_NEAR(static_cast<double>(traffic.total()) * 1e-9, 9.55 + 0.066, 0.02);
  EXPECT_NEAR(traffic.tokensPerSecond(kReachableBytesPerSecond), 22.9, 0.1);
}

TEST(StepTraffic, WeightsOfNoPartAreTheRestAndNoRowsAreRefused) {
  const std::vector<int64_t> shape{4, 4}, none{0, 4};
  EXPECT_EQ(stepTraffic(std::vector<TrafficWeight>{{"blk.0.surprise.weight", shape, 32}}, {}, 0).of(TrafficPart::Rest), 32u);
  const auto [code, message] = test::failure([&] { stepTraffic(std::vector<TrafficWeight>{{"output.weight", none, 32}}, {}, 0); });
  EXPECT_EQ(code, ExitCode::User);
  EXPECT_THAT(message, HasSubstr("'output.weight' has no rows"));
}
