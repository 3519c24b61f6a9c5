// Ops that share a launch give the very bits that they give with a launch each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "codegen/emitters/SharedLaunch.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {
namespace {

constexpr RopeParameters kRope{.dims = 32, .base = 10000};
constexpr int kInput = 256;

SharedPart part(KernelSource source, std::vector<int> arguments, int chain, bool isTail = false) {
  return {.source = std::move(source), .arguments = std::move(arguments), .chain = chain, .isTail = isTail};
}
SharedPart root(const LinearShape &shape, std::vector<int> arguments, int chain) {
  return part(kernelSource(shape, kSharedWaves), std::move(arguments), chain);
}
SharedPart tail(KernelSource source, std::vector<int> arguments, int chain) {
  return part(std::move(source), std::move(arguments), chain, true);
}

void expectSameBits(const Operand &shared, const Operand &own) { EXPECT_EQ(shared.bytes, own.bytes); }

Operand asInput(const Operand &made) { return input(made.as<float>()); }

} // namespace

// Products of three formats and heights without tails.
TEST(SharedLaunch, RootsSideBySide) {
  const std::vector<LinearShape> shapes{{"q8_0", 100, kInput}, {"f16", 64, kInput}, {"rocmfp4_fast", 33, kInput}};
  for (int q : {1, 3}) {
    const Operand x = input(normals(q * kInput, 1));
    std::vector<SharedPart> parts;
    std::vector<Operand> operands{x};
    for (int i = 0; i < 3; ++i) {
      parts.push_back(root(shapes[i], {0, 2 * i + 1, 2 * i + 2}, i));
      operands.push_back(weight(randomWeight(shapes[i].format, {shapes[i].n, kInput}, 2 + i)));
      operands.push_back(output(q * shapes[i].n));
    }
    const KernelSpec spec = emitSharedLaunch(parts, 7);
    EXPECT_EQ(spec.scratchBytes, 0);
    std::vector<Operand> results = launch(spec, makeStep(3, q), operands);
    for (int i = 0; i < 3; ++i)
      expectSameBits(results[2 * i + 2],
                     launch(emitKernel(shapes[i]), makeStep(3, q), {x, operands[2 * i + 1], output(q * shapes[i].n)})[2]);
  }
}

// Fast products of several columns have fewer workgroups than the launch has tokens.
TEST(SharedLaunch, ColumnsOfAFastProduct) {
  const LinearShape fast{"q8_0", 96, 512, 4}, exact{"f16", 32, 512};
  for (int q : {1, 4, 5, 8}) {
    const Operand x = input(normals(q * 512, 1)), w = weight(randomWeight("q8_0", {96, 512}, 2)),
                  v = weight(randomWeight("f16", {32, 512}, 3)), norm = weight(randomWeight("f32", {96}, 4));
    const RmsNormShape normShape{"f32", 96, 1e-6f};
    std::vector<Operand> results = launch(
        emitSharedLaunch({root(fast, {0, 1, 3}, 0), root(exact, {0, 2, 4}, 1), tail(kernelSource(normShape), {3, 5, 6}, 0)}, 7),
        makeStep(0, q), {x, w, v, output(q * 96), output(q * 32), norm, output(q * 96)});
    Operand product = launch(emitKernel(fast), makeStep(0, q), {x, w, output(q * 96)})[2];
    expectSameBits(results[3], product);
    expectSameBits(results[4], launch(emitKernel(exact), makeStep(0, q), {x, v, output(q * 32)})[2]);
    expectSameBits(results[6], launch(emitKernel(normShape), makeStep(0, q), {asInput(product), norm, output(q * 96)})[2]);
  }
}

// A key's row: norm, rotation, ring.
TEST(SharedLaunch, ChainThatEndsInAState) {
  const LinearShape product{"q8_0", 128, kInput};
  const RmsNormShape norm{"f32", 128, 1e-6f};
  const RopeShape rope{1, 128, kRope, false};
  const WindowAppendShape append{"f16", 136, 128};
  for (auto [pos, q] : {std::pair(0, 1), std::pair(134, 5), std::pair(1000, 8)}) {
    const Step step = makeStep(pos, q);
    const Operand x = input(normals(q * kInput, 1)), w = weight(randomWeight("q8_0", {128, kInput}, 2)),
                  v = weight(randomWeight("f32", {128}, 3)), ring = state(randomState(136, 128, "f16", 4));
    std::vector<Operand> results =
        launch(emitSharedLaunch({root(product, {0, 1, 3}, 0), tail(kernelSource(norm), {3, 2, 4}, 0),
                                 tail(kernelSource(rope), {4, 5}, 0), tail(kernelSource(append), {6, 5}, 0)},
                                7),
               step, {x, w, v, output(q * 128), output(q * 128), output(q * 128), ring});
    Operand y = launch(emitKernel(product), step, {x, w, output(q * 128)})[2];
    Operand n = launch(emitKernel(norm), step, {asInput(y), v, output(q * 128)})[2];
    Operand r = launch(emitKernel(rope), step, {asInput(n), output(q * 128)})[1];
    expectSameBits(results[3], y);
    expectSameBits(results[4], n);
    expectSameBits(results[5], r);
    expectSameBits(results[6], launch(emitKernel(append), step, {ring, asInput(r)})[0]);
  }
}

// Two products feed a tail that completes windows within the step.
TEST(SharedLaunch, CompressorOfTwoProducts) {
  const CompressShape shape{.openElement = "f32",
                            .rowElement = "f16",
                            .apeFormat = "f16",
                            .normFormat = "f32",
                            .ratio = 4,
                            .slots = 16,
                            .width = 64,
                            .eps = 1e-6f,
                            .rope = kRope};
  const LinearShape product{"f16", 128, kInput};
  for (auto [pos, q] : {std::pair(3, 1), std::pair(2, 8), std::pair(13, 4)}) {
    const Step step = makeStep(pos, q);
    const Operand x = input(normals(q * kInput, 1)), a = weight(randomWeight("f16", {128, kInput}, 2)),
                  b = weight(randomWeight("f16", {128, kInput}, 3)), ape = weight(randomWeight("f16", {4, 128}, 4)),
                  norm = weight(randomWeight("f32", {64}, 5)), open = state(randomState(16, 256, "f32", 6)),
                  rows = state(randomState(16, 64, "f16", 7));
    std::vector<Operand> results =
        launch(emitSharedLaunch(
                   {root(product, {0, 1, 3}, 0), root(product, {0, 2, 4}, 0), tail(kernelSource(shape), {5, 6, 3, 4, 7, 8}, 0)}, 9),
               step, {x, a, b, output(q * 128), output(q * 128), open, rows, ape, norm});
    Operand kv = launch(emitKernel(product), step, {x, a, output(q * 128)})[2];
    Operand gate = launch(emitKernel(product), step, {x, b, output(q * 128)})[2];
    std::vector<Operand> own = launch(emitKernel(shape), step, {open, rows, asInput(kv), asInput(gate), ape, norm});
    expectSameBits(results[5], own[0]);
    expectSameBits(results[6], own[1]);
  }
}

// A root with as many workgroups as a step has rows, and a tail that reads what all of them wrote: fewer rows than are picked, as
// many, more; one workgroup and several.
TEST(SharedLaunch, SelectionBehindScores) {
  constexpr int kHeads = 8, kWidth = 64, kCapacity = 1024, kPicks = 64;
  const IndexScoreShape score{
      .element = "f16", .heads = kHeads, .width = kWidth, .ratio = 4, .capacity = kCapacity, .scale = 0.05f};
  const SelectTopKShape select{.k = kPicks, .ratio = 4, .capacity = kCapacity};
  const KernelSpec spec =
      emitSharedLaunch({part(kernelSource(score), {0, 1, 2, 3}, 0), tail(kernelSource(select, kSharedWaves), {3, 4}, 0)}, 5);
  EXPECT_EQ(spec.grid[0].evaluate(4 * kCapacity - 8, 8), kCapacity / 256 + 1);
  for (auto [pos, q] : {std::pair(0, 1), std::pair(2, 8), std::pair(250, 8), std::pair(255, 1), std::pair(1019, 5),
                        std::pair(1023, 1), std::pair(3000, 3), std::pair(4 * kCapacity - 8, 8)}) {
    const Step step = makeStep(pos, q);
    const Operand queries = input(normals(q * kHeads * kWidth, 1)), weights = input(normals(q * kHeads, 2)),
                  rows = state(randomState(kCapacity, kWidth, "f16", 3));
    const auto scores = output(q * kCapacity), ids = output(q * kPicks);
    std::vector<Operand> results = launch(spec, step, {queries, weights, rows, scores, ids});
    Operand own = launch(emitKernel(score), step, {queries, weights, rows, scores})[3];
    expectSameBits(results[3], own);
    EXPECT_EQ(results[4].as<int>(), launch(emitKernel(select), step, {asInput(own), ids})[1].as<int>()) << pos << ", " << q;
  }
}

// Heads are finished piece by piece: the tail's pieces have last workgroups of their own.
TEST(SharedLaunch, PiecesOfHeads) {
  constexpr int kHeads = 16, kHead = 128, kRow = kHeads * kHead;
  const LinearShape product{"q8_0", kRow, kInput};
  const HeadNormShape norm{kHeads, kHead, 1e-6f};
  const RopeShape rope{kHeads, kHead, kRope, false};
  const KernelSpec spec =
      emitSharedLaunch({root(product, {0, 1, 2}, 0), tail(kernelSource(norm), {2, 3}, 0), tail(kernelSource(rope), {3, 4}, 0)}, 5);
  EXPECT_THAT(spec.source, testing::HasSubstr("piece = ")) << "two workgroups of heads, two last workgroups";
  for (int q : {1, 2, 8}) {
    const Operand x = input(normals(q * kInput, 1)), w = weight(randomWeight("q8_0", {kRow, kInput}, 2));
    std::vector<Operand> results = launch(spec, makeStep(77, q), {x, w, output(q * kRow), output(q * kRow), output(q * kRow)});
    Operand y = launch(emitKernel(product), makeStep(77, q), {x, w, output(q * kRow)})[2];
    Operand n = launch(emitKernel(norm), makeStep(77, q), {asInput(y), output(q * kRow)})[1];
    expectSameBits(results[3], n);
    expectSameBits(results[4], launch(emitKernel(rope), makeStep(77, q), {asInput(n), output(q * kRow)})[1]);
  }
}

TEST(SharedLaunch, PiecesOfHeadsThatTheirRotationNorms) {
  constexpr int kHeads = 16, kHead = 128, kRow = kHeads * kHead;
  const LinearShape product{"q8_0", kRow, kInput};
  const RopeShape rope{.heads = kHeads, .width = kHead, .rope = kRope, .normEps = 1e-6f};
  const KernelSpec spec = emitSharedLaunch({root(product, {0, 1, 2}, 0), tail(kernelSource(rope), {2, 3}, 0)}, 4);
  EXPECT_THAT(spec.source, testing::HasSubstr("piece = "));
  for (int q : {1, 3}) {
    const Operand x = input(normals(q * kInput, 1)), w = weight(randomWeight("q8_0", {kRow, kInput}, 2));
    std::vector<Operand> results = launch(spec, makeStep(77, q), {x, w, output(q * kRow), output(q * kRow)});
    expectSameBits(results[3], launch(emitKernel(rope), makeStep(77, q), {asInput(results[2]), output(q * kRow)})[1]);
  }
}

// As on devices of many multiprocessors: fewer workgroups.
TEST(SharedLaunch, TwoRowsAWave) {
  constexpr int kLong = 2048;
  LinearShape shape{"f16", 70, kLong};
  const Operand x = input(normals(2 * kLong, 1)), w = weight(randomWeight("f16", {70, kLong}, 2));
  const Operand alone = launch(emitKernel(shape), makeStep(0, 2), {x, w, output(2 * 70)})[2];
  shape.fine = true;
  const KernelSpec spec = emitSharedLaunch({root(shape, {0, 1, 2}, 0)}, 3);
  EXPECT_EQ(spec.grid[0].evaluate(0, 1), 5); // of eight waves
  expectSameBits(launch(spec, makeStep(0, 2), {x, w, output(2 * 70)})[2], alone);
}

// There, weights are on their way to LDS before a launch begins: those workgroups come first, and no third one goes to a
// multiprocessor while others have none, unless there are more than two for each.
TEST(SharedLaunch, WorkgroupsThatFillAMultiprocessor) {
  const LinearShape rows{"f16", 256, 4096, 0, true}, few{"rocmfp4_fast", 1024, 4096, 1, true},
      many{"rocmfp4_fast", 32768, 1024, 1, true};
  const std::string source = emitSharedLaunch({root(rows, {0, 1, 2}, 0), root(few, {0, 3, 4}, 1)}, 5).source;
  EXPECT_THAT(source, testing::HasSubstr("if (workgroup.x >= 0 && workgroup.x < 64) {\n      part1::run("));
  EXPECT_THAT(source, testing::HasSubstr("if (workgroup.x >= 64 && workgroup.x < 80) {\n      part0::run("));
  EXPECT_THAT(source, testing::HasSubstr("ds4::spreadingLds("));
  EXPECT_THAT(emitSharedLaunch({root(rows, {0, 1, 2}, 0), root(many, {0, 3, 4}, 1)}, 5).source,
              testing::Not(testing::HasSubstr("ds4::spreadingLds(")));
}

// The last write of the streams, their head and its norm.
TEST(SharedLaunch, HeadBehindTheLastWrite) {
  constexpr int kWidth = 1536; // two workgroups of the write
  const HcWriteShape write{kWidth};
  const HcHeadShape head{"f16", "f32", "f32", kWidth, 1e-6f, 1e-6f};
  const RmsNormShape norm{"f32", kWidth, 1e-6f};
  for (int q : {1, 4}) {
    const Step step = makeStep(5, q);
    const int streams = q * 4 * kWidth;
    const Operand y = input(normals(q * kWidth, 1)), x = input(normals(streams, 2)), post = input(uniforms(q * 4, 3, 0, 2)),
                  comb = input(uniforms(q * 16, 4, 0, 0.5)), fn = weight(randomWeight("f16", {4, 4 * kWidth}, 5, 0.05)),
                  base = weight(randomWeight("f32", {4}, 6)), scale = weight(randomWeight("f32", {1}, 7)),
                  gain = weight(randomWeight("f32", {kWidth}, 8));
    std::vector<Operand> results =
        launch(emitSharedLaunch({part(kernelSource(write), {0, 1, 2, 3, 8}, 0), tail(kernelSource(head), {8, 4, 5, 6, 9}, 0),
                                 tail(kernelSource(norm), {9, 7, 10}, 0)},
                                11),
               step, {y, x, post, comb, fn, base, scale, gain, output(streams), output(q * kWidth), output(q * kWidth)});
    Operand written = launch(emitKernel(write), step, {y, x, post, comb, output(streams)})[4];
    Operand h = launch(emitKernel(head), step, {asInput(written), fn, base, scale, output(q * kWidth)})[4];
    expectSameBits(results[8], written);
    expectSameBits(results[9], h);
    expectSameBits(results[10], launch(emitKernel(norm), step, {asInput(h), gain, output(q * kWidth)})[2]);
  }
}

// Two ways to choose a token, a workgroup each.
TEST(SharedLaunch, ChoicesSideBySide) {
  constexpr int kVocabulary = 1000;
  for (int q : {1, 3}) {
    Step step = makeStep(5, q);
    step.temperature = 0.8f, step.topP = 0.9f;
    for (int token = 0; token < q; ++token)
      step.random[token] = 0.3f * static_cast<float>(token + 1);
    const Operand logits = input(normals(q * kVocabulary, 1));
    const ArgmaxShape argmax{kVocabulary};
    const SampleShape sample{kVocabulary};
    std::vector<Operand> results =
        launch(emitSharedLaunch({part(kernelSource(argmax), {0, 1}, 0), part(kernelSource(sample), {0, 2}, 1)}, 3), step,
               {logits, output(q), output(q)});
    expectSameBits(results[1], launch(emitKernel(argmax), step, {logits, output(q)})[1]);
    expectSameBits(results[2], launch(emitKernel(sample), step, {logits, output(q)})[1]);
  }
}

// Where a tail needs the whole row there is one piece, whatever the roots' grids have in common.
TEST(SharedLaunch, ANormOfTheWholeRowHasOnePiece) {
  const KernelSpec spec = emitSharedLaunch(
      {root({"q8_0", 2048, kInput}, {0, 1, 2}, 0), tail(kernelSource(RmsNormShape{"f32", 2048, 1e-6f}), {2, 3, 4}, 0)}, 5);
  EXPECT_THAT(spec.source, testing::Not(testing::HasSubstr("piece")));
  EXPECT_THAT(spec.source, testing::HasSubstr("arrivesLast"));
}

TEST(SharedLaunch, EqualPartsGiveEqualSymbols) {
  auto symbol = [](int n) { return emitSharedLaunch({root({"q8_0", n, kInput}, {0, 1, 2}, 0)}, 3).symbol; };
  EXPECT_EQ(symbol(64), symbol(64));
  EXPECT_NE(symbol(64), symbol(65));
}

} // namespace ds4::test
