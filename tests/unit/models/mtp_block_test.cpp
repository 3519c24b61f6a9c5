#include "models/MtpBlock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/models/DrafterFileTest.h"

using namespace ds4;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

// The small model with a next-token block, and what differs from a complete one. Names without "blk.3.".
struct BlockFile {
  std::set<std::string> drop = {};
  std::map<std::string, std::vector<uint64_t>> add = {}; // more tensors by their size, fastest first
  bool alone = false;                                    // without the model
  std::vector<float> clamps = {10, 10, 10};

  void write(const std::string &path) const {
    test::SmallModel file;
    file.dropKeys = {"deepseek4.swiglu_clamp_exp", "deepseek4.swiglu_clamp_shexp"};
    if (alone)
      for (const ExpectedTensor &tensor : test::smallDescription().tensors())
        file.dropTensors.insert(tensor.name);
    file.add = [this](gguf::Writer &writer) {
      writer.setArray("deepseek4.swiglu_clamp_exp", clamps);
      writer.set("deepseek4.nextn_predict_layers", uint32_t{1});
      const auto put = [&](const std::string &name, std::vector<uint64_t> size) {
        writer.addTensor(name, formatOf(WeightFormat::F16), std::move(size));
      };
      for (const ExpectedTensor &tensor : mtpTensors(test::smallDescription()))
        if (!drop.contains(tensor.name.substr(6)))
          put(tensor.name, {tensor.shape.rbegin(), tensor.shape.rend()});
      for (const auto &[name, size] : add)
        put("blk.3." + name, size);
    };
    file.write(path);
  }
};

using MtpBlockTest = test::DrafterFileTest<BlockFile>;

std::set<std::string> namesOf(const DrafterModel &drafter) {
  std::set<std::string> names;
  for (const Weight &weight : drafter.weights())
    names.insert(weight.name);
  return names;
}

} // namespace

TEST_F(MtpBlockTest, LiesBehindTheModelOrAlone) {
  const DrafterModel behind = open({});
  EXPECT_THAT(behind.warnings(), IsEmpty());
  EXPECT_THAT(Model::open(folder_ / "drafter.gguf").warnings(), IsEmpty()); // the model does without
  const DrafterDescription &drafter = behind.description();
  EXPECT_EQ(drafter.kind, DrafterKind::Mtp);
  EXPECT_THAT(drafter.blocks.ratios, ElementsAre(0));
  EXPECT_EQ(drafter.blocks.hashLayers, 0u);
  EXPECT_EQ(drafter.blocks.width, 64u);
  const std::set<std::string> names = namesOf(behind);
  for (const char *name : {"mtp.enorm.weight", "mtp.e_proj.weight", "mtp.h_proj.weight", "mtp.output_hc_fn.weight",
                           "mtp.output_norm.weight", "mtp.blk.0.attn_kv.weight", "mtp.blk.0.exp_probs_b.bias"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_EQ(namesOf(open({.alone = true})), names);
}

TEST_F(MtpBlockTest, TakesOneProjectionOrTwo) {
  const DrafterModel joined =
      open({.drop = {"nextn.e_proj.weight", "nextn.h_proj.weight"}, .add = {{"nextn.eh_proj.weight", {128, 64}}}});
  EXPECT_TRUE(namesOf(joined).contains("mtp.eh_proj.weight"));
  EXPECT_FALSE(namesOf(joined).contains("mtp.e_proj.weight"));
}

TEST_F(MtpBlockTest, DoesWithTheModelsHead) {
  const DrafterModel drafter = open({.drop = {"nextn.hc_head_fn.weight", "nextn.hc_head_base.weight", "nextn.hc_head_scale.weight",
                                              "nextn.shared_head_norm.weight"}});
  EXPECT_THAT(drafter.warnings(), ElementsAre(HasSubstr("no head of the streams of its own: the model's is used"),
                                              HasSubstr("no final norm of its own")));
  EXPECT_FALSE(namesOf(drafter).contains("mtp.output_hc_fn.weight"));
  EXPECT_FALSE(namesOf(drafter).contains("mtp.output_norm.weight"));
}

TEST_F(MtpBlockTest, ListsAllThatIsMissingAtOnce) {
  EXPECT_THAT(refusal({.drop = {"nextn.hnorm.weight", "nextn.hc_head_base.weight", "attn_kv.weight", "nextn.e_proj.weight"},
                       .add = {{"nextn.e_proj", {64, 64}}}}),
              AllOf(HasSubstr("is no complete next-token block: missing tensors"), HasSubstr("output_hc_base.weight"),
                    HasSubstr("blk.0.attn_kv.weight"), HasSubstr("hnorm.weight"), HasSubstr("e_proj.weight"),
                    Not(HasSubstr("\n"))));
  EXPECT_THAT(refusal({.drop = {"nextn.enorm.weight"}, .add = {{"nextn.enorm.weight", {32}}}}),
              HasSubstr("wrong shapes enorm.weight [32] (wanted [64])"));
}

TEST_F(MtpBlockTest, TellsWhatItDoesNotUse) {
  EXPECT_THAT(open({.add = {{"nextn.shared_head_head.weight", {64, 64}}}}).warnings(),
              ElementsAre(HasSubstr("tensors that are not used: 'blk.3.nextn.shared_head_head.weight'")));
}

TEST_F(MtpBlockTest, HasALimitOfItsOwnWhereTheFileTellsOne) {
  EXPECT_THAT(open({.clamps = {10, 10, 10, 7}}).description().blocks.clamps, ElementsAre(7));
  EXPECT_THAT(open({}).description().blocks.clamps, ElementsAre(10));
}

TEST_F(MtpBlockTest, AModelWithoutOneIsNoDrafter) {
  test::SmallModel().write(folder_ / "target.gguf");
  const Model target = Model::open(folder_ / "target.gguf");
  EXPECT_THAT(test::failure([&] { DrafterModel::open(folder_ / "target.gguf", target); }).second,
              HasSubstr("has no next-token block (tensors 'blk.N.nextn.*'): name a file that has one, or a DSpark drafter"));
}
