// The rotary embedding's frequencies, the one place where YaRN is computed.
//
// Pair i of `dims` rotated channels turns by position * f[i]. Plain: f[i] = base^(-2i/dims). YaRN divides the slow
// pairs' frequencies by `factor` and leaves the fast ones, with a linear ramp between the pairs that complete betaFast
// and betaSlow turns over the original context. DS4 scales neither cosines nor the softmax (model description, section 5).
#pragma once

#include <vector>

namespace ds4 {

struct RopeParameters {
  int dims = 64; // rotated channels, even
  double base = 10000;
  double factor = 1; // 1: no YaRN, the fields below are not used
  double originalContext = 0;
  double betaFast = 32;
  double betaSlow = 1;
};

// dims / 2 frequencies, computed in double precision and rounded once to f32.
std::vector<float> ropeFrequencies(const RopeParameters &parameters);

} // namespace ds4
