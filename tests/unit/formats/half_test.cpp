#include "support/Half.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

using namespace ds4;

TEST(Half, EveryHalfSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = halfToFloat(static_cast<uint16_t>(bits));
    const uint32_t expected = std::isnan(value) ? bits | 0x200 : bits;
    ASSERT_EQ(floatToHalf(value), expected);
  }
}

TEST(Half, WidensByTheDefinition) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const int exponent = static_cast<int>(bits >> 10), mantissa = static_cast<int>(bits & 0x3ff);
    const double value = exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24);
    ASSERT_EQ(halfToFloat(static_cast<uint16_t>(bits)), value);
    ASSERT_EQ(halfToFloat(static_cast<uint16_t>(bits | 0x8000)), -value);
  }
  EXPECT_EQ(halfToFloat(0x7c00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::signbit(halfToFloat(0x8000)));
}

// Between neighbouring halves a and b the midpoint goes to the even one, and everything else to the nearer one.
TEST(Half, NarrowsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const float a = halfToFloat(static_cast<uint16_t>(bits)), b = halfToFloat(static_cast<uint16_t>(bits + 1));
    const float middle = a + (b - a) / 2; // exact: a half has 11 significant bits
    ASSERT_EQ(floatToHalf(middle), bits & 1 ? bits + 1 : bits);
    ASSERT_EQ(floatToHalf(std::nextafter(middle, 0.0f)), bits);
    ASSERT_EQ(floatToHalf(std::nextafter(middle, b)), bits + 1);
    ASSERT_EQ(floatToHalf(-middle), (bits & 1 ? bits + 1 : bits) | 0x8000);
  }
}

TEST(Half, OverflowsToInfinityFromTheTie) {
  EXPECT_EQ(floatToHalf(65519.996f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToHalf(-std::numeric_limits<float>::max()), 0xfc00);
  EXPECT_EQ(floatToHalf(std::numeric_limits<float>::denorm_min()), 0);
}

TEST(Bfloat16, RoundsToNearestEven) {
  EXPECT_EQ(floatToBfloat16(1.0f), 0x3f80);
  EXPECT_EQ(floatToBfloat16(std::bit_cast<float>(0x3f808000u)), 0x3f80); // tie, even below
  EXPECT_EQ(floatToBfloat16(std::bit_cast<float>(0x3f818000u)), 0x3f82); // tie, even above
  EXPECT_EQ(floatToBfloat16(std::bit_cast<float>(0x3f808001u)), 0x3f81);
  EXPECT_EQ(floatToBfloat16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(floatToBfloat16(std::bit_cast<float>(0x7f800001u)), 0x7fc0); // a NaN whose payload would be cut off
}
