#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "codegen/emitters/Emitters.h"
#include "ir/reference/Reference.h"
#include "tests/kernels/KernelRunner.h"

namespace ds4::test {

struct Schedule {
  int rows = 0, chunk = 32768;
  bool whole = false;
};

static void check(int k, int visible, std::vector<float> scores, int q = 1, int ratio = 4, Schedule schedule = {}) {
  int pos = visible * ratio - 1 - (q - 1), capacity = static_cast<int>(scores.size()) / q; // the last token sees `visible` rows
  int columns = (pos + q) / ratio;
  SelectTopKShape shape{k, ratio, capacity, schedule.rows, schedule.chunk, schedule.whole};
  auto results = launch(emitKernel(shape), makeStep(pos, q), {input(scores), output(q * k)});
  std::vector<float> used;
  for (int token = 0; token < q; ++token)
    used.insert(used.end(), scores.begin() + token * capacity, scores.begin() + token * capacity + columns);
  expectEqual(results[1].as<int>(), reference::selectTopK(tensor({q, columns}, used), pos, k, ratio));
}

TEST(SelectTopK, AllVisibleRows) {
  check(64, 1, normals(100, 1));
  check(64, 63, normals(100, 1));
  check(64, 64, normals(100, 1));
}
TEST(SelectTopK, OneRowTooMany) { check(64, 65, normals(100, 1)); }
TEST(SelectTopK, ManyRows) { check(64, 2000, normals(2048, 2)); }
TEST(SelectTopK, NoRow) {
  auto results = launch(emitKernel(SelectTopKShape{8, 4, 16}), makeStep(1, 1), {input(normals(16, 1)), output(8)});
  EXPECT_EQ(results[1].as<int>(), std::vector<int>(8, -1));
}
TEST(SelectTopK, EightTokensSeeDifferentRows) { check(16, 150, normals(8 * 160, 3), 8); }
TEST(SelectTopK, FlashContext) { check(512, 32768, normals(32768, 4)); }
TEST(SelectTopK, LongestContext) { check(512, 262144, normals(262144, 5)); }
TEST(SelectTopK, FewRowsOfALongContext) { check(512, 700, normals(262144, 5)); }

// A schedule for at most so many visible rows, of a state with room for more.
TEST(SelectTopK, KernelForTheRowsThatThereAre) {
  for (int visible : {1, 511, 512, 513, 2000, 8191, 8192})
    check(512, visible, normals(9000, 8), 1, 4, {.rows = 8192});
}

// Chunks of 1024 rows; the last of eight tokens sees one row more than a whole number of chunks.
TEST(SelectTopK, Chunks) {
  for (int visible : {64, 1023, 1024, 1025, 2048, 3000, 4999})
    check(64, visible, normals(5000, 9), 1, 4, {.chunk = 1024});
  check(64, 2049, normals(8 * 2100, 10), 8, 4, {.chunk = 1024});
  check(1, 3000, std::vector<float>(3000, 2.0f), 1, 4, {.chunk = 1024});
}
TEST(SelectTopK, ChunkWithFewerRowsThanAreWanted) {
  for (int visible : {1025, 1087, 1088, 1089})
    check(64, visible, normals(1100, 11), 1, 4, {.chunk = 1024});
}
TEST(SelectTopK, TiesAcrossChunks) {
  std::vector<float> scores = normals(3000, 12);
  for (float &score : scores)
    score = std::round(score);
  check(500, 3000, scores, 1, 4, {.chunk = 1024});
  check(500, 3000, std::vector<float>(3000, -1.0f), 1, 4, {.chunk = 1024});
}

// Chunks in turn, of tokens that see fewer and more rows than one has.
TEST(SelectTopK, ChunksInTurn) {
  for (int visible : {5, 64, 1023, 1024, 1025, 1089, 2048, 3000, 4999})
    check(64, visible, normals(5000, 9), 1, 4, {.chunk = 1024, .whole = true});
  check(64, 2049, normals(40 * 2100, 10), 40, 4, {.chunk = 1024, .whole = true});
  check(1, 3000, std::vector<float>(3000, 2.0f), 1, 4, {.chunk = 1024, .whole = true});
  check(512, 262144, normals(262144, 5), 1, 4, {.whole = true});
  std::vector<float> scores = normals(3000, 12);
  for (float &score : scores)
    score = std::round(score);
  check(500, 3000, scores, 1, 4, {.chunk = 1024, .whole = true});
  scores[5] = std::nanf(""), scores[2500] = -INFINITY;
  check(500, 3000, scores, 1, 4, {.chunk = 1024, .whole = true});
}

// Ranks that agree in one, two or three digits of the search.
TEST(SelectTopK, SortedBothWays) {
  std::vector<float> scores(8192), falling(8192);
  for (int i = 0; i < 8192; ++i) {
    scores[i] = static_cast<float>(i - 4000);
    falling[i] = static_cast<float>(4000 - i);
  }
  check(512, 8192, scores);
  check(512, 8192, falling);
}
TEST(SelectTopK, TheBestStandLast) {
  for (int best : {511, 512, 513}) {
    std::vector<float> scores(4000, -3e38f);
    std::fill(scores.end() - best, scores.end(), 3e38f);
    check(512, 4000, scores);
  }
}
TEST(SelectTopK, AllMinusInfinity) { check(512, 5000, std::vector<float>(5000, -INFINITY)); }
TEST(SelectTopK, Subnormals) {
  std::vector<float> scores(3000);
  for (int i = 0; i < 3000; ++i)
    scores[i] = std::bit_cast<float>(static_cast<uint32_t>(i * 1571 % 3000) | (i % 2 ? 0x80000000u : 0));
  check(512, 3000, scores);
}
TEST(SelectTopK, TiesTakeTheLowerRow) {
  std::vector<float> scores = normals(700, 6);
  for (float &score : scores)
    score = std::round(score);
  check(64, 699, scores);
  check(512, 513, std::vector<float>(600, 1.0f));
  check(1, 40, std::vector<float>(40, -2.5f));
}
TEST(SelectTopK, ZerosOfBothSignsAreEqual) {
  std::vector<float> scores(300);
  for (int i = 0; i < 300; ++i)
    scores[i] = i % 3 ? -0.0f : 0.0f;
  check(64, 300, scores);
}
TEST(SelectTopK, InfinitiesAndNan) {
  std::vector<float> scores = normals(300, 7);
  for (int i = 0; i < 300; ++i)
    if (i % 2)
      scores[i] = i % 4 == 1 ? -INFINITY : std::nanf("");
  scores[17] = INFINITY;
  check(64, 299, scores);
  check(200, 299, scores); // more than there are numbers
}
TEST(SelectTopK, NeighbouringFloats) {
  std::vector<float> scores;
  for (int i = 0; i < 500; ++i)
    scores.push_back(std::bit_cast<float>(0x3f800000 + i * 37 % 251));
  check(64, 500, scores);
}

} // namespace ds4::test
