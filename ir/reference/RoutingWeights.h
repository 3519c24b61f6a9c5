// What the two routers share: the score of an expert, and the weights of those chosen.
#pragma once

#include "ir/reference/Reference.h"

namespace ds4::reference {

// sqrt(ln(1 + e^logit))
double expertScore(double logit);

// Adds to the chosen ids [T, U] their weights: score / sum of the chosen scores * scale.
Routing weighExperts(const Tensor &logits, Tensor ids, double scale);

} // namespace ds4::reference
