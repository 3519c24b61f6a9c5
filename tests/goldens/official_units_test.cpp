// The reference ops against single operations of the published model code, run in PyTorch by others.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>

#include "ir/reference/Reference.h"
#include "support/RopeTable.h"
#include "support/Safetensors.h"

using namespace ds4::reference;

namespace {

constexpr double kTolerance = 1e-5; // of the greatest expected magnitude

// One file of goldens/official-units.
class Unit {
public:
  explicit Unit(const std::string &name) : file_(directory() + "/unit_" + name + ".safetensors") {}

  static std::string directory() { return DS4C_SHARED_DIR "/goldens/official-units"; }

  Tensor tensor(const std::string &name) const { return tensor(name, file_.entry(name).shape); }
  Tensor tensor(const std::string &name, Shape shape) const {
    bool ids = file_.entry(name).dtype == "I32";
    std::vector<double> values;
    if (ids)
      std::ranges::copy(file_.ints(name), std::back_inserter(values));
    else
      std::ranges::copy(file_.floats(name), std::back_inserter(values));
    return Tensor(std::move(shape), std::move(values));
  }
  // Keeps the values alive as long as the unit.
  Weight weight(const std::string &name) { return weight(name, file_.entry(name).shape); }
  Weight weight(const std::string &name, Shape shape) { return {std::move(shape), weights_[name] = file_.floats(name)}; }
  // The angles whose cosines and sines the file has; what a frequency is at position 1.
  std::vector<float> angles(int64_t row) const {
    Tensor cosines = tensor("cos"), sines = tensor("sin");
    std::vector<float> result;
    for (int64_t i = 0; i < cosines.columns(); ++i)
      result.push_back(static_cast<float>(std::atan2(sines.row(row)[i], cosines.row(row)[i])));
    return result;
  }

private:
  ds4::Safetensors file_;
  std::map<std::string, std::vector<float>> weights_;
};

class OfficialUnits : public testing::Test {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(Unit::directory()))
      GTEST_SKIP() << "no reference values at " << Unit::directory();
  }
};

void expectNear(const Tensor &actual, const Tensor &expected, double tolerance = kTolerance) {
  ASSERT_EQ(actual.shape, expected.shape);
  double greatest = 0;
  for (double value : expected.values)
    greatest = std::max(greatest, std::abs(value));
  for (size_t i = 0; i < expected.values.size(); ++i)
    ASSERT_NEAR(actual.values[i], expected.values[i], tolerance * greatest) << "element " << i;
}

// `count` columns of x, from `first` on.
Tensor columnsOf(const Tensor &x, int64_t first, int64_t count) {
  Tensor out({x.rows(), count});
  for (int64_t i = 0; i < x.rows(); ++i)
    std::ranges::copy(x.row(i).subspan(first, count), out.row(i).begin());
  return out;
}

Tensor roundTrip(const Unit &unit, Scheme scheme) {
  int64_t block = static_cast<int64_t>(unit.tensor("dims").values[2]);
  return quantizeActivation(unit.tensor("x"), scheme, block);
}

// Normed and rotated rows of the ratio-4 compressor, before they are rounded.
Tensor compressedRows(Unit &unit) {
  Tensor x = unit.tensor("x");
  int64_t dim = unit.weight("norm_w").columns(), width = 2 * dim, ratio = 4;
  State open(16, 2 * width, Element::F32), rows(x.tokens() / ratio, dim, Element::F32);
  compress(open, rows, linear(x, unit.weight("wkv")), linear(x, unit.weight("wgate")), unit.weight("ape"), unit.weight("norm_w"), 0,
           ratio, 1e-6, {});
  Tensor out({rows.rows(), dim});
  for (int64_t row = 0; row < rows.rows(); ++row) {
    Tensor one({1, dim}, {rows.row(row).begin(), rows.row(row).end()});
    std::ranges::copy(rope(one, 1, unit.angles(row), false).values, out.row(row).begin());
  }
  return out;
}

// Orthonormal Walsh-Hadamard transform of each row: what the published model applies before rounding to 4 bits.
Tensor hadamard(Tensor x) {
  for (int64_t i = 0; i < x.rows(); ++i) {
    std::span<double> row = x.row(i);
    for (size_t half = 1; half < row.size(); half *= 2)
      for (size_t j = 0; j < row.size(); ++j)
        if ((j & half) == 0) {
          double a = row[j], b = row[j + half];
          row[j] = a + b;
          row[j + half] = a - b;
        }
    for (double &value : row)
      value /= std::sqrt(static_cast<double>(row.size()));
  }
  return x;
}

void expectTable(const Unit &unit, const std::string &suffix, const ds4::RopeParameters &parameters) {
  Tensor cosines = unit.tensor("cos_" + suffix), sines = unit.tensor("sin_" + suffix);
  std::vector<float> frequencies = ds4::ropeFrequencies(parameters);
  ASSERT_EQ(static_cast<int64_t>(frequencies.size()), cosines.columns());
  Tensor unitVectors({cosines.rows(), 2 * cosines.columns()});
  for (size_t i = 0; i < unitVectors.values.size(); i += 2)
    unitVectors.values[i] = 1;
  Tensor turned = rope(unitVectors, 0, frequencies, false);
  for (size_t i = 0; i < cosines.values.size(); ++i) {
    ASSERT_NEAR(turned.values[2 * i], cosines.values[i], kTolerance);
    ASSERT_NEAR(turned.values[2 * i + 1], sines.values[i], kTolerance);
  }
}

} // namespace

TEST_F(OfficialUnits, ActQuant) {
  Unit unit("act_quant");
  EXPECT_EQ(roundTrip(unit, Scheme::Fp8).values, unit.tensor("y_ref").values);
}

TEST_F(OfficialUnits, ActQuantFp4) {
  Unit unit("act_quant_fp4");
  EXPECT_EQ(roundTrip(unit, Scheme::Fp4).values, unit.tensor("y_ref").values);
}

TEST_F(OfficialUnits, Hadamard) {
  Unit unit("hadamard");
  expectNear(hadamard(unit.tensor("x")), unit.tensor("y"));
}

// The file's pooled rows are neither normed nor rotated: both sides go through an RMS norm of weight 1.
TEST_F(OfficialUnits, CompressorOverlap) {
  Unit unit("compressor_overlap");
  Tensor pooled = unit.tensor("pooled");
  std::vector<float> ones(pooled.columns(), 1);
  Weight norm{{pooled.columns()}, ones};
  State open(16, 4 * pooled.columns(), Element::F32), rows(pooled.rows(), pooled.columns(), Element::F32);
  compress(open, rows, unit.tensor("kv"), unit.tensor("score"), unit.weight("ape"), norm, 0, 4, 1e-6, {});
  Tensor expected = rmsNorm(pooled, norm, 1e-6);
  for (int64_t row = 0; row < pooled.rows(); ++row)
    for (int64_t i = 0; i < pooled.columns(); ++i)
      ASSERT_NEAR(rows.row(row)[i], expected.row(row)[i], 1e-5) << "row " << row << " channel " << i;
}

TEST_F(OfficialUnits, CompressorFull) {
  Unit unit("compressor_full");
  Tensor rows = compressedRows(unit), expected = unit.tensor("out");
  int64_t rotated = 64, plain = rows.columns() - rotated;
  Tensor rounded = quantizeActivation(columnsOf(rows, 0, plain), Scheme::Fp8, 64);
  expectNear(rounded, columnsOf(expected, 0, plain));
  expectNear(columnsOf(rows, plain, rotated), columnsOf(expected, plain, rotated));
}

TEST_F(OfficialUnits, CompressorFullRotate) {
  Unit unit("compressor_full_rotate");
  expectNear(quantizeActivation(hadamard(compressedRows(unit)), Scheme::Fp4, 32), unit.tensor("out"));
}

TEST_F(OfficialUnits, HyperConnection) {
  Unit unit("hc");
  Tensor streams = unit.tensor("x");
  Sinkhorn mix =
      sinkhorn(hcCoefficients(streams, unit.weight("hc_fn"), unit.weight("hc_base"), unit.weight("hc_scale"), 1e-6), 20, 1e-6);
  expectNear(mix.post, unit.tensor("post"));
  expectNear(mix.comb, unit.tensor("comb"));
  expectNear(hcRead(streams, mix.pre), unit.tensor("y_pre"));
  expectNear(hcWrite(unit.tensor("x_new"), streams, mix.post, mix.comb), unit.tensor("y_post"));
}

TEST_F(OfficialUnits, HyperConnectionSinkhorn) {
  Unit unit("hc_sinkhorn");
  Tensor c = unit.tensor("mixes");
  Weight base = unit.weight("hc_base"), scale = unit.weight("hc_scale");
  for (int64_t t = 0; t < c.rows(); ++t)
    for (int64_t i = 0; i < c.columns(); ++i)
      c.row(t)[i] = c.row(t)[i] * scale.values[std::min<int64_t>(i / 4, 2)] + base.values[i];
  Sinkhorn mix = sinkhorn(c, 20, 1e-6);
  expectNear(mix.pre, unit.tensor("pre"));
  expectNear(mix.post, unit.tensor("post"));
  expectNear(mix.comb, unit.tensor("comb"));
}

TEST_F(OfficialUnits, IndexScore) {
  Unit unit("index_score");
  Tensor q = unit.tensor("q"), weights = unit.tensor("weights"), kv = unit.tensor("kv"), expected = unit.tensor("score");
  State rows(kv.rows(), kv.columns(), Element::F32);
  for (int64_t row = 0; row < kv.rows(); ++row)
    rows.storeRow(row, kv.row(row));
  int64_t heads = q.shape[1], perToken = heads * q.columns();
  for (int64_t t = 0; t < q.tokens(); ++t) { // one by one, each at a position from which all rows are seen
    Tensor query({1, heads, q.columns()}, {q.values.begin() + t * perToken, q.values.begin() + (t + 1) * perToken});
    Tensor weight({1, heads}, {weights.row(t).begin(), weights.row(t).end()});
    Tensor score = indexScore(query, weight, rows, kv.rows() - 1, 1, 1);
    expectNear(score, Tensor({1, kv.rows()}, {expected.row(t).begin(), expected.row(t).end()}));
  }
}

TEST_F(OfficialUnits, GroupedOutputProjection) {
  Unit unit("ogroup_gemm");
  Tensor o = unit.tensor("o"), expected = unit.tensor("out_ref");
  int64_t groups = o.shape[1], inner = o.columns(), outer = expected.columns();
  Tensor out = groupedLinear(unit.tensor("o", {o.tokens(), groups * inner}), unit.weight("wo_a", {groups * outer, inner}), groups);
  expectNear(out, unit.tensor("out_ref", {o.tokens(), groups * outer}));
}

TEST_F(OfficialUnits, RmsNorm) {
  Unit unit("rmsnorm");
  Tensor x = unit.tensor("x");
  double eps = unit.tensor("eps").values[0];
  expectNear(rmsNorm(x, unit.weight("weight"), eps), unit.tensor("y_w"));
  Tensor heads = headNorm(unit.tensor("x", {x.rows(), 1, x.columns()}), eps);
  expectNear(heads, unit.tensor("y_now", {x.rows(), 1, x.columns()}));
}

TEST_F(OfficialUnits, Rope) {
  Unit unit("rope");
  Tensor x = unit.tensor("x"), forward = unit.tensor("y_fwd"), inverse = unit.tensor("y_inv");
  for (int64_t t = 0; t < x.rows(); ++t) {
    Tensor row({1, x.columns()}, {x.row(t).begin(), x.row(t).end()});
    expectNear(rope(row, 1, unit.angles(t), false), Tensor(row.shape, {forward.row(t).begin(), forward.row(t).end()}));
    expectNear(rope(row, 1, unit.angles(t), true), Tensor(row.shape, {inverse.row(t).begin(), inverse.row(t).end()}));
  }
}

TEST_F(OfficialUnits, Yarn) {
  Unit unit("yarn");
  expectTable(unit, "off", {.dims = 64, .base = 10000});
  expectTable(unit, "yarn", {.dims = 64, .base = 160000, .factor = 16, .originalContext = 65536, .betaFast = 32, .betaSlow = 1});
}

TEST_F(OfficialUnits, Router) {
  Unit unit("router");
  Tensor expectedIds = unit.tensor("indices_ref");
  Routing out = router(linear(unit.tensor("x"), unit.weight("gate_w")), unit.weight("bias"), expectedIds.columns(),
                       unit.tensor("route_scale").values[0]);
  EXPECT_EQ(out.ids.values, expectedIds.values);
  expectNear(out.weights, unit.tensor("weights_ref"));
}

// Their side rounds to bf16.
TEST_F(OfficialUnits, SparseAttention) {
  Unit unit("sparse_attn");
  Tensor kv = unit.tensor("kv"), q = unit.tensor("q"), picks = unit.tensor("topk_idxs");
  Shape shape{q.shape[1], q.shape[2], q.shape[3]};
  State noWindow(1, kv.columns(), Element::F32), rows(kv.rows(), kv.columns(), Element::F32);
  for (int64_t row = 0; row < kv.rows(); ++row)
    rows.storeRow(row, kv.row(row));
  picks.shape = {picks.shape[1], picks.shape[2]};
  AttendOptions options{.scale = unit.tensor("scale").values[0], .window = 0, .ratio = 1, .rows = &rows, .picks = &picks};
  Tensor out = attend(unit.tensor("q", shape), noWindow, unit.weight("attn_sink"), kv.rows() - 1, options);
  expectNear(out, unit.tensor("o_ref", shape), 7e-3);
}
