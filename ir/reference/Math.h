// Small formulas that several reference ops share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ds4::reference {

// Throws ds4::Error (Internal) "reference: <what>" unless `holds`.
void require(bool holds, const char *what);

double dot(std::span<const double> x, std::span<const float> w);
double dot(std::span<const double> x, std::span<const double> y);

// 1 / sqrt(mean(x^2) + eps)
double inverseRms(std::span<const double> x, double eps);

double sigmoid(double x);

// Indices of `keys` by descending key, lower index first among equals; NaN counts as minus infinity.
std::vector<int64_t> descendingOrder(std::span<const double> keys);

// Rotates the last 2 * frequencies.size() values of `row` as at `position`.
void rotate(std::span<double> row, double position, std::span<const float> frequencies, bool inverse);

// To the nearest value, ties to even, of a binary format with `mantissaBits` stored bits and subnormals below
// 2^minExponent. The caller deals with overflow.
double roundToBinary(double value, int mantissaBits, int minExponent);

} // namespace ds4::reference
